import fc from 'fast-check';
import { hostileBody, validForm } from './bodies.ts';
import {
  anyBytes,
  get,
  type HostileRequest,
  paths,
  placeholders,
  validTeamText,
  withBody,
} from './request.ts';
import { brokenRequest, hostileTarget } from './targets.ts';

const whole = [
  withBody(paths.teams, validTeamText),
  validForm,
  withBody(paths.token, JSON.stringify({ key_id: 'none', key_secret: placeholders.unique })),
  get(paths.teams),
  get(`${paths.bots}?page=1`),
];

/** A valid request in which some bytes are replaced. */
const damaged = fc
  .tuple(
    fc.constantFrom(...whole),
    fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat({ max: 40 }), anyBytes), {
      minLength: 1,
      maxLength: 4,
    }),
  )
  .map(([request, wounds]): HostileRequest => {
    let bytes = request;
    for (const [place, gone, instead] of wounds) {
      const at = Math.floor(place * bytes.length);
      bytes = bytes.slice(0, at) + instead + bytes.slice(at + gone);
    }
    return { what: 'a request that was damaged', bytes, ends: true };
  });

const wellFormed = fc.oneof(hostileTarget, hostileBody);

/** Two requests on a connection: the hostile one changes nothing of the answer before it. */
const behindAnother = wellFormed.map(
  (request): HostileRequest => ({
    ...request,
    what: `${request.what}, behind a whole request`,
    bytes: `${get(paths.teams)}${request.bytes}`,
    ...(request.answers && { answers: [[200], ...request.answers] }),
  }),
);

/** Hostile requests of all kinds. */
export const hostileRequest: fc.Arbitrary<HostileRequest> = fc.oneof(
  { arbitrary: wellFormed, weight: 4 },
  { arbitrary: brokenRequest, weight: 2 },
  { arbitrary: damaged, weight: 1 },
  { arbitrary: behindAnother, weight: 1 },
);
