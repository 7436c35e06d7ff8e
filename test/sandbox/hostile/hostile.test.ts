import { readdirSync } from 'node:fs';
import { ServerResponse } from 'node:http';
import { queryObjects } from 'node:v8';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { errorEnvelope, errorStatus } from '../../../src/contract/envelope.ts';
import { eventually } from '../../support/eventually.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { createTestApi } from '../api.ts';
import { hangUp, type RawAnswer, talk } from '../raw.ts';
import { createTeam } from '../samples.ts';
import { type HostileRequest, placeholders, teamPlaceholder } from './request.ts';
import { hostileRequest } from './requests.ts';

const sandbox = useSandbox();
const api = createTestApi(sandbox);

const many = 2 ** 31 - 1;
const room = { bots: many, accounts: many, characters: many, documents: many, members: many, credits: many };

let token: string;
let teamId: string;
let sent = 0;

beforeEach(async () => {
  token = await api.token();
  teamId = (await createTeam(api, { quotas: room })).id;
});

function filled(bytes: string): Buffer {
  sent += 1;
  const text = bytes
    .replaceAll(placeholders.token, token)
    .replaceAll(placeholders.unique, String(sent).padStart(placeholders.unique.length, '0'))
    .replaceAll(teamPlaceholder, teamId);
  return Buffer.from(text, 'latin1');
}

/** Sends a request in some pieces, and returns its answers. */
function send(
  { bytes, answers, ends, isHead }: HostileRequest,
  cuts: readonly number[],
): Promise<RawAnswer[]> {
  const whole = filled(bytes);
  const places = [0, ...cuts.map((cut) => Math.floor(cut * whole.length)).sort((one, other) => one - other)];
  const pieces = places.map((from, at) => whole.subarray(from, places[at + 1]));
  return talk(sandbox.baseUrl, { pieces, answers: answers?.length, ends, isHead });
}

/** Expects answers in their envelopes, with statuses that the API has. */
function expectAnswers(given: readonly RawAnswer[], { answers, isHead }: HostileRequest): void {
  for (const [at, { status, body }] of given.entries()) {
    if (isHead && at === given.length - 1) continue;
    const envelope: unknown = JSON.parse(Buffer.from(body, 'latin1').toString());
    if (status === 200) {
      expect(envelope).toMatchObject({ success: true, data: expect.anything() });
    } else {
      const { code } = errorEnvelope.parse(envelope);
      expect(errorStatus[code]).toBe(status);
      expect(code).not.toBe('INTERNAL_ERROR');
    }
  }
  if (!answers) return;
  expect(given.map(({ status }) => status)).toHaveLength(answers.length);
  for (const [at, statuses] of answers.entries()) expect(statuses).toContain(given[at]?.status);
}

describe('a hostile request', () => {
  it('is answered as the API says, and so is the next caller', async () => {
    const cut = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
    await fc.assert(
      fc.asyncProperty(hostileRequest, fc.array(cut, { maxLength: 3 }), async (request, cuts) => {
        expectAnswers(await send(request, cuts), request);
        expect(await api.send('GET', '/api/openapi/v1/api-keys')).toMatchObject({ status: 200 });
      }),
      { numRuns: 300 },
    );
    expect('admin' in {}).toBe(false);
    const files = sandbox.files;
    await eventually(() => readdirSync(files).every((name) => name === teamId));
  });

  it('leaves nothing in memory, also if its caller hangs up', async () => {
    for (const request of fc.sample(hostileRequest, 100)) {
      await send(request, []);
      await hangUp(sandbox.baseUrl, filled(request.bytes.repeat(3)));
    }
    await eventually(() => Number(queryObjects(ServerResponse)) < 10);
  });
});
