import { describe, expect, it } from 'vitest';
import { callControl } from '../../src/sandbox/control/client.ts';
import type { FaultEffect, FaultRequest } from '../../src/sandbox/faults/fault.ts';
import { Faults } from '../../src/sandbox/faults/faults.ts';
import { createInterference } from '../../src/sandbox/faults/interference.ts';
import { parseTarget } from '../../src/sandbox/faults/target.ts';
import { CallerGone } from '../../src/sandbox/http/answer.ts';
import type { Exchange, Interference } from '../../src/sandbox/http/exchange.ts';
import { useSandbox } from '../support/sandbox.ts';
import { createTestApi } from './api.ts';
import { teamBody } from './samples.ts';

const sandbox = useSandbox();
const api = createTestApi(sandbox);
const teams = '/api/openapi/v1/teams';
const broken: FaultEffect = { kind: 'status', status: 500 };

const add = (fault: FaultRequest) => callControl(sandbox.control, '/fault/add', fault);
const fail = (target: string, effect: FaultEffect) => add({ target, effect });

/** Returns a request as the faults see it, by default to a list of teams. */
function exchange(request: Partial<Exchange> = {}): Exchange {
  return {
    requestId: 'a1b2c3',
    receivedAt: new Date(),
    method: 'GET',
    url: `${teams}?page=1`,
    operation: 'listTeams',
    requestBytes: undefined,
    ...request,
  };
}

/** Returns a layer with only these faults. */
function layerOf(faults: Faults): Interference {
  return createInterference({ faults, clock: { now: () => new Date() }, machineTime: Date.now });
}

/** Creates a team over HTTP. */
async function create(): Promise<Response> {
  return fetch(`${sandbox.baseUrl}${teams}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${await api.token()}` },
    body: JSON.stringify(teamBody()),
  });
}

async function numberOfTeams(): Promise<number> {
  return (await api.ok('listTeams')).meta.total;
}

describe('the target of a fault', () => {
  it.each([
    ['listTeams', { operation: 'listTeams' }, true],
    ['GET /teams', { url: `${teams}?page=2&name=a` }, true],
    [`get ${teams}`, {}, true],
    ['GET /teams', { method: 'POST' }, false],
    ['* /teams', { method: 'POST' }, true],
    ['GET /teams/*', { url: `${teams}/7` }, true],
    ['GET /teams/{id}', { url: `${teams}/7` }, true],
    ['GET /teams/7', { url: `${teams}/8` }, false],
    ['GET /teams/*', { url: teams }, false],
    ['GET /teams/**', { url: teams }, true],
    ['GET /devices/*/status', { url: '/api/openapi/v1/devices/7/status' }, true],
    ['GET /bots/*', { url: '/api/openapi/v1/bots/7/status' }, false],
    ['GET /api-keys/a%20b', { url: '/api/openapi/v1/api-keys/a b' }, true],
    ['* /**', { method: 'DELETE', url: '/nowhere' }, true],
  ] as const)('is matched: %s against %j: %s', (target, request, expected) => {
    expect(parseTarget(target)(exchange(request))).toBe(expected);
  });

  it.each([
    ['listTeam', 'listTeams?'],
    ['toString', 'method'],
    ['GET /team', 'GET /teams?'],
    ['DELETE /teams/*', 'method'],
    ['GET teams', 'method'],
    ['GET /teams?page=1', 'query'],
    ['GET /**/status', 'method'],
    ['', 'method'],
  ])('is refused if the API has no such call: %j', async (target, hint) => {
    await expect(fail(target, broken)).rejects.toMatchObject({
      kind: 'invalidInput',
      hint: expect.stringContaining(hint),
    });
    expect(await callControl(sandbox.control, '/fault/list', {})).toEqual([]);
  });
});

describe('a fault applies', () => {
  it('before those that were added later', async () => {
    await add({ target: 'GET /teams', effect: { kind: 'status', status: 503 }, after: 1, times: 1 });
    await fail('listTeams', broken);
    await fail('GET /**', { kind: 'status', status: 418 });
    const statuses: number[] = [];
    for (let request = 0; request < 3; request += 1) statuses.push((await api.send('GET', teams)).status);
    expect(statuses).toEqual([500, 503, 500]);
    expect(await callControl(sandbox.control, '/fault/list', {})).toMatchObject([
      { id: expect.any(String), target: 'GET /teams', when: 'after 1, times 1', seen: 2, met: 1 },
      { target: 'listTeams', effect: 'status 500 INTERNAL_ERROR', when: 'always', seen: 2, met: 2 },
      { target: 'GET /**', seen: 0, met: 0 },
    ]);
  });

  it('at random, with the same seed to the same requests', () => {
    const met = (seed: string): string => {
      const faults = new Faults();
      faults.add({ target: 'listTeams', effect: broken, rate: 0.1, seed });
      return Array.from({ length: 1000 }, () => (faults.match(exchange()) ? 'x' : '.')).join('');
    };
    expect(met('7')).toBe(met('7'));
    expect(met('7')).not.toBe(met('a seed'));
    expect(met('7').replaceAll('.', '').length).toBeGreaterThan(70);
    expect(met('7').replaceAll('.', '').length).toBeLessThan(130);
  });

  it('at random with a seed that the list shows if none was given', async () => {
    const { when } = await add({ target: 'listTeams', effect: broken, rate: 0.5 });
    expect(when).toMatch(/^rate 0\.5, seed \d+$/);
  });

  it('until it is cleared, by id or with all', async () => {
    const [first, second] = [await fail('listTeams', broken), await fail('listBots', broken)];
    await expect(
      callControl(sandbox.control, '/fault/clear', { ids: [first.id, 'none'] }),
    ).rejects.toMatchObject({
      kind: 'notFound',
    });
    expect(await callControl(sandbox.control, '/fault/clear', { ids: [first.id] })).toEqual({ cleared: 1 });
    expect(await callControl(sandbox.control, '/fault/list', {})).toMatchObject([{ id: second.id }]);
    await api.ok('listTeams');
    expect(await callControl(sandbox.control, '/fault/clear', {})).toEqual({ cleared: 1 });
    await api.ok('listBots');
  });
});

describe('a fault', () => {
  it.each([
    [401, undefined, 'UNAUTHORIZED', null],
    [429, undefined, 'RATE_LIMITED', '1'],
    [429, 'none', 'RATE_LIMITED', null],
    [429, 7, 'RATE_LIMITED', '7'],
    [500, undefined, 'INTERNAL_ERROR', null],
    [503, 2, 'INTERNAL_ERROR', '2'],
  ] as const)(
    'answers %d with Retry-After %s in the envelope, and has no effect',
    async (status, retry_after, code, header) => {
      await fail('createTeam', { kind: 'status', status, retry_after });
      const answer = await create();
      expect(answer.status).toBe(status);
      expect(answer.headers.get('retry-after')).toBe(header);
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f]{12}$/);
      expect(await answer.json()).toEqual({ success: false, error: expect.stringContaining('fault'), code });
      expect(await numberOfTeams()).toBe(0);
    },
  );

  it('answers with the requested code', async () => {
    await fail('listTeams', { kind: 'status', status: 409, code: 'BUSY' });
    expect(await api.send('GET', teams)).toMatchObject({ status: 409, body: { code: 'BUSY' } });
  });

  it('asks to wait until a date of the clock of the sandbox', async () => {
    const day = 86_400_000;
    sandbox.advance(day);
    await api.token();
    await fail('createTeam', { kind: 'status', status: 429, retry_after: 'date' });
    const { headers } = await create();
    const asked = Date.parse(headers.get('retry-after') ?? '') - Date.parse(headers.get('date') ?? '');
    expect(asked).toBeGreaterThanOrEqual(1000);
    expect(asked).toBeLessThan(day);
  });

  it('answers with bytes of any type, and has no effect', async () => {
    const bytes = Buffer.from('<h1>Bad gateway</h1>').toString('base64');
    await fail('createTeam', { kind: 'body', bytes, type: 'text/html', status: 200 });
    const answer = await create();
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html');
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f]{12}$/);
    expect(await answer.text()).toBe('<h1>Bad gateway</h1>');
    expect(await numberOfTeams()).toBe(0);
  });

  it.each([
    ['before', 0],
    ['after', 1],
  ] as const)('resets the connection %s the call takes effect', async (when, made) => {
    await fail('createTeam', { kind: 'reset', when });
    await expect(create()).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect(await numberOfTeams()).toBe(made);
  });

  it('sends the whole head and half of the response of a call that took effect', async () => {
    await fail('createTeam', { kind: 'truncate' });
    const answer = await create();
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f]{12}$/);
    let text = '';
    const read = async (): Promise<void> => {
      for await (const chunk of answer.body ?? []) text += Buffer.from(chunk).toString();
    };
    await expect(read()).rejects.toThrow();
    expect(text.length).toBeLessThanOrEqual(Number(answer.headers.get('content-length')) / 2);
    expect(await numberOfTeams()).toBe(1);
  });

  it('delays a request, which is then served', async () => {
    await add({ target: 'createTeam', delay: 30 });
    const begun = performance.now();
    expect((await create()).status).toBe(200);
    expect(performance.now() - begun).toBeGreaterThan(25);
    expect(await numberOfTeams()).toBe(1);
  });

  it('delays a request, which then fails', async () => {
    await add({ target: 'createTeam', delay: 5, effect: { kind: 'reset', when: 'after' } });
    await expect(create()).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect(await numberOfTeams()).toBe(1);
    expect(await callControl(sandbox.control, '/fault/list', {})).toMatchObject([
      { effect: 'delay 0.005s, reset after' },
    ]);
  });

  it('ends its delay when the caller disconnects, and serves nothing', async () => {
    const faults = new Faults();
    faults.add({ target: 'listTeams', delay: 3_600_000 });
    const layer = layerOf(faults);
    const caller = new AbortController();
    const request = exchange();
    const served = layer.pass(request, () => Promise.reject(new Error('was served')), {
      ended: () => caller.signal,
      keyId: async () => undefined,
    });
    caller.abort();
    await expect(served).rejects.toBeInstanceOf(CallerGone);
    expect(request.fault).toBe('1: delay 3600s');
  });
});

describe('an invalid fault is refused', () => {
  it.each([
    [{ target: 'listTeams', effect: { kind: 'status', status: 200 } }],
    [{ target: 'listTeams', effect: { kind: 'reset' } }],
    [{ target: 'listTeams', effect: { kind: 'body', bytes: '?', type: 'text/html', status: 200 } }],
    [{ target: 'listTeams', effect: { kind: 'body', bytes: '', type: 'a\r\nb: c', status: 200 } }],
    [{ target: 'listTeams', effect: { kind: 'truncate' }, rate: 1.5 }],
    [{ target: 'listTeams', effect: { kind: 'truncate' }, times: 0 }],
    [{ target: 'listTeams', delay: -1 }],
    [{ target: 'listTeams', delay: 1, other: 1 }],
  ])('%j', async (fault) => {
    const { url, token } = sandbox.control;
    const headers = { authorization: `Bearer ${token.reveal()}` };
    const answer = await fetch(`${url}/fault/add`, { method: 'POST', headers, body: JSON.stringify(fault) });
    expect(answer.status).toBe(400);
    expect(await callControl(sandbox.control, '/fault/list', {})).toEqual([]);
  });
});
