import { beforeEach, describe, expect, test } from 'vitest';
import { Secret } from '../../../src/secrets/secret.ts';
import type { ProfileSettings } from '../../../src/settings/profile-settings.ts';
import { settingsIn } from '../../settings/support.ts';
import { botctl, type Ran, temporaryDirectory } from '../../support/botctl.ts';
import {
  certificateFile,
  refusal,
  type ScriptedServer,
  startScriptedServer,
  success,
} from '../../support/scripted-server.ts';

// Scripted servers speak TLS, and know the names of queries that a profile sets.

let directory: string;

beforeEach(() => {
  directory = temporaryDirectory();
});

/** Stores a profile `default` for a service. */
async function store({ url }: ScriptedServer, settings: ProfileSettings): Promise<void> {
  const { profiles } = settingsIn(directory);
  await profiles.save({
    name: 'default',
    baseUrl: url,
    keyId: 'key-1',
    keySecret: new Secret('secret-of-1'),
  });
  await profiles.configure('default', () => settings);
}

function run(...args: string[]): Promise<Ran> {
  return botctl([...args, '--retries', '0'], { env: { BOTCTL_CONFIG_DIR: directory } });
}

const base = '/api/openapi/v1';
const noTeams = success([], { page: 1, limit: 50, total: 0 });
const noDocuments = success([], { page: 1, limit: 50, total: 0 });

describe('query names and page size of the profile', () => {
  let server: ScriptedServer;
  /** The members of the query of the first request to a list. */
  const query = (list: string): Record<string, string> => {
    const [seen] = server.seenAt(`GET ${base}/${list}`);
    return Object.fromEntries(new URL(seen?.path ?? '', server.url).searchParams);
  };

  beforeEach(async () => {
    server = await startScriptedServer();
    server.on(`GET ${base}/teams`, noTeams);
    server.on(`GET ${base}/documents`, noDocuments);
    server.on(`GET ${base}/bots`, success({ bots: [], page: 1, limit: 50, total: 0 }));
    const queryNames = { page: 'p', limit: 'size', name: 'q', paying: 'pays', team: 'teamId', type: 'kind' };
    await store(server, { pageSize: 25, queryNames });
  });

  test('are sent by teams list', async () => {
    const { exitCode, stderr } = await run('teams', 'list', '--name', 'Acme', '--paying');
    expect(exitCode, stderr).toBe(0);
    expect(query('teams')).toEqual({ p: '1', size: '25', q: 'Acme', pays: 'true' });
  });

  test('are sent by docs list and bots list', async () => {
    const team = '6a4c2a54-58ac-4c57-b0f4-0f3a8c8bcf0e';
    server.on(`GET ${base}/teams/${team}`, success({ id: team, name: 'Acme' }));
    await run('docs', 'list', '--team', team, '--type', 'pdf', '--all');
    expect(query('documents')).toEqual({ p: '1', size: '25', teamId: team, kind: 'pdf' });
    await run('bots', 'list', '--page', '2');
    expect(query('bots')).toEqual({ p: '2', size: '25' });
  });

  test('are sent where a name is looked for', async () => {
    await run('teams', 'get', 'Acme');
    expect(query('teams')).toMatchObject({ p: '1', size: '25' });
    expect(query('teams')).not.toHaveProperty('page');
  });

  test('--per-page goes before the page size, and a shorter list asks for no more than it shows', async () => {
    await run('teams', 'list', '--per-page', '60');
    expect(query('teams')).toMatchObject({ size: '60' });
    await run('docs', 'list', '--limit', '10');
    expect(query('documents')).toMatchObject({ size: '10' });
  });

  test('hold where the service refuses the filter', async () => {
    server.on(`GET ${base}/teams`, refusal(400, 'BAD_REQUEST', 'unknown parameter q'), noTeams);
    const { exitCode, stderr } = await run('teams', 'list', '--name', 'Acme');
    expect(exitCode, stderr).toBe(0);
    const [, second] = server.seenAt(`GET ${base}/teams`);
    expect(second?.path).toBe(`${base}/teams?p=1&size=25`);
  });

  test('of the profile are not those of the environment', async () => {
    const { exitCode, stderr } = await botctl(['teams', 'list'], {
      env: {
        BOTCTL_CONFIG_DIR: directory,
        BOTCTL_BASE_URL: server.url,
        BOTCTL_KEY_ID: 'key-2',
        BOTCTL_KEY_SECRET: 'secret-of-2',
      },
    });
    expect(exitCode, stderr).toBe(0);
    expect(query('teams')).toEqual({ page: '1', limit: '100' });
  });
});

describe('CA file of the profile', () => {
  test('is trusted by every command, and by login with the same profile', async () => {
    const server = await startScriptedServer({ tls: true });
    server.on(`GET ${base}/teams`, noTeams);
    server.on(`GET ${base}/api-keys/key-1`, success({ key_id: 'key-1', name: 'first' }));
    await store(server, {});
    expect((await run('teams', 'list')).exitCode).toBe(8);
    await run('profiles', 'set', 'default', '--ca-file', certificateFile);
    for (const words of [['teams', 'list'], ['whoami'], ['token']]) {
      const { exitCode, stderr } = await run(...words);
      expect(exitCode, stderr).toBe(0);
    }
    const login = await botctl(
      ['login', '--base-url', server.url, '--key-id', 'key-1', '--key-secret-stdin'],
      {
        env: { BOTCTL_CONFIG_DIR: directory },
        stdin: 'secret-of-1',
      },
    );
    expect(login.exitCode, login.stderr).toBe(0);
    expect(settingsIn(directory).profiles.get('default')?.settings?.caFile).toBe(certificateFile);
  });

  test('login with --ca-file says how to keep it', async () => {
    const server = await startScriptedServer({ tls: true });
    server.on(`GET ${base}/api-keys/key-1`, success({ key_id: 'key-1', name: 'first' }));
    const args = ['login', '--base-url', server.url, '--key-id', 'key-1', '--key-secret-stdin'];
    const { exitCode, stderr } = await botctl([...args, '--ca-file', certificateFile], {
      env: { BOTCTL_CONFIG_DIR: directory },
      stdin: 'secret-of-1',
    });
    expect(exitCode, stderr).toBe(0);
    expect(stderr).toContain('botctl profiles set default --ca-file');
  });

  test('--ca-file goes before it', async () => {
    const server = await startScriptedServer({ tls: true });
    server.on(`GET ${base}/teams`, noTeams);
    await store(server, { caFile: '/nowhere/company.pem' });
    const refused = await run('teams', 'list');
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('/nowhere/company.pem');
    const { exitCode, stderr } = await run('teams', 'list', '--ca-file', certificateFile);
    expect(exitCode, stderr).toBe(0);
  });
});
