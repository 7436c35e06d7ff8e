import { describe, expect, it } from 'vitest';
import type { EndpointName } from '../../src/contract/endpoints.ts';
import type { FaultEffect } from '../../src/sandbox/faults/fault.ts';
import { answer, answerText, refuse } from '../support/answer.ts';
import { openTestApi } from '../support/open-test-api.ts';
import { startScriptedServer, success } from '../support/scripted-server.ts';
import { failureOf } from './failure-of.ts';
import { useFaultySandbox } from './faulty-sandbox.ts';

const { sandbox, direct, open, fail } = useFaultySandbox();

const id = '11111111-1111-4111-8111-111111111111';
const other = '22222222-2222-4222-8222-222222222222';
const letters = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const teams = '/api/openapi/v1/teams';
const bots = '/api/openapi/v1/bots';

/** Opens the client on a service whose endpoint has this fault. */
async function openWith(name: EndpointName, effect: FaultEffect) {
  await fail(name, effect);
  return open({ retries: 0 });
}

describe('a call', () => {
  it('sends method, path, query and token, and returns data and meta', async () => {
    const team = await direct.team('Acme');
    await direct.call('PATCH', `/teams/${team}`, { name: 'Ac & co' });
    const { api, seen } = await open();
    const { data, meta } = await api.call('listTeams', {
      query: { name: 'Ac & co', paying: false, page: 1 },
    });
    expect(data).toMatchObject([{ id: team, name: 'Ac & co' }]);
    expect(meta?.total).toBe(1);
    expect(await seen('listTeams')).toMatchObject([
      { method: 'GET', path: `${teams}?name=Ac%20%26%20co&paying=false&page=1`, key_id: sandbox.keyId },
    ]);
  });

  // Scripted servers store the headers of a request, and have a path before the API's.

  it('sends a body as JSON, and none if the endpoint has none', async () => {
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

  it('keeps a path prefix of the base URL, and percent-encodes parameters', async () => {
    const server = await startScriptedServer();
    server.on(
      'POST /gateway/v9/api/openapi/auth/token',
      success({ access_token: 'prefix-token', expires_in: 60 }),
    );
    server.on('GET /gateway/v9/api/openapi/v1/api-keys/a%2Fb%20c', success({ key_id: 'a/b c' }));
    const { api } = openTestApi(`${server.url}/gateway/v9`);
    expect((await api.call('getKey', { path: { keyId: 'a/b c' } })).data.key_id).toBe('a/b c');
  });

  it.each(['', '.', '..'])('sends nothing for the id %j, which would be another path', async (keyId) => {
    const { api, seen } = await open();
    await expect(api.call('deleteKey', { path: { keyId } })).rejects.toMatchObject({
      kind: 'invalidInput',
      message: `"${keyId}" is no id: it would call another path. This call was not made.`,
    });
    expect(await seen()).toEqual([]);
  });

  it('replaces a lone surrogate in a query by the replacement character', async () => {
    const { api, seen } = await open();
    await api.call('listTeams', { query: { name: 'x\ud800y' } });
    expect(await seen('listTeams')).toMatchObject([{ path: `${teams}?name=x%EF%BF%BDy` }]);
  });

  it('renames query parameters according to the profile', async () => {
    sandbox.behave({ ignore_filters: true });
    const { api, seen } = await open({ queryNames: { limit: 'per_page', name: 'q' } });
    await api.call('listTeams', { query: { name: 'x', limit: 5 } });
    expect(await seen('listTeams')).toMatchObject([{ path: `${teams}?q=x&per_page=5` }]);
  });

  it('keeps unknown members, and accepts any scalar for known ones', async () => {
    const odd = {
      id,
      name: null,
      published: 'yes',
      role: 'astronaut',
      provider: { deep: [1] },
      questions: 'none',
    };
    const { api } = await openWith('getBot', answerText(JSON.stringify({ data: odd, extra: true })));
    expect((await api.call('getBot', { path: { id } })).data).toEqual(odd);
  });

  it('fails if the data of a read is not an object', async () => {
    const { api } = await openWith('getTeam', answer({ name: 'no id' }));
    const failed = await failureOf(api.call('getTeam', { path: { id } }));
    expect(failed.kind).toBe('network');
    expect(failed.message).toContain('id is missing');
  });

  it.each([
    ['getBot', { id: other }],
    ['updateTeam', { team: { id: other }, changes: [] }],
    ['getDeviceStatus', { device_id: other }],
    ['connectDevice', { device_id: other }],
  ] as const)(
    'fails if the response of %s is about another object than the requested one',
    async (name, data) => {
      const { api } = await openWith(name, answer(data));
      const failed = await failureOf(
        name === 'updateTeam'
          ? api.call(name, { path: { id }, body: { banned: true } })
          : api.call(name, { path: { id } }),
      );
      expect(failed.kind).toBe('network');
      expect(failed.message).toContain(`it is about ${other}`);
    },
  );

  it('leaves the interpretation of a key name to the caller', async () => {
    const { api } = await openWith('getKey', answer({ key_id: 'key_1', name: 'laptop' }));
    expect((await api.call('getKey', { path: { keyId: 'Laptop' } })).data.key_id).toBe('key_1');
  });

  it('accepts the id of a response in upper case', async () => {
    const { api } = await openWith('getBot', answer({ id: letters.toUpperCase() }));
    expect((await api.call('getBot', { path: { id: letters } })).data.id).toBe(letters.toUpperCase());
  });

  it.each([204, 200, 202])('that needs no data succeeds by %i without a body', async (status) => {
    const { api } = await openWith('deleteBot', answerText('', { status }));
    expect((await api.call('deleteBot', { path: { id } })).data).toEqual({});
    await fail('disconnectDevice', answerText('', { status }));
    const stopped = { device_id: id, status: 'stopped' };
    expect((await api.call('disconnectDevice', { path: { id } })).data).toEqual(stopped);
  });

  it('that needs data does not succeed without a body', async () => {
    const { api } = await openWith('createBot', answerText('', { status: 204 }));
    const failed = await failureOf(api.call('createBot', { body: { team_id: id, name: 'Ana' } }));
    expect(failed.kind).toBe('outcomeUnknown');
    await fail('getBot', answerText('', { status: 204 }));
    expect((await failureOf(api.call('getBot', { path: { id } }))).kind).toBe('network');
  });

  it('marks a create with an unusable response as unknown, not failed', async () => {
    const { api } = await openWith('createBot', answer({ name: 'no id' }));
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
    // The code takes precedence over the status.
    [200, 'NOT_FOUND', 'notFound'],
    [418, 'UNAUTHORIZED', 'authentication'],
    [400, 'FORBIDDEN', 'rejected'],
    [200, 'SOMETHING_ELSE', 'rejected'],
  ] as const)('with status %i and code %s is %s', async (status, code, kind) => {
    const { api } = await openWith('getTeam', refuse(status, code, 'the words'));
    const failed = await failureOf(api.call('getTeam', { path: { id } }));
    expect(failed).toMatchObject({ kind, code, status });
    if (kind !== 'rateLimited') expect(failed.message).toContain('the words');
  });

  it('of an unknown path is an address problem, and names the source of the address', async () => {
    const missing = refuse(404, 'NOT_FOUND', 'There is no such route');
    for (const name of ['listTeams', 'createTeam', 'listBots', 'createBot'] as const)
      await fail(name, missing);
    const { api } = await open();
    const failed = await failureOf(api.call('listTeams'));
    expect(failed).toMatchObject({ kind: 'network', exitCode: 8, code: undefined, status: 404 });
    expect(failed.message).toBe(
      `${sandbox.baseUrl} is not the address of the API: it answered GET ${teams} with status 404: There is no such route.`,
    );
    expect(String(failed.hint)).toBe('Check the address with botctl whoami.');
    expect((await failureOf(api.call('createTeam', { body: {} }))).kind).toBe('network');
    // The object that the filter names may be the missing one.
    expect((await failureOf(api.call('listBots', { query: { team_id: id } }))).kind).toBe('notFound');
    expect((await failureOf(api.call('createBot', { body: { team_id: id, name: 'Ana' } }))).kind).toBe(
      'notFound',
    );
  });

  it('contains the message and the details of the service', async () => {
    const details = { name: ['is required'], quotas: { bots: 'must be positive' } };
    const { api } = await openWith('createTeam', refuse(400, 'BAD_REQUEST', 'Validation failed', details));
    const failed = await failureOf(api.call('createTeam', { body: {} }));
    expect(failed.message).toBe('The service refused: Validation failed.');
    expect(failed.details).toEqual(details);
  });

  it('removes control characters, colour and bidi overrides from the message', async () => {
    const words = 'no\u001b[31m\u0007 \u202ered\u009b0m\nnext';
    const { api } = await openWith('listTeams', refuse(400, 'BAD_REQUEST', words));
    const { message } = await failureOf(api.call('listTeams'));
    expect(message).toBe('The service refused: no [31m red 0m next.');
  });

  it('reports a web page instead of the API with its status and first bytes', async () => {
    const page = `<!DOCTYPE html>\n<title>Sign in to\u001b Wi-Fi</title>${'x'.repeat(500)}`;
    const { api } = await openWith('listTeams', answerText(page));
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
    const { api } = await openWith('listTeams', answerText(body, { status }));
    expect((await failureOf(api.call('listTeams'))).kind).toBe(kind);
  });
});
