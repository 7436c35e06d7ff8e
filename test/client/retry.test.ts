import { describe, expect, it } from 'vitest';
import { retryAfter } from '../../src/client/retry.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { openTestApi } from '../support/open-test-api.ts';
import { type Reaction, refusal, startScriptedServer, success } from '../support/scripted-server.ts';
import { failureOf } from './failure-of.ts';

const id = '11111111-1111-4111-8111-111111111111';
const teams = '/api/openapi/v1/teams';
const bot = `/api/openapi/v1/bots/${id}`;
const token = '/api/openapi/auth/token';
const busy: Reaction = refusal(429, 'RATE_LIMITED', 'slow down');
const broken: Reaction = refusal(500, 'INTERNAL_ERROR', 'oops');
const newTeam = { body: { user: { name: 'Ana' }, team: { name: "Ana's Café" } } };

describe('a call that may be repeated', () => {
  it.each<[string, Reaction]>([
    ['500', broken],
    ['502 without a body', { status: 502 }],
    ['429', busy],
    ['a reset', 'reset'],
    ['half an answer', 'half'],
  ])('is repeated after %s', async (_, first) => {
    const server = await startScriptedServer();
    server.on(`GET ${teams}`, first, first, success([]));
    const { api, clock } = openTestApi(server.url);
    expect((await api.call('listTeams')).data).toEqual([]);
    expect(server.seenAt(`GET ${teams}`)).toHaveLength(3);
    expect(clock.waits).toEqual([500, 1000]);
  });

  it('waits twice as long each time, up to 20 s, and for two minutes in all', async () => {
    const server = await startScriptedServer();
    const { api, clock } = openTestApi(server.url, { retries: 20 });
    const attempts: number[] = [];
    server.on(`GET ${teams}`, () => {
      attempts.push(clock.now());
      return broken;
    });
    await failureOf(api.call('listTeams'));
    const waits = attempts.slice(1).map((at, index) => at - (attempts[index] ?? 0));
    const longest = [20_000, 20_000, 20_000, 20_000];
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, ...longest]);
  });

  it.each([
    [0, [0, 0, 0]],
    [0.25, [125, 250, 500]],
    [0.5, [250, 500, 1000]],
  ])('waits any part of that, as chance will have it (%d)', async (random, expected) => {
    const server = await startScriptedServer();
    server.on(`GET ${teams}`, broken);
    const { api, clock } = openTestApi(server.url, { clock: new FakeClock({ random }) });
    await failureOf(api.call('listTeams'));
    expect(clock.waits).toEqual(expected);
  });

  it('is given up after the retries that were asked for', async () => {
    const server = await startScriptedServer();
    server.on(`GET ${teams}`, broken);
    const { api } = openTestApi(server.url, { retries: 2 });
    const failed = await failureOf(api.call('listTeams'));
    expect(failed).toMatchObject({ kind: 'network', status: 500 });
    expect(failed.message).toContain('oops');
    expect(server.seenAt(`GET ${teams}`)).toHaveLength(3);
  });

  it.each(['BAD_REQUEST', 'FORBIDDEN', 'NOT_FOUND'])('is not repeated after %s', async (code) => {
    const server = await startScriptedServer();
    server.on(`GET ${teams}`, refusal(400, code, 'no'), success([]));
    const { api } = openTestApi(server.url);
    await failureOf(api.call('listTeams'));
    expect(server.seenAt(`GET ${teams}`)).toHaveLength(1);
  });

  it('waits as long as Retry-After says in seconds, and says so after one', async () => {
    const server = await startScriptedServer();
    server.on(`GET ${teams}`, { ...refusal(429, 'X', ''), headers: { 'retry-after': '7' } }, success([]));
    const { api, clock, waits } = openTestApi(server.url);
    await api.call('listTeams');
    expect(clock.waits.reduce((sum, wait) => sum + wait, 0)).toBe(7500);
    expect(clock.waits[0]).toBe(1000);
    expect(waits).toEqual([
      'The service asks for fewer requests (429); trying again in 6.5 s (attempt 2 of 4).',
    ]);
  });

  it('never says that it tries again in no time', async () => {
    const server = await startScriptedServer();
    server.on(`GET ${teams}`, { ...refusal(429, 'X', ''), headers: { 'retry-after': '1' } }, success([]));
    const { api, waits } = openTestApi(server.url);
    await api.call('listTeams');
    expect(waits).toEqual(['The service asks for fewer requests (429); trying again now (attempt 2 of 4).']);
  });

  it('waits as long as Retry-After says as a date', async () => {
    const server = await startScriptedServer();
    const { api, clock } = openTestApi(server.url);
    const date = new Date(clock.now() + 30_000).toUTCString();
    server.on(`GET ${teams}`, { ...refusal(503, 'X', ''), headers: { 'retry-after': date } }, success([]));
    await api.call('listTeams');
    expect(clock.waits.reduce((sum, wait) => sum + wait, 0)).toBe(30_500);
  });

  it('gives up at once where Retry-After asks for more than the budget', async () => {
    const server = await startScriptedServer();
    server.on(`GET ${teams}`, { ...refusal(429, 'X', ''), headers: { 'retry-after': '3600' } }, success([]));
    const { api, clock } = openTestApi(server.url);
    const failed = await failureOf(api.call('listTeams'));
    expect(failed).toMatchObject({ kind: 'rateLimited', exitCode: 7 });
    expect(String(failed.hint)).toContain('3600');
    expect(clock.waits).toEqual([]);
  });

  it('honours Retry-After on the token call too', async () => {
    const server = await startScriptedServer();
    const granted = success({ access_token: 'granted-token', expires_in: 60 });
    server.on(`POST ${token}`, { ...refusal(429, 'X', ''), headers: { 'retry-after': '2' } }, granted);
    server.on(`GET ${teams}`, success([]));
    const { api, clock } = openTestApi(server.url);
    await api.call('listTeams');
    expect(clock.waits.reduce((sum, wait) => sum + wait, 0)).toBe(2500);
  });

  it('takes a 404 on a repeated DELETE for success', async () => {
    const server = await startScriptedServer();
    server.on(`DELETE ${bot}`, 'reset', refusal(404, 'NOT_FOUND', 'gone'));
    const { api } = openTestApi(server.url);
    expect((await api.call('deleteBot', { path: { id } })).data).toEqual({});
  });

  it('takes a 404 on a DELETE for what it is where no attempt before may have worked', async () => {
    const server = await startScriptedServer();
    server.on(`DELETE ${bot}`, busy, refusal(404, 'NOT_FOUND', 'gone'));
    const { api } = openTestApi(server.url);
    expect((await failureOf(api.call('deleteBot', { path: { id } }))).kind).toBe('notFound');
  });

  it.each([
    ['connectDevice', 'connect', 'started'],
    ['disconnectDevice', 'disconnect', 'stopped'],
  ] as const)('settles BAD_REQUEST after a repeated %s by the status', async (name, verb, reached) => {
    const server = await startScriptedServer();
    const device = `/api/openapi/v1/devices/${id}`;
    server.on(`POST ${device}/${verb}`, 'reset', refusal(400, 'BAD_REQUEST', `already ${reached}`));
    server.on(`GET ${device}/status`, success({ device_id: id, status: reached, message: 'as you wish' }));
    const { api } = openTestApi(server.url);
    const { data } = await api.call(name, { path: { id } });
    expect(data).toEqual({ device_id: id, status: reached, message: 'as you wish' });
  });

  it('keeps BAD_REQUEST after a repeated connect whose device is not started', async () => {
    const server = await startScriptedServer();
    const device = `/api/openapi/v1/devices/${id}`;
    server.on(`POST ${device}/connect`, 'reset', refusal(400, 'BAD_REQUEST', 'blocked'));
    server.on(`GET ${device}/status`, success({ device_id: id, status: 'stopped' }));
    const { api } = openTestApi(server.url);
    expect((await failureOf(api.call('connectDevice', { path: { id } }))).message).toContain('blocked');
  });
});

describe('a create or send', () => {
  it('is repeated after 429', async () => {
    const server = await startScriptedServer();
    server.on(`POST ${teams}`, busy, success({ team: { id }, user: { id } }));
    const { api } = openTestApi(server.url);
    expect((await api.call('createTeam', newTeam)).data.team).toEqual({ id });
  });

  it.each<[string, Reaction]>([
    ['a reset', 'reset'],
    ['half an answer', 'half'],
    ['500', broken],
    ['504 from a gateway', { status: 504, body: '<h1>timeout</h1>' }],
    ['a page instead of an answer', { status: 200, body: '<h1>hello</h1>' }],
  ])('is unknown after %s, and sent once', async (_, reaction) => {
    const server = await startScriptedServer();
    server.on(`POST ${teams}`, reaction, success({ team: { id }, user: { id } }));
    const { api } = openTestApi(server.url);
    const failed = await failureOf(api.call('createTeam', newTeam));
    expect(failed).toMatchObject({ kind: 'outcomeUnknown', exitCode: 12 });
    expect(String(failed.hint)).toBe(
      `Look for it before you try again: botctl teams list --name "Ana's Café"`,
    );
    expect(server.seenAt(`POST ${teams}`)).toHaveLength(1);
  });

  it('warns that a message may arrive twice', async () => {
    const server = await startScriptedServer();
    server.on('POST /api/openapi/v1/send', 'reset');
    const { api } = openTestApi(server.url);
    const failed = await failureOf(api.call('sendMessage', { body: { device_id: id, message: 'hi' } }));
    expect(failed.message).toMatch(/^It is not known whether the message was sent/);
    expect(String(failed.hint)).toContain('twice');
  });

  it('is repeated where the request never left, and says so in the end', async () => {
    const server = await startScriptedServer();
    const { api, clock, cache } = openTestApi(server.url);
    await api.accessToken();
    await api.close();
    await server.close();
    const again = openTestApi(server.url, { clock, tokens: cache });
    const failed = await failureOf(again.api.call('createTeam', newTeam));
    expect(failed.kind).toBe('network');
    expect(failed.message).toBe(`Nothing answers at ${server.url}: connection refused.`);
    expect(String(failed.hint)).toContain('botctl sandbox start');
    expect(clock.waits).toHaveLength(4);
  });
});

describe('retryAfter', () => {
  const now = Date.UTC(2026, 0, 1);

  it.each([
    ['120', 120_000],
    [' 0 ', 0],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['soon', undefined],
    ['-5', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('reads %j', (header, expected) => {
    expect(retryAfter(header, now)).toBe(expected);
  });
});

describe('a limit of requests per second', () => {
  it('spaces requests evenly', async () => {
    const server = await startScriptedServer();
    server.on(`GET ${teams}`, success([]));
    const { api, clock } = openTestApi(server.url, { maxRps: 4 });
    await api.call('listTeams');
    await api.call('listTeams');
    await api.call('listTeams');
    // The token call takes the first turn.
    expect(clock.waits).toEqual([250, 250, 250]);
  });
});
