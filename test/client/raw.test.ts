import { describe, expect, it } from 'vitest';
import { isObject } from '../../src/lib/json-object.ts';
import type { FaultEffect } from '../../src/sandbox/faults/fault.ts';
import { answer, answerInTurn, answerText } from '../support/answer.ts';
import { openTestApi } from '../support/open-test-api.ts';
import { type Reaction, refusal, startScriptedServer, success } from '../support/scripted-server.ts';
import { failureOf } from './failure-of.ts';
import { type OpenedClient, useFaultySandbox } from './faulty-sandbox.ts';

// Scripted servers have calls, methods, headers and envelopes that the API, and so the sandbox, doesn't have.
const { sandbox, direct, open, fail } = useFaultySandbox();

const id = '11111111-1111-4111-8111-111111111111';
const unknown = '/api/openapi/v2/things';
const teams = '/api/openapi/v1/teams';
const broken: Reaction = refusal(500, 'INTERNAL_ERROR', 'oops');

describe('a raw call', () => {
  it('sends its input with the token, and returns the body unchanged', async () => {
    const server = await startScriptedServer();
    const bytes = Buffer.from([0, 255, 10, 13, 200]);
    server.on(`PUT ${unknown}`, (_request, response) => {
      response.writeHead(201, { 'content-type': 'application/octet-stream', 'x-mark': 'a' });
      response.end(bytes);
    });
    const { api } = openTestApi(server.url);
    const json = '{ "a" : 1.0 }';
    const answer = await api.request({ method: 'PUT', path: `${unknown}?a=%20b`, json });
    expect(Buffer.from(answer.bytes)).toEqual(bytes);
    expect(answer).toMatchObject({ status: 201, failure: undefined });
    expect(answer.headers).toContainEqual(['x-mark', 'a']);
    const [seen] = server.seenAt(`PUT ${unknown}`);
    expect(seen?.path).toBe(`${unknown}?a=%20b`);
    expect(seen?.body.toString()).toBe(json);
    expect(seen?.headers).toMatchObject({
      authorization: 'Bearer token-number-1',
      'content-type': 'application/json',
    });
  });

  it('exchanges no key for the endpoint that needs no token', async () => {
    const { api, seen } = await open();
    await api.request({ method: 'POST', path: '/api/openapi/auth/token', json: '{}' });
    expect((await seen()).map(({ operation, key_id }) => [operation, key_id])).toEqual([
      ['createToken', undefined],
    ]);
  });

  it('treats any 2xx as a success, unless the body reports a failure', async () => {
    const none = answerText(JSON.stringify({ success: false, error: 'no' }), { status: 200 });
    await answerInTurn(sandbox, 'listTeams', answerText('plain', { status: 202 }), none);
    const { api } = await open();
    expect((await api.request({ method: 'GET', path: teams })).failure).toBeUndefined();
    expect((await api.request({ method: 'GET', path: teams })).failure).toMatchObject({ kind: 'rejected' });
  });

  it.each([
    [400, 'BAD_REQUEST', 'rejected'],
    [403, 'FORBIDDEN', 'rejected'],
    [404, 'NOT_FOUND', 'notFound'],
    [401, 'UNAUTHORIZED', 'authentication'],
    [429, 'RATE_LIMITED', 'rateLimited'],
    [500, 'INTERNAL_ERROR', 'network'],
  ] as const)('returns the body of %i with the reason for the failure', async (status, code, kind) => {
    await fail('getTeam', { kind: 'status', status, code });
    const { api } = await open({ retries: 0 });
    const answer = await api.request({ method: 'GET', path: `${teams}/${id}` });
    const error = expect.stringContaining('This answer is a fault of the sandbox');
    expect(JSON.parse(Buffer.from(answer.bytes).toString())).toMatchObject({ code, error });
    expect(answer.failure).toMatchObject({ kind, code, status });
  });

  it('repeats an idempotent method', async () => {
    const server = await startScriptedServer();
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      server.on(`${method} ${unknown}`, broken, 'reset', success({}));
      const { api } = openTestApi(server.url);
      expect((await api.request({ method, path: unknown })).status).toBe(200);
      expect(server.seenAt(`${method} ${unknown}`)).toHaveLength(3);
    }
  });

  it('treats an undeclared POST as a create, whose outcome may be unknown', async () => {
    const server = await startScriptedServer();
    server.on(`POST ${unknown}`, 'reset', broken, refusal(429, 'X', ''), success({}));
    const { api } = openTestApi(server.url);
    const call = { method: 'POST', path: unknown };
    expect(await failureOf(api.request(call))).toMatchObject({ kind: 'outcomeUnknown' });
    expect((await api.request(call)).failure).toMatchObject({ kind: 'outcomeUnknown', status: 500 });
    expect((await api.request(call)).failure).toBeUndefined();
    expect(server.seenAt(`POST ${unknown}`)).toHaveLength(4);
  });

  it('repeats a POST that the contract allows to be repeated, and settles it by the status', async () => {
    const team = await direct.team('Aurora Coffee');
    const id = await direct.device(team, await direct.createBot(team, 'Front desk'), 'Reception');
    await fail('connectDevice', { kind: 'reset', when: 'after' }, { times: 1 });
    const { api, requests } = await open();
    const answer = await api.request({ method: 'POST', path: `/api/openapi/v1/devices/${id}/connect` });
    expect(answer).toMatchObject({ status: 400, failure: undefined, settled: true });
    expect(await requests('connectDevice')).toBe(2);
    expect(await requests('getDeviceStatus')).toBe(1);
  });

  it('succeeds if a delete whose response was lost then finds nothing, and only then', async () => {
    const id = await direct.createBot(await direct.team('Aurora Coffee'), 'Front desk');
    await fail('deleteBot', { kind: 'reset', when: 'after' }, { times: 1 });
    const { api } = await open();
    const call = { method: 'DELETE', path: `/api/openapi/v1/bots/${id}` };
    expect(await api.request(call)).toMatchObject({ status: 404, failure: undefined, settled: true });
    expect(await api.request(call)).toMatchObject({ failure: { kind: 'notFound' }, settled: false });
  });

  it('replaces a refused token once', async () => {
    await fail('listTeams', { kind: 'status', status: 401 }, { after: 1, times: 1 });
    const { api, requests } = await open();
    await api.request({ method: 'GET', path: teams });
    expect(await requests('createToken')).toBe(1);
    expect(await api.request({ method: 'GET', path: teams })).toMatchObject({
      status: 200,
      failure: undefined,
    });
    expect(await requests('createToken')).toBe(2);
    expect(await requests('listTeams')).toBe(3);
  });

  it('masks secrets in headers, and registers the secrets of the body', async () => {
    const server = await startScriptedServer();
    server.on(`GET ${unknown}`, {
      ...success({ key_secret: 'a-secret-of-the-body' }),
      headers: { 'set-cookie': 'session=1234567890', 'x-token': 'token-number-1' },
    });
    const { api, debug } = openTestApi(server.url);
    const { headers } = await api.request({ method: 'GET', path: unknown });
    const text = JSON.stringify(headers) + debug.join();
    for (const secret of ['1234567890', 'token-number-1', 'a-secret-of-the-body']) {
      expect(text).not.toContain(secret);
    }
  });
});

/** Reads all rows of a list. */
async function rowsOf({ api }: Pick<OpenedClient, 'api'>, path: string): Promise<unknown[]> {
  const rows: unknown[] = [];
  for await (const row of api.rows(path)) rows.push(row);
  return rows;
}

describe('the rows of a raw list', () => {
  const pages = (envelope: (rows: unknown[], paging: Record<string, unknown>) => object): Reaction => {
    return ({ path }) => {
      const query = new URL(path, 'http://x').searchParams;
      const page = Number(query.get('page') ?? 1);
      const limit = Number(query.get('limit') ?? 2);
      const rows = [1, 2, 3, 4, 5].slice((page - 1) * limit, page * limit).map((n) => ({ n }));
      return { body: envelope(rows, { page, limit, total: 5, totalPages: Math.ceil(5 / limit) }) };
    };
  };
  const all = async (baseUrl: string, path: string, queryNames = {}): Promise<unknown[]> => {
    const { api } = openTestApi(baseUrl, { queryNames });
    return rowsOf({ api }, path);
  };

  it.each([
    ['beside the data', teams, 'listTeams'],
    ['inside the data', '/api/openapi/v1/bots', 'listBots'],
  ] as const)('are read from every page, with the paging %s', async (_, path, name) => {
    sandbox.behave({ ignore_filters: true });
    const made: string[] = [];
    for (const at of [1, 2, 3, 4, 5]) {
      const team = await direct.team(`Team ${at}`);
      made.push(name === 'listTeams' ? team : await direct.createBot(team, 'Desk'));
    }
    const client = await open();
    const rows = await rowsOf(client, `${path}?limit=2&q=a%26b`);
    const ids = rows.map((row) => (isObject(row) ? row.id : undefined));
    expect(ids.toSorted()).toEqual(made.toSorted());
    const asked = (await client.seen(name)).map((request) => request.path);
    expect(asked[0]).toBe(`${path}?limit=2&q=a%26b`);
    expect(asked.slice(1)).toEqual([2, 3].map((page) => `${path}?limit=2&q=a%26b&page=${page}`));
  });

  it('start at the requested page', async () => {
    const server = await startScriptedServer();
    server.on(
      `GET ${unknown}`,
      pages((rows, { totalPages: _, ...meta }) => ({ data: rows, meta })),
    );
    expect(await all(server.url, `${unknown}?page=2&limit=2`)).toEqual([{ n: 3 }, { n: 4 }, { n: 5 }]);
  });

  it('are requested in long pages if the contract allows it, with the names of the service', async () => {
    const server = await startScriptedServer();
    const far = '/gateway/api/openapi/v1/teams';
    server.on(`GET ${far}`, success([{ id }], { page: 1, limit: 100, total: 1, totalPages: 1 }));
    server.on('POST /gateway/api/openapi/auth/token', success({ access_token: 'token-number-9' }));
    expect(await all(`${server.url}/gateway`, far, { limit: 'size' })).toEqual([{ id }]);
    expect(server.seenAt(`GET ${far}`).map(({ path }) => path)).toEqual([`${far}?size=100`]);
  });

  it('of a bare array are complete', async () => {
    await fail('listTeams', answerText('[1,null,"a"]'));
    expect(await rowsOf(await open(), teams)).toEqual([1, null, 'a']);
  });

  it.each<[string, readonly FaultEffect[]]>([
    ['the same page again', [answer([{ n: 1 }], { total: 5 })]],
    ['the number of another page', [1, 2].map((n) => answer([{ n }], { page: 1, totalPages: 9 }))],
  ])('end with an error if the service answers %s', async (_, pages) => {
    await answerInTurn(sandbox, 'listTeams', ...pages);
    const client = await open();
    const failed = await failureOf(rowsOf(client, teams));
    expect(failed).toMatchObject({ kind: 'network', message: expect.stringContaining('ignores paging') });
    expect(await client.requests('listTeams')).toBe(2);
  });

  it('do not exist if the response is no list, or a refusal', async () => {
    await answerInTurn(sandbox, 'listTeams', answer({ id }), { kind: 'status', status: 403 });
    const client = await open();
    expect(await failureOf(rowsOf(client, teams))).toMatchObject({ kind: 'usage' });
    expect(await failureOf(rowsOf(client, teams))).toMatchObject({ kind: 'rejected', code: 'FORBIDDEN' });
  });
});
