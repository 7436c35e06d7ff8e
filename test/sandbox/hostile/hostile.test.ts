import { readdirSync } from 'node:fs';
import { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { errorEnvelope, errorStatus } from '../../../src/contract/envelope.ts';
import { eventually } from '../../support/eventually.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { createTestApi } from '../api.ts';
import { hangUp, talk } from '../raw.ts';
import { createTeam } from '../samples.ts';
import { hostileBodies } from './bodies.ts';
import { anyRequest } from './generated.ts';
import { type HostileKind, placeholders, teamPlaceholder } from './request.ts';
import { brokenRequests, hostileTargets } from './targets.ts';

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

afterEach(async () => {
  expect(await api.send('GET', '/api/openapi/v1/api-keys')).toMatchObject({ status: 200 });
  expect('admin' in {}).toBe(false);
  await eventually(() => readdirSync(sandbox.files).every((name) => name === teamId));
});

function filled(bytes: string): Buffer {
  sent += 1;
  const text = bytes
    .replaceAll(placeholders.token, token)
    .replaceAll(placeholders.unique, String(sent).padStart(placeholders.unique.length, '0'))
    .replaceAll(teamPlaceholder, teamId);
  return Buffer.from(text, 'latin1');
}

/** Sends a request in two pieces, and expects responses in their envelopes, with the API's statuses. */
async function expectAnswered(bytes: string, { statuses, ends, isHead }: HostileKind): Promise<void> {
  const whole = filled(bytes);
  const half = Math.floor(whole.length / 2);
  const pieces = [whole.subarray(0, half), whole.subarray(half)];
  const answers = await talk(sandbox.baseUrl, {
    pieces,
    answers: statuses.length > 0 ? 1 : undefined,
    ends,
    isHead,
  });
  if (statuses.length > 0) {
    expect(answers).toHaveLength(1);
    expect(statuses).toContain(answers[0]?.status);
  }
  if (isHead) return;
  for (const { status, body } of answers) {
    const envelope: unknown = JSON.parse(Buffer.from(body, 'latin1').toString());
    if (status === 200) {
      expect(envelope).toMatchObject({ success: true, data: expect.anything() });
      continue;
    }
    const { code } = errorEnvelope.parse(envelope);
    expect(errorStatus[code]).toBe(status);
    expect(code).not.toBe('INTERNAL_ERROR');
  }
}

describe('a hostile request is answered according to the API', () => {
  it.each([...brokenRequests, ...hostileTargets, ...hostileBodies])('$what', async (kind) => {
    for (const request of kind.requests) await expectAnswered(request, kind);
  });

  it('of any content', async () => {
    const property = fc.asyncProperty(anyRequest, async (kind) => {
      for (const request of kind.requests) await expectAnswered(request, kind);
    });
    await fc.assert(property, { numRuns: 300 });
  });
});

it('a caller that hangs up leaves nothing in memory', async () => {
  for (const { requests } of [...brokenRequests, ...hostileTargets, ...hostileBodies]) {
    for (const request of requests.slice(0, 2)) await hangUp(sandbox.baseUrl, filled(request.repeat(3)));
  }
  await eventually(async () => {
    // Inspecting the heap blocks the service for up to a second, so it needs time to proceed in between.
    await sleep(200);
    return Number(queryObjects(ServerResponse)) < 10;
  });
});
