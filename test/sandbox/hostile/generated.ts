import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import { endpoints } from '../../../src/contract/endpoints.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { validForm } from './bodies.ts';
import {
  get,
  type HostileKind,
  kind,
  paths,
  placeholders,
  utf8,
  validTeamText,
  withBody,
} from './request.ts';

const text = fc.string({ unit: anyCharacter, maxLength: 200 });
const bytes = fc.string({
  unit: fc.nat({ max: 0xff }).map((code) => String.fromCharCode(code)),
  maxLength: 60,
});
/** Characters that are valid in a request head without escapes. */
const visible = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 1,
  maxLength: 40,
});

const value = fc.oneof(
  fc.jsonValue(),
  text,
  fc.uuid(),
  fc.double(),
  fc.maxSafeInteger(),
  fc.constantFrom<unknown>({ length: 1 }, { toString: 1 }, { $ne: null }, '0000-00-00', 2 ** 31),
);

/** Generates calls with a JSON body whose members have any type. */
const anyBody = fc
  .constantFrom(
    ...(['createKey', 'createTeam', 'createBot', 'createDevice', 'sendMessage', 'updateTeam'] as const),
  )
  .chain((name) => {
    const { method, path, body }: Endpoint = endpoints[name];
    const members = Object.fromEntries(Object.keys(body?.shape ?? {}).map((member) => [member, value]));
    const target = path.replace('{id}', randomUUID());
    return fc
      .record(members, { requiredKeys: [] })
      .map((sent) => withBody(target, utf8(JSON.stringify(sent)), '', method));
  })
  .map((request) => kind('any body', [request], [200, 400, 404]));

const parameter = fc.oneof(fc.constantFrom('page', 'limit', 'name', 'paying', 'team_id', 'type'), text);

const anyQuery = fc
  .tuple(
    fc.constantFrom(paths.teams, paths.documents, paths.bots),
    fc.dictionary(parameter, fc.oneof(text, fc.nat().map(String)), { maxKeys: 5 }),
  )
  .map(([path, query]) => kind('any query', [get(`${path}?${new URLSearchParams(query)}`)], [200, 400]));

const anyId = visible.map((id) => kind('any id', [get(`${paths.keys}/${id.replace(/[/?#]/g, '%')}`)], 404));

const anyToken = fc
  .tuple(visible, visible, visible)
  .map((parts) =>
    kind('any token', [get(paths.teams).replace(placeholders.token, () => parts.join('.'))], 401),
  );

const whole = [
  withBody(paths.teams, validTeamText),
  validForm,
  withBody(paths.token, JSON.stringify({ key_id: 'none', key_secret: placeholders.unique })),
  get(`${paths.bots}?page=1`),
];

/**
 * Generates valid requests in which some bytes are replaced. The result may be several requests, or an incomplete one.
 */
const damaged = fc
  .tuple(
    fc.constantFrom(...whole),
    fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat({ max: 40 }), bytes), {
      minLength: 1,
      maxLength: 4,
    }),
  )
  .map(([request, wounds]) => {
    let damagedRequest = request;
    for (const [place, gone, instead] of wounds) {
      const at = Math.floor(place * damagedRequest.length);
      damagedRequest = damagedRequest.slice(0, at) + instead + damagedRequest.slice(at + gone);
    }
    return kind('a damaged request', [damagedRequest], [], { ends: true });
  });

/** Generates requests of any content; those without statuses may get any number of responses. */
export const anyRequest: fc.Arbitrary<HostileKind> = fc.oneof(anyBody, anyQuery, anyId, anyToken, damaged);
