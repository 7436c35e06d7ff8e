import { describe, expect, it } from 'vitest';
import { openTestApi } from '../support/open-test-api.ts';
import { refusal, startScriptedServer, success } from '../support/scripted-server.ts';
import { failureOf } from './failure-of.ts';

// Scripted servers keep a request as it was sent, and answer with any status, code and envelope.

const id = '11111111-1111-4111-8111-111111111111';
const other = '22222222-2222-4222-8222-222222222222';
const letters = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const teams = '/api/openapi/v1/teams';
const bots = '/api/openapi/v1/bots';

describe('a call', () => {
  it('sends method, path, query and token, and gives data and meta', async () => {
    const server = await startScriptedServer();
    server.on(
      `GET ${teams}`,
      success([{ id, name: 'Acme' }], { page: 1, limit: 20, total: 1, totalPages: 1 }),
    );
    const { api } = openTestApi(server.url);
    const { data, meta } = await api.call('listTeams', {
      query: { name: 'Ac & co', paying: false, page: 1 },
    });
    expect(data).toEqual([{ id, name: 'Acme' }]);
    expect(meta?.total).toBe(1);
    const [seen] = server.seenAt(`GET ${teams}`);
    expect(seen?.path).toBe(`${teams}?name=Ac%20%26%20co&paying=false&page=1`);
    expect(seen?.headers.authorization).toBe('Bearer token-number-1');
    expect(seen?.headers['content-type']).toBeUndefined();
  });

  it('sends a body as JSON, and none where the endpoint has none', async () => {
    const server = await startScriptedServer();
    server.on(`POST ${bots}`, success({ id }));
    server.on(`POST /api/openapi/v1/devices/${id}/connect`, success({ device_id: id, status: 'started' }));
    const { api } = openTestApi(server.url);
    await api.call('createBot', { body: { team_id: id, name: 'Ana ☕', temperature: 0 } });
    await api.call('connectDevice', { path: { id } });
    const [create] = server.seenAt(`POST ${bots}`);
    expect(create?.headers['content-type']).toBe('application/json');
    expect(JSON.parse(String(create?.body))).toEqual({ team_id: id, name: 'Ana ☕', temperature: 0 });
    const [connect] = server.seenAt(`POST /api/openapi/v1/devices/${id}/connect`);
    expect(connect?.body.length).toBe(0);
    expect(connect?.headers['content-type']).toBeUndefined();
  });

  it('keeps a path prefix of the base address, and percent-encodes parameters', async () => {
    const server = await startScriptedServer();
    server.on(
      'POST /gateway/v9/api/openapi/auth/token',
      success({ access_token: 'prefix-token', expires_in: 60 }),
    );
    server.on('GET /gateway/v9/api/openapi/v1/api-keys/a%2Fb%20c', success({ key_id: 'a/b c' }));
    const { api } = openTestApi(`${server.url}/gateway/v9`);
    expect((await api.call('getKey', { path: { keyId: 'a/b c' } })).data.key_id).toBe('a/b c');
  });

  it.each(['', '.', '..'])('calls nothing for the id %j, which would be another path', async (keyId) => {
    const server = await startScriptedServer();
    const { api } = openTestApi(server.url);
    await expect(api.call('deleteKey', { path: { keyId } })).rejects.toMatchObject({
      kind: 'invalidInput',
      message: `"${keyId}" is no id: it would call another path. This call was not made.`,
    });
    expect(server.seen).toEqual([]);
  });

  it('sends a half of a character in a query as what stands for none', async () => {
    const server = await startScriptedServer();
    server.on(`GET ${teams}`, success([]));
    await openTestApi(server.url).api.call('listTeams', { query: { name: 'x\ud800y' } });
    expect(server.seenAt(`GET ${teams}`)[0]?.path).toBe(`${teams}?name=x%EF%BF%BDy`);
  });

  it('renames query members as the profile says', async () => {
    const server = await startScriptedServer();
    server.on(`GET ${teams}`, success([]));
    const { api } = openTestApi(server.url, { queryNames: { limit: 'per_page', name: 'q' } });
    await api.call('listTeams', { query: { name: 'x', limit: 5 } });
    expect(server.seenAt(`GET ${teams}`)[0]?.path).toBe(`${teams}?q=x&per_page=5`);
  });

  it('keeps members it does not know, and takes any scalar for those it does', async () => {
    const server = await startScriptedServer();
    const odd = {
      id,
      name: null,
      published: 'yes',
      role: 'astronaut',
      provider: { deep: [1] },
      questions: 'none',
    };
    server.on(`GET ${bots}/${id}`, { body: { data: odd, extra: true } });
    const { api } = openTestApi(server.url);
    expect((await api.call('getBot', { path: { id } })).data).toEqual(odd);
  });

  it('fails where the data of a read is not a resource', async () => {
    const server = await startScriptedServer();
    server.on(`GET ${teams}/${id}`, success({ name: 'no id' }));
    const { api } = openTestApi(server.url);
    const failed = await failureOf(api.call('getTeam', { path: { id } }));
    expect(failed.kind).toBe('network');
    expect(failed.message).toContain('id is missing');
  });

  it.each([
    ['getBot', `GET ${bots}/${id}`, { id: other }],
    ['updateTeam', `PATCH ${teams}/${id}`, { team: { id: other }, changes: [] }],
    ['getDeviceStatus', `GET /api/openapi/v1/devices/${id}/status`, { device_id: other }],
    ['connectDevice', `POST /api/openapi/v1/devices/${id}/connect`, { device_id: other }],
  ] as const)(
    'fails where the answer of %s is about another thing than was asked for',
    async (name, route, data) => {
      const server = await startScriptedServer();
      server.on(route, success(data));
      const { api } = openTestApi(server.url);
      const failed = await failureOf(
        name === 'updateTeam'
          ? api.call(name, { path: { id }, body: { banned: true } })
          : api.call(name, { path: { id } }),
      );
      expect(failed.kind).toBe('network');
      expect(failed.message).toContain(`it is about ${other}`);
    },
  );

  it('leaves what a name of a key stands for to who asks', async () => {
    const server = await startScriptedServer();
    server.on('GET /api/openapi/v1/api-keys/Laptop', success({ key_id: 'key_1', name: 'laptop' }));
    const { api } = openTestApi(server.url);
    expect((await api.call('getKey', { path: { keyId: 'Laptop' } })).data.key_id).toBe('key_1');
  });

  it('takes the id of an answer in capitals for the one that was asked for', async () => {
    const server = await startScriptedServer();
    server.on(`GET ${bots}/${letters}`, success({ id: letters.toUpperCase() }));
    const { api } = openTestApi(server.url);
    expect((await api.call('getBot', { path: { id: letters } })).data.id).toBe(letters.toUpperCase());
  });

  it('calls a create whose answer makes no sense unknown, not failed', async () => {
    const server = await startScriptedServer();
    server.on(`POST ${bots}`, success({ name: 'no id' }));
    const { api } = openTestApi(server.url);
    const failed = await failureOf(api.call('createBot', { body: { team_id: id, name: 'Ana' } }));
    expect(failed.kind).toBe('outcomeUnknown');
    expect(String(failed.hint)).toContain('botctl bots list --name Ana');
  });
});

describe('a refusal', () => {
  it.each([
    [400, 'BAD_REQUEST', 'rejected'],
    [401, 'UNAUTHORIZED', 'authentication'],
    [403, 'FORBIDDEN', 'rejected'],
    [404, 'NOT_FOUND', 'notFound'],
    [409, 'CONFLICT', 'rejected'],
    [429, 'RATE_LIMITED', 'rateLimited'],
    [500, 'INTERNAL_ERROR', 'network'],
    [400, 'toString', 'rejected'],
    [400, 'constructor', 'rejected'],
    [400, '__proto__', 'rejected'],
    [503, 'MAINTENANCE', 'network'],
    // The code counts before the status.
    [200, 'NOT_FOUND', 'notFound'],
    [418, 'UNAUTHORIZED', 'authentication'],
    [400, 'FORBIDDEN', 'rejected'],
    [200, 'SOMETHING_ELSE', 'rejected'],
  ] as const)('with status %i and code %s is %s', async (status, code, kind) => {
    const server = await startScriptedServer();
    server.on(`GET ${teams}/${id}`, refusal(status, code, 'the words'));
    const { api } = openTestApi(server.url, { retries: 0 });
    const failed = await failureOf(api.call('getTeam', { path: { id } }));
    expect(failed).toMatchObject({ kind, code, status });
    if (kind !== 'rateLimited') expect(failed.message).toContain('the words');
  });

  it('of a path that names nothing is one of the address, with what gave it', async () => {
    const server = await startScriptedServer();
    const missing = refusal(404, 'NOT_FOUND', 'There is no such route');
    for (const path of [`GET ${teams}`, `POST ${teams}`, `GET ${bots}`, `POST ${bots}`])
      server.on(path, missing);
    const { api } = openTestApi(server.url);
    const failed = await failureOf(api.call('listTeams'));
    expect(failed).toMatchObject({ kind: 'network', exitCode: 8, code: undefined, status: 404 });
    expect(failed.message).toBe(
      `${server.url} is not the address of the API: it answered GET ${teams} with status 404: There is no such route.`,
    );
    expect(String(failed.hint)).toBe('Check the address with botctl whoami.');
    expect((await failureOf(api.call('createTeam', { body: {} }))).kind).toBe('network');
    // What these name may be what isn't there.
    expect((await failureOf(api.call('listBots', { query: { team_id: id } }))).kind).toBe('notFound');
    expect((await failureOf(api.call('createBot', { body: { team_id: id, name: 'Ana' } }))).kind).toBe(
      'notFound',
    );
  });

  it('carries the words and the details of the service', async () => {
    const server = await startScriptedServer();
    const details = { name: ['is required'], quotas: { bots: 'must be positive' } };
    server.on(`POST ${teams}`, refusal(400, 'BAD_REQUEST', 'Validation failed', details));
    const { api } = openTestApi(server.url);
    const failed = await failureOf(api.call('createTeam', { body: {} }));
    expect(failed.message).toBe('The service refused: Validation failed.');
    expect(failed.details).toEqual(details);
  });

  it('removes control characters, colour and bidi overrides from the words', async () => {
    const server = await startScriptedServer();
    server.on(`GET ${teams}`, refusal(400, 'BAD_REQUEST', 'no\u001b[31m\u0007 \u202ered\u009b0m\nnext'));
    const { api } = openTestApi(server.url);
    const { message } = await failureOf(api.call('listTeams'));
    expect(message).toBe('The service refused: no [31m red 0m next.');
  });

  it('reports a page instead of the API with its status and first bytes', async () => {
    const server = await startScriptedServer();
    const page = `<!DOCTYPE html>\n<title>Sign in to\u001b Wi-Fi</title>${'x'.repeat(500)}`;
    server.on(`GET ${teams}`, { body: page });
    const { api } = openTestApi(server.url);
    const failed = await failureOf(api.call('listTeams'));
    expect(failed.kind).toBe('network');
    expect(failed.message).toContain('status 200');
    expect(failed.message).toContain('"<!DOCTYPE html> <title>Sign in to Wi-Fi</title>');
    expect(failed.message.length).toBeLessThan(300);
    expect(String(failed.hint)).toContain('botctl whoami');
  });

  it.each([
    [404, '<h1>nginx</h1>', 'network'],
    [413, '<h1>too large</h1>', 'rejected'],
    [502, '', 'network'],
    [403, 'blocked', 'rejected'],
    [200, '[1,2]', 'network'],
    [200, '{}', 'network'],
    [200, '{"error":"no"}', 'rejected'],
  ] as const)('with status %i and body %j is %s', async (status, body, kind) => {
    const server = await startScriptedServer();
    server.on(`GET ${teams}`, { status, body });
    const { api } = openTestApi(server.url, { retries: 0 });
    expect((await failureOf(api.call('listTeams'))).kind).toBe(kind);
  });
});
