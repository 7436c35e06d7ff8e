import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Api } from '../../src/client/api.ts';
import { openApi } from '../../src/client/open.ts';
import { type EndpointName, endpoints } from '../../src/contract/endpoints.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { resolveId } from '../../src/resources/resolve.ts';
import { temporaryDirectory } from '../support/botctl.ts';
import { TestTokenCache } from '../support/open-test-api.ts';
import { useSandbox } from '../support/sandbox.ts';
import { failureOf } from './failure-of.ts';

const sandbox = useSandbox();

/** Opens the sandbox's API, and records the called endpoints in order. */
function open(): { api: Api; called: readonly string[] } {
  const called: string[] = [];
  const real = openApi({
    identity: {
      baseUrl: sandbox.baseUrl,
      keyId: sandbox.keyId,
      keySecret: sandbox.keySecret,
      source: 'environment',
      profile: undefined,
    },
    clock: { ...systemClock, sleep: () => Promise.reject(new Error('nothing should wait')) },
    tokens: new TestTokenCache(),
    env: {},
    signal: new AbortController().signal,
    onNote: (text) => {
      throw new Error(text);
    },
    onDebug: (line) => {
      const [, method, path] = /^→ (\w+) \S+?(\/api\S*)/.exec(line) ?? [];
      if (method && path) called.push(nameOf(method, path));
    },
  });
  onTestFinished(() => real.close());
  return { api: real, called };
}

/** Returns the endpoint of a request, by a separate reading of the table. */
function nameOf(method: string, path: string): EndpointName | 'unknown' {
  const [plain = ''] = path.split('?');
  const names = Object.keys(endpoints) as EndpointName[];
  const isIt = (name: EndpointName): boolean =>
    endpoints[name].method === method &&
    new RegExp(`^${endpoints[name].path.replace(/\{\w+\}/g, '[^/]+')}$`).test(plain);
  return names.find(isIt) ?? 'unknown';
}

const newTeam = (name: string) => ({
  body: {
    user: { name: 'Ana', email: `${name.replace(' ', '.')}@acme.example`, phone: '+5511999990000' },
    team: { name, plan_name: 'pro' },
  },
});

describe('the client against the service', () => {
  it('calls every endpoint', async () => {
    const { api, called } = open();

    const key = (await api.call('createKey', { body: { name: 'ci' } })).data;
    expect(typeof key.key_secret).toBe('string');
    expect((await api.call('listKeys')).data).toHaveLength(2);
    expect((await api.call('getKey', { path: { keyId: key.key_id } })).data.name).toBe('ci');
    await api.call('deleteKey', { path: { keyId: key.key_id } });

    await api.call('createTeam', newTeam('Acme'));
    const team = await resolveId(api, 'team', 'Acme', { askWhich: undefined });
    await api.call('updateTeam', { path: { id: team }, body: { paying: true } });
    expect((await api.call('getTeam', { path: { id: team } })).data.paying).toBe(true);

    const path = join(temporaryDirectory(), 'plan.txt');
    writeFileSync(path, 'olá, mundo');
    const document = { path, name: 'relatório "final".txt', type: 'text/plain' };
    const stored = (await api.call('createDocument', { body: { team_id: team, chars: 10 }, file: document }))
      .data;
    expect(stored).toMatchObject({ size: 11, chars: 10 });
    const renamed = await api.call('updateDocument', { path: { id: stored.id }, body: { name: 'plan.txt' } });
    expect(renamed.meta?.changes).toEqual(['name']);
    expect(await resolveId(api, 'document', 'plan.txt', { askWhich: undefined, teamId: team })).toBe(
      stored.id,
    );
    expect((await api.call('getDocument', { path: { id: stored.id } })).data.name).toBe('plan.txt');

    const bot = (
      await api.call('createBot', { body: { team_id: team, name: 'Bia', document_ids: [stored.id] } })
    ).data;
    await api.call('updateBot', { path: { id: bot.id }, body: { temperature: 0.5 } });
    expect(await resolveId(api, 'bot', 'Bia', { askWhich: undefined })).toBe(bot.id);
    expect((await api.call('getBot', { path: { id: bot.id } })).data).toMatchObject({
      temperature: 0.5,
      published: false,
    });
    const other = (await api.call('createBot', { body: { team_id: team, name: 'Caio' } })).data;
    await api.call('deleteBot', { path: { id: other.id } });

    const device = (
      await api.call('createDevice', { body: { team_id: team, bot_id: bot.id, name: 'Front' } })
    ).data;
    const at = { path: { id: device.id } };
    expect((await api.call('connectDevice', at)).data.status).toBe('started');
    expect((await api.call('getDeviceStatus', at)).data.qr_code).toMatch(/^data:image\/png;base64,/);
    const message = { device_id: device.id, destination_number: '5511988887777', message: 'Oi' };
    expect((await failureOf(api.call('sendMessage', { body: message }))).kind).toBe('rejected');
    expect((await api.call('disconnectDevice', at)).data.status).toBe('stopped');

    expect([...new Set(called)].sort()).toEqual(Object.keys(endpoints).sort());
  });

  it('reads pages of every list', async () => {
    const { api } = open();
    for (let number = 0; number < 7; number += 1) await api.call('createTeam', newTeam(`Team ${number}`));
    const names: unknown[] = [];
    for await (const { rows, total, totalPages } of api.pages('listTeams', { perPage: 3 })) {
      expect([total, totalPages]).toEqual([7, 3]);
      names.push(...rows.map(({ name }) => name));
    }
    // Teams created in the same millisecond are ordered by their ids.
    expect(names.sort()).toEqual(Array.from({ length: 7 }, (_, number) => `Team ${number}`));
    for await (const { rows } of api.pages('listBots')) expect(rows).toEqual([]);
    for await (const { rows } of api.pages('listDocuments')) expect(rows).toEqual([]);
  });

  it('distinguishes refusals', async () => {
    const { api } = open();
    const nobody = '00000000-0000-4000-8000-000000000000';
    expect((await failureOf(api.call('getTeam', { path: { id: nobody } }))).kind).toBe('notFound');
    expect(await failureOf(api.call('createTeam', { body: {} }))).toMatchObject({
      kind: 'rejected',
      code: 'BAD_REQUEST',
    });
    expect((await failureOf(api.call('deleteKey', { path: { keyId: sandbox.keyId } }))).kind).toBe(
      'rejected',
    );
  });

  it('exchanges the key again if the token has expired at the service', async () => {
    const { api, called } = open();
    await api.call('listKeys');
    sandbox.advance(25 * 3_600_000);
    expect((await api.call('listKeys')).data).toMatchObject([{ key_id: sandbox.keyId }]);
    // The old token is refused once, and the new one is accepted.
    expect(called).toEqual(['createToken', 'listKeys', 'listKeys', 'createToken', 'listKeys']);
    await api.call('listKeys');
    expect(called.slice(5)).toEqual(['listKeys']);
  });
});
