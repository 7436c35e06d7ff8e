import { beforeEach, describe, expect, test } from 'vitest';
import type { EndpointName } from '../../../src/contract/endpoints.ts';
import { callControl } from '../../../src/sandbox/control/client.ts';
import { Secret } from '../../../src/secrets/secret.ts';
import type { ProfileSettings } from '../../../src/settings/profile-settings.ts';
import { settingsIn } from '../../settings/support.ts';
import { botctl, type Ran, temporaryDirectory } from '../../support/botctl.ts';
import { openDirect } from '../../support/direct.ts';
import { requestsFromNow } from '../../support/requests.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { certificateFile, startScriptedServer, success } from '../../support/scripted-server.ts';

let directory: string;

beforeEach(() => {
  directory = temporaryDirectory();
});

/** Stores a profile `default` for a service. */
async function store(
  {
    baseUrl,
    keyId = 'key-1',
    keySecret = new Secret('secret-of-1'),
  }: { readonly baseUrl: string; readonly keyId?: string; readonly keySecret?: Secret },
  settings: ProfileSettings,
): Promise<void> {
  const { profiles } = settingsIn(directory);
  await profiles.save({ name: 'default', baseUrl, keyId, keySecret });
  await profiles.configure('default', () => settings);
}

function run(...args: string[]): Promise<Ran> {
  return botctl([...args, '--retries', '0'], { env: { BOTCTL_CONFIG_DIR: directory } });
}

describe('query names and page size of the profile', () => {
  const sandbox = useSandbox();
  const direct = openDirect(sandbox);
  /** Returns a function that reads the query parameters of list requests from now on. */
  const queries = async () => {
    const seen = await requestsFromNow(sandbox);
    return async (name: EndpointName): Promise<readonly Record<string, string>[]> =>
      (await seen())
        .filter(({ operation }) => operation === name)
        .map(({ path = '' }) => Object.fromEntries(new URL(path, sandbox.baseUrl).searchParams));
  };

  beforeEach(async () => {
    // The service knows none of these names.
    sandbox.behave({ ignore_filters: true });
    const queryNames = { page: 'p', limit: 'size', name: 'q', paying: 'pays', team: 'teamId', type: 'kind' };
    await store(sandbox, { pageSize: 25, queryNames });
  });

  test('are sent by teams list', async () => {
    const query = await queries();
    const { exitCode, stderr } = await run('teams', 'list', '--name', 'Acme', '--paying');
    expect(exitCode, stderr).toBe(0);
    expect((await query('listTeams'))[0]).toEqual({ p: '1', size: '25', q: 'Acme', pays: 'true' });
  });

  test('are sent by docs list and bots list', async () => {
    const team = await direct.team('Acme');
    const query = await queries();
    await run('docs', 'list', '--team', team, '--type', 'pdf', '--all');
    expect((await query('listDocuments'))[0]).toEqual({ p: '1', size: '25', teamId: team, kind: 'pdf' });
    await run('bots', 'list', '--page', '2');
    expect((await query('listBots'))[0]).toEqual({ p: '2', size: '25' });
  });

  test('are sent if a name is looked up', async () => {
    const query = await queries();
    await run('teams', 'get', 'Acme');
    const [first] = await query('listTeams');
    expect(first).toMatchObject({ p: '1', size: '25' });
    expect(first).not.toHaveProperty('page');
  });

  test('yield to --limit, and a shorter list requests only what it shows', async () => {
    const query = await queries();
    await run('teams', 'list', '--page', '1', '--limit', '60');
    expect((await query('listTeams'))[0]).toMatchObject({ size: '60' });
    await run('docs', 'list', '--limit', '10');
    expect((await query('listDocuments'))[0]).toMatchObject({ size: '10' });
  });

  test('apply if the service refuses the filter', async () => {
    await callControl(sandbox.control, '/fault/add', {
      target: 'listTeams',
      effect: { kind: 'status', status: 400 },
      times: 1,
    });
    const query = await queries();
    const { exitCode, stderr } = await run('teams', 'list', '--name', 'Acme');
    expect(exitCode, stderr).toBe(0);
    expect((await query('listTeams'))[1]).toEqual({ p: '1', size: '25' });
  });

  test('of the profile do not apply to credentials from the environment', async () => {
    sandbox.behave({ reset: true });
    const query = await queries();
    const { exitCode, stderr } = await botctl(['teams', 'list'], {
      env: { ...sandbox.env, BOTCTL_CONFIG_DIR: directory },
    });
    expect(exitCode, stderr).toBe(0);
    expect(await query('listTeams')).toEqual([{ page: '1', limit: '100' }]);
  });
});

describe('CA file of the profile', () => {
  // Scripted servers use TLS, which the sandbox doesn't support.
  const base = '/api/openapi/v1';
  const noTeams = success([], { page: 1, limit: 50, total: 0 });

  test('is trusted by every command, and by login with the same profile', async () => {
    const server = await startScriptedServer({ tls: true });
    server.on(`GET ${base}/teams`, noTeams);
    server.on(`GET ${base}/api-keys/key-1`, success({ key_id: 'key-1', name: 'first' }));
    await store({ baseUrl: server.url }, {});
    expect((await run('teams', 'list')).exitCode).toBe(8);
    await run('profiles', 'set', 'default', '--ca-file', certificateFile);
    for (const words of [['teams', 'list'], ['whoami'], ['token']]) {
      const { exitCode, stderr } = await run(...words);
      expect(exitCode, stderr).toBe(0);
    }
    const login = await botctl(
      ['login', '--base-url', server.url, '--key-id', 'key-1', '--key-secret-file', '-'],
      {
        env: { BOTCTL_CONFIG_DIR: directory },
        stdin: 'secret-of-1',
      },
    );
    expect(login.exitCode, login.stderr).toBe(0);
    expect(settingsIn(directory).profiles.get('default')?.settings?.caFile).toBe(certificateFile);
  });

  test('is suggested by login with --ca-file', async () => {
    const server = await startScriptedServer({ tls: true });
    server.on(`GET ${base}/api-keys/key-1`, success({ key_id: 'key-1', name: 'first' }));
    const args = ['login', '--base-url', server.url, '--key-id', 'key-1', '--key-secret-file', '-'];
    const { exitCode, stderr } = await botctl([...args, '--ca-file', certificateFile], {
      env: { BOTCTL_CONFIG_DIR: directory },
      stdin: 'secret-of-1',
    });
    expect(exitCode, stderr).toBe(0);
    expect(stderr).toContain('botctl profiles set default --ca-file');
  });

  test('is overridden by --ca-file', async () => {
    const server = await startScriptedServer({ tls: true });
    server.on(`GET ${base}/teams`, noTeams);
    await store({ baseUrl: server.url }, { caFile: '/nowhere/company.pem' });
    const refused = await run('teams', 'list');
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('/nowhere/company.pem');
    const { exitCode, stderr } = await run('teams', 'list', '--ca-file', certificateFile);
    expect(exitCode, stderr).toBe(0);
  });
});
