import { describe, expect, it } from 'vitest';
import { retryAfter, withRetries } from '../../src/client/retry.ts';
import type { EndpointName } from '../../src/contract/endpoints.ts';
import type { FaultEffect, RetryAfter } from '../../src/sandbox/faults/fault.ts';
import { answerText } from '../support/answer.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { openTestApi, type TestOptions } from '../support/open-test-api.ts';
import { failureOf } from './failure-of.ts';
import { broken, now, useFaultySandbox } from './faulty-sandbox.ts';

const { sandbox, direct, open, fail } = useFaultySandbox();

const newTeam = {
  body: {
    user: { name: 'Ana', email: 'ana@cafe.example', phone: '+5511999990000' },
    team: { name: "Ana's Café", plan_name: 'pro' },
  },
};

const message = { device_id: '11111111-1111-4111-8111-111111111111', message: 'hi' };

const busy = (retry_after: RetryAfter = 'none'): FaultEffect => ({
  kind: 'status',
  status: 429,
  retry_after,
});
const page = (status: number): FaultEffect => answerText('<h1>Sorry</h1>', { status });

/** Creates a device that was never connected, and its bot. */
async function newDevice(): Promise<{ bot: string; device: string }> {
  const team = await direct.team('Aurora Coffee');
  const bot = await direct.createBot(team, 'Front desk');
  return { bot, device: await direct.device(team, bot, 'Reception') };
}

/** Opens the client on an endpoint that never answers. undici's timers are late by up to a second. */
async function unanswered(name: EndpointName, options: TestOptions = {}) {
  await fail(name, undefined, { delay: 3_600_000 });
  return await open({ requestTimeout: 1000, ...options });
}

const sum = (waits: readonly number[]): number => waits.reduce((all, wait) => all + wait, 0);

/** Every kind of transient fault, with a description, except delays. */
const passing: readonly (readonly [string, FaultEffect])[] = [
  ['500', broken],
  ['502 with a page', page(502)],
  ['429', busy()],
  ['a reset before it took effect', { kind: 'reset', when: 'before' }],
  ['a reset after it took effect', { kind: 'reset', when: 'after' }],
  ['half an answer', { kind: 'truncate' }],
];

describe('a read', () => {
  it.each(passing)('is repeated after %s', async (_, effect) => {
    const { api, clock, requests } = await open();
    await fail('listTeams', effect, { times: 2 });
    expect((await api.call('listTeams')).data).toEqual([]);
    expect(await requests('listTeams')).toBe(3);
    expect(clock.waits).toEqual([500, 1000]);
  });

  it('is repeated after a timeout', async () => {
    const { api, clock, requests } = await unanswered('listTeams', { retries: 1 });
    const failed = await failureOf(api.call('listTeams'));
    expect(failed).toMatchObject({ kind: 'network', exitCode: 8 });
    expect(failed.message).toBe(`No complete answer from ${sandbox.baseUrl} within 1 s.`);
    expect(String(failed.hint)).toContain('--request-timeout');
    expect(clock.waits).toEqual([500]);
    expect(await requests('listTeams')).toBe(2);
  });

  it('is not repeated after a web page, which comes from another server', async () => {
    const { api, requests } = await open();
    await fail('listTeams', page(200));
    expect(await failureOf(api.call('listTeams'))).toMatchObject({ kind: 'network', exitCode: 8 });
    expect(await requests('listTeams')).toBe(1);
  });

  it('doubles the wait each time, up to 20 s, and two minutes in all', async () => {
    const { api, debug } = await open({ retries: 20 });
    await fail('listTeams', broken);
    await failureOf(api.call('listTeams'));
    const waits = debug.flatMap((line) => /^waiting (\S+) s before attempt/.exec(line)?.[1] ?? []);
    const longest = [20, 20, 20, 20];
    expect(waits.map(Number)).toEqual([0.5, 1, 2, 4, 8, 16, ...longest]);
  });

  it.each([
    [0, [0, 0, 0]],
    [0.25, [125, 250, 500]],
    [0.5, [250, 500, 1000]],
  ])('waits for a random part of that (%d)', async (random, expected) => {
    const { api, clock } = await open({ clock: new FakeClock({ random }) });
    await fail('listTeams', broken);
    await failureOf(api.call('listTeams'));
    expect(clock.waits).toEqual(expected);
  });

  it('gives up after the requested retries', async () => {
    const { api, requests } = await open({ retries: 2 });
    await fail('listTeams', broken);
    const failed = await failureOf(api.call('listTeams'));
    expect(failed).toMatchObject({ kind: 'network', status: 500 });
    expect(failed.message).toContain('is a fault of the sandbox');
    expect(await requests('listTeams')).toBe(3);
  });

  it.each(['BAD_REQUEST', 'FORBIDDEN', 'NOT_FOUND'])('is not repeated after %s', async (code) => {
    const { api, requests } = await open();
    await fail('listTeams', { kind: 'status', status: 400, code });
    await failureOf(api.call('listTeams'));
    expect(await requests('listTeams')).toBe(1);
  });

  it('waits for the seconds of Retry-After, and reports a wait of a second or more', async () => {
    const { api, clock, waits } = await open();
    await fail('listTeams', busy(7), { times: 1 });
    await api.call('listTeams');
    expect(sum(clock.waits)).toBe(7500);
    expect(clock.waits[0]).toBe(1000);
    expect(waits).toEqual([
      'The service asks for fewer requests (429); trying again in 6.5 s (attempt 2 of 4).',
    ]);
  });

  it('never reports a retry in 0 s', async () => {
    const { api, waits } = await open();
    await fail('listTeams', busy(1), { times: 1 });
    await api.call('listTeams');
    expect(waits).toEqual(['The service asks for fewer requests (429); trying again now (attempt 2 of 4).']);
  });

  it.each([429, 503])('waits until the date of Retry-After (%d)', async (status) => {
    const { api, clock } = await open();
    await fail('listTeams', { kind: 'status', status, retry_after: 'date' }, { times: 1 });
    await api.call('listTeams');
    expect(sum(clock.waits)).toBe(1500);
  });

  it('gives up at once if Retry-After exceeds the budget', async () => {
    const { api, clock } = await open();
    await fail('listTeams', busy(3600), { times: 1 });
    const failed = await failureOf(api.call('listTeams'));
    expect(failed).toMatchObject({ kind: 'rateLimited', exitCode: 7 });
    expect(String(failed.hint)).toContain('3600');
    expect(clock.waits).toEqual([]);
  });
});

describe('the key exchange', () => {
  it.each(passing)('is repeated after %s, also for a create', async (_, effect) => {
    const { api, requests } = await open();
    await fail('createToken', effect, { times: 1 });
    expect((await api.call('createTeam', newTeam)).data.team).toMatchObject({ name: "Ana's Café" });
    expect(await requests('createToken')).toBe(2);
    expect(await requests('createTeam')).toBe(1);
  });

  it('waits as long as Retry-After says', async () => {
    const { api, clock } = await open();
    await fail('createToken', busy(2), { times: 1 });
    await api.call('listTeams');
    expect(sum(clock.waits)).toBe(2500);
  });

  it('is repeated after a timeout', async () => {
    const { api, requests } = await unanswered('createToken', { retries: 1 });
    const failed = await failureOf(api.call('createTeam', newTeam));
    expect(failed).toMatchObject({ kind: 'network', exitCode: 8 });
    expect([await requests('createToken'), await requests('createTeam')]).toEqual([2, 0]);
  });
});

describe('an update, a delete, a connect or a disconnect', () => {
  it.each(passing)('is repeated, an update after %s', async (_, effect) => {
    const { bot: id } = await newDevice();
    const { api, requests } = await open();
    await fail('updateBot', effect, { times: 1 });
    const { data } = await api.call('updateBot', { path: { id }, body: { name: 'Night desk' } });
    expect(data).toMatchObject({ name: 'Night desk' });
    expect(await requests('updateBot')).toBe(2);
  });

  it('is repeated, an update after a timeout', async () => {
    const { api, requests } = await unanswered('updateBot', { retries: 1 });
    const path = { id: '11111111-1111-4111-8111-111111111111' };
    const failed = await failureOf(api.call('updateBot', { path, body: { name: 'Night desk' } }));
    expect(failed).toMatchObject({ kind: 'network', exitCode: 8 });
    expect(await requests('updateBot')).toBe(2);
  });

  it.each(['deleteBot', 'connectDevice', 'disconnectDevice'] as const)(
    'is repeated, %s after 500',
    async (name) => {
      await fail(name, broken);
      const { api, requests } = await open();
      const path = { id: '11111111-1111-4111-8111-111111111111' };
      expect(await failureOf(api.call(name, { path }))).toMatchObject({ kind: 'network', status: 500 });
      expect(await requests(name)).toBe(4);
    },
  );

  it('treats a 404 on a repeated DELETE as success', async () => {
    const id = await direct.createBot(await direct.team('Aurora Coffee'), 'Front desk');
    const { api, requests } = await open();
    await fail('deleteBot', { kind: 'reset', when: 'after' }, { times: 1 });
    expect((await api.call('deleteBot', { path: { id } })).data).toEqual({});
    expect(await requests('deleteBot')).toBe(2);
    expect(await direct.bots()).toEqual([]);
  });

  it('treats a 404 on a DELETE as such if no attempt before may have worked', async () => {
    const { api } = await open();
    await fail('deleteBot', busy(), { times: 1 });
    const path = { id: '11111111-1111-4111-8111-111111111111' };
    expect((await failureOf(api.call('deleteBot', { path }))).kind).toBe('notFound');
  });

  it.each([
    ['connectDevice', 'started'],
    ['disconnectDevice', 'stopped'],
  ] as const)('settles BAD_REQUEST after a repeated %s by the status', async (name, reached) => {
    const { device: id } = await newDevice();
    if (name === 'disconnectDevice') await direct.call('POST', `/devices/${id}/connect`);
    const { api, requests } = await open();
    await fail(name, { kind: 'reset', when: 'after' }, { times: 1 });
    const { data } = await api.call(name, { path: { id } });
    expect(data).toMatchObject({ device_id: id, status: reached });
    expect(await requests(name)).toBe(2);
    expect(await requests('getDeviceStatus')).toBe(1);
  });

  it('keeps BAD_REQUEST after a repeated connect whose device is not started', async () => {
    const { device: id } = await newDevice();
    const { api } = await open();
    await fail('connectDevice', { kind: 'reset', when: 'before' }, { times: 1 });
    await fail('connectDevice', { kind: 'status', status: 400 }, { times: 1 });
    const failed = await failureOf(api.call('connectDevice', { path: { id } }));
    expect(failed).toMatchObject({ kind: 'rejected', status: 400 });
  });
});

it('an aborted call reports the abort, even if the status after a refusal could not be read', async () => {
  const abort = new AbortController();
  const ended = new Error('ended');
  const answer = withRetries(
    {
      repeatable: true,
      attempt: () => Promise.reject(new Error('refused')),
      async settle() {
        abort.abort(ended);
        throw new Error('the look failed');
      },
    },
    {
      retries: 1,
      host: 'service.test',
      clock: new FakeClock(),
      signal: abort.signal,
      onWait: () => undefined,
    },
  );
  await expect(answer).rejects.toBe(ended);
});

describe('a create or send', () => {
  it.each<RetryAfter>([2, 'date', 'none'])('is repeated after 429 (Retry-After: %s)', async (asked) => {
    const { api, requests } = await open();
    await fail('createTeam', busy(asked), { times: 1 });
    expect((await api.call('createTeam', newTeam)).data.team).toMatchObject({ name: "Ana's Café" });
    expect(await requests('createTeam')).toBe(2);
  });

  it.each<[string, FaultEffect, number]>([
    ['a reset before it took effect', { kind: 'reset', when: 'before' }, 0],
    ['a reset after it took effect', { kind: 'reset', when: 'after' }, 1],
    ['half an answer', { kind: 'truncate' }, 1],
    ['500', broken, 0],
    ['504 from a gateway', page(504), 0],
    ['a page instead of an answer', page(200), 0],
  ])('is unknown after %s, and sent once', async (_, effect, made) => {
    const { api, requests } = await open();
    await fail('createTeam', effect, { times: 1 });
    const failed = await failureOf(api.call('createTeam', newTeam));
    expect(failed).toMatchObject({ kind: 'outcomeUnknown', exitCode: 12 });
    expect(String(failed.hint)).toBe(`Check before you try again: botctl teams list --name "Ana's Café"`);
    expect(await requests('createTeam')).toBe(1);
    expect((await api.call('listTeams')).data).toHaveLength(made);
  });

  it('is unknown after a timeout, and sent once', async () => {
    const { api, requests } = await unanswered('createTeam');
    const failed = await failureOf(api.call('createTeam', newTeam));
    expect(failed.kind).toBe('outcomeUnknown');
    expect(await requests('createTeam')).toBe(1);
  });

  it('is repeated, a send after 429', async () => {
    const { api, requests } = await open();
    await fail('sendMessage', busy(), { times: 1 });
    await failureOf(api.call('sendMessage', { body: message }));
    expect(await requests('sendMessage')).toBe(2);
  });

  const unclear = passing.filter(([words]) => words !== '429');
  it.each(unclear)('warns, a send after %s, that the message may arrive twice', async (_, effect) => {
    const { api, requests } = await open();
    await fail('sendMessage', effect);
    const failed = await failureOf(api.call('sendMessage', { body: message }));
    expect(failed.message).toMatch(/^It is not known whether the message was sent/);
    expect(String(failed.hint)).toContain('twice');
    expect(await requests('sendMessage')).toBe(1);
  });

  it('is repeated if the request never left, and reports that in the end', async () => {
    const url = 'http://127.0.0.1:1';
    const { api: before, cache } = await open();
    await before.accessToken();
    const { api, clock } = openTestApi(url, { tokens: cache });
    const failed = await failureOf(api.call('createTeam', newTeam));
    expect(failed.kind).toBe('network');
    expect(failed.message).toBe(`Nothing answers at ${url}: connection refused.`);
    expect(String(failed.hint)).toContain('botctl sandbox start');
    expect(clock.waits).toHaveLength(4);
  });
});

describe('retryAfter', () => {
  it.each([
    ['120', 120_000],
    [' 0 ', 0],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['soon', undefined],
    ['-5', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('parses %j', (header, expected) => {
    expect(retryAfter(header, now)).toBe(expected);
  });
});

describe('a limit of requests per second', () => {
  it('spaces requests evenly', async () => {
    const { api, clock } = await open({ maxRps: 4 });
    await api.call('listTeams');
    await api.call('listTeams');
    await api.call('listTeams');
    // The token request is the first of the evenly spaced requests.
    expect(clock.waits).toEqual([250, 250, 250]);
  });
});
