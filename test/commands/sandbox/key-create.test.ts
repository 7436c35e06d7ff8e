import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeControlFile } from '../../../src/sandbox/store/control-file.ts';
import { openOwnDatabase } from '../../../src/sandbox/store/own-database.ts';
import { mask } from '../../../src/secrets/secret.ts';
import { createTestApi } from '../../sandbox/api.ts';
import { botctl, type Ran, temporaryDirectory } from '../../support/botctl.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { startScriptedServer } from '../../support/scripted-server.ts';

// A scripted server is a control channel that creates a key and can't delete it.

const sandbox = useSandbox({ phone: 'manual' });
const api = createTestApi(sandbox);

type How = Parameters<typeof botctl>[1];

const create = (args: readonly string[], how?: How, data = sandbox.data): Promise<Ran> =>
  botctl(['sandbox', 'key', 'create', '--name', 'desk', '--data', data, ...args], how);

/** Returns the ids of the created keys. */
async function made(): Promise<readonly string[]> {
  const { data } = await api.ok('listKeys');
  return data.filter(({ name }) => name === 'desk').map(({ key_id }) => key_id);
}

describe('sandbox key create', () => {
  it('creates a key that signs in', async () => {
    const ran = await create(['--show-secret', '-o', 'json']);
    expect(ran.exitCode, ran.stderr).toBe(0);
    const { key_id, key_secret, ...rest } = JSON.parse(ran.stdout);
    expect(rest).toEqual({ name: 'desk', created_at: expect.any(String) });
    expect(await made()).toEqual([key_id]);
    expect(ran.stderr).not.toContain(key_secret);
    await api.ok('createToken', { body: { key_id, key_secret }, token: null });
  });

  it('reports if it creates a new data directory, as for a name with a typo', async () => {
    const data = join(temporaryDirectory(), 'new');
    const refused = await create([], {}, data);
    expect(refused.stderr).not.toContain('has no sandbox data yet');
    expect(existsSync(data)).toBe(false);
    const ran = await create(['--show-secret'], {}, data);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stderr).toContain(`${data} has no sandbox data yet.`);
    expect((await create(['--show-secret'], {}, data)).stderr).not.toContain('has no sandbox data yet');
  });

  it('shows the secret on a terminal, once', async () => {
    const ran = await create([], { terminal: true });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stdout).toMatch(/botsecret_\S{43}/);
    expect(ran.stderr).not.toContain('botsecret_');
  });

  it('is refused in a pipe unless the secret has a destination', async () => {
    const ran = await create([]);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain('--secret-file');
    expect(await made()).toEqual([]);
  });

  it('writes the secret to a private file, which is only replaced with --yes', async () => {
    const directory = temporaryDirectory();
    const file = join(directory, 'desk.secret');
    const first = await create(['--secret-file', file, '-o', 'json']);
    expect(first.exitCode, first.stderr).toBe(0);
    const { key_id, key_secret: shown } = JSON.parse(first.stdout);
    expect(shown).toBe(mask);
    const kept = readFileSync(file, 'utf8');
    await api.ok('createToken', { body: { key_id, key_secret: kept.trimEnd() }, token: null });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await create(['--secret-file', file])).toMatchObject({ exitCode: 2 });
    expect(readFileSync(file, 'utf8')).toBe(kept);
    expect(await create(['--secret-file', file, '--yes'])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(file, 'utf8')).not.toBe(kept);
    expect(await made()).toHaveLength(2);
    expect(readdirSync(directory)).toEqual(['desk.secret']);
  });

  it('expires a key by the clock of the sandbox', async () => {
    sandbox.freeze();
    await botctl(['sandbox', 'clock', 'advance', '40d', '--data', sandbox.data]);
    const { stdout } = await create(['--expires', '1h', '--show-secret', '-o', 'json']);
    const { key_id, key_secret, created_at } = JSON.parse(stdout);
    const { data } = await api.ok('listKeys', { token: await tokenOf({ key_id, key_secret }) });
    const end = data.find((key) => key.key_id === key_id)?.expires_at ?? '';
    expect(Date.parse(end) - Date.parse(created_at)).toBe(3_600_000);
    const past = new Date(Date.parse(created_at) - 86_400_000).toISOString();
    const refused = await create(['--expires', past, '--show-secret']);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    await botctl(['sandbox', 'clock', 'advance', '1h', '--data', sandbox.data]);
    await api.refused('createToken', 'UNAUTHORIZED', { body: { key_id, key_secret }, token: null });
  });
});

async function tokenOf(body: { readonly key_id: string; readonly key_secret: string }): Promise<string> {
  return (await api.ok('createToken', { body, token: null })).data.access_token;
}

describe('a key whose secret cannot be written', () => {
  it.each(['ENOSPC', 'EPIPE'] as const)('is deleted again if stdout ends with %s', async (unwritable) => {
    const ran = await create(['--show-secret'], { unwritable });
    expect(ran.exitCode).toBe(10);
    expect(ran.stderr).toMatch(/The new key key_\w+ was deleted again\./);
    expect(ran.stderr).not.toContain('botsecret_');
    expect(await made()).toEqual([]);
  });

  it('is deleted again if other processes write the same file', async () => {
    const directory = temporaryDirectory();
    const file = join(directory, 'desk.secret');
    const ran = await Promise.all(Array.from({ length: 4 }, () => create(['--secret-file', file])));
    expect(ran.filter(({ exitCode }) => exitCode === 0)).toHaveLength(1);
    const [key_id = '', ...others] = await made();
    expect(others).toEqual([]);
    const key_secret = readFileSync(file, 'utf8').trimEnd();
    await api.ok('createToken', { body: { key_id, key_secret }, token: null });
    expect(readdirSync(directory)).toEqual(['desk.secret']);
  });

  it('is not created if its file cannot be', async () => {
    for (const file of [temporaryDirectory(), join(temporaryDirectory(), 'nowhere', 'file')]) {
      expect(await create(['--secret-file', file, '--yes'])).toMatchObject({ exitCode: 2, stdout: '' });
    }
    expect(await made()).toEqual([]);
  });

  it('is reported with the command that deactivates it if it cannot be deleted', async () => {
    const server = await startScriptedServer();
    const key = { key_id: 'key_1', key_secret: 'botsecret_of_the_test', name: 'desk' };
    const created_at = '2026-01-01T00:00:00.000Z';
    server.on('POST /key/create', { body: JSON.stringify({ ...key, created_at }) });
    server.on('POST /key/delete', { status: 500, body: JSON.stringify({ error: 'It broke.' }) });
    const data = join(temporaryDirectory(), 'data');
    const database = await openOwnDatabase(data);
    writeControlFile(data, { url: server.url, token: 'token', pid: process.pid, base_url: server.url });
    const ran = await create(['--show-secret'], { unwritable: 'ENOSPC' }, data);
    expect(ran.exitCode).toBe(10);
    expect(ran.stderr).toContain(`botctl sandbox key deactivate key_1 --data ${data}`);
    expect(ran.stderr).not.toContain('botsecret_');
    await database.close();
  });
});
