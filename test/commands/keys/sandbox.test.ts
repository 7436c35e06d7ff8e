import { join } from 'node:path';
import { expect, test } from 'vitest';
import { botctl, temporaryDirectory } from '../../support/botctl.ts';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();

/** Runs commands on one machine, whose profiles persist between them. */
function machine() {
  const directory = temporaryDirectory();
  return {
    directory,
    async type(args: readonly string[], stdin?: string) {
      const ran = await botctl(args, {
        ...(stdin !== undefined && { stdin }),
        env: { BOTCTL_CONFIG_DIR: directory },
      });
      return { ...ran, row: () => JSON.parse(ran.stdout) as Record<string, unknown> };
    },
  };
}

function loginLine(keyId: string): readonly string[] {
  return ['login', '--base-url', sandbox.baseUrl, '--key-id', keyId, '--key-secret-file', '-'];
}

test('a session: log in, create a second key, switch to it, delete the first, log out', async () => {
  const { directory, type } = machine();
  const signedIn = await type(loginLine(sandbox.keyId), sandbox.keySecret.reveal());
  expect(signedIn.exitCode, signedIn.stderr).toBe(0);

  const file = join(directory, 'second.secret');
  const created = await type([
    'keys',
    'create',
    '--name',
    'second',
    '--expires',
    '90d',
    '--secret-file',
    file,
    '-o',
    'json',
  ]);
  expect(created.exitCode, created.stderr).toBe(0);
  const second = String(created.row().key_id);

  const inUse = await type(['keys', 'delete', sandbox.keyId, '--confirm', sandbox.keyId]);
  expect(inUse.exitCode).toBe(6);

  const changed = await type([
    'login',
    '--base-url',
    sandbox.baseUrl,
    '--key-id',
    second,
    '--key-secret-file',
    file,
    '--yes',
  ]);
  expect(changed.exitCode, changed.stderr).toBe(0);
  const who = await type(['whoami', '-o', 'json']);
  expect(who.row()).toMatchObject({ profile: 'default', key_id: second, key_name: 'second' });
  expect(who.row().key_expires_at).toMatch(/^\d{4}-\d\d-\d\dT/);

  const deleted = await type(['keys', 'delete', sandbox.keyId, '--confirm', sandbox.keyId]);
  expect(deleted.exitCode, deleted.stderr).toBe(0);
  expect((await type(['keys', 'list', '-o', 'id'])).stdout).toBe(`${second}\n`);

  expect((await type(['logout'])).exitCode).toBe(0);
  expect((await type(['whoami'])).exitCode).toBe(4);
  const outputs = [signedIn, created, changed, who, deleted]
    .map(({ stdout, stderr }) => stdout + stderr)
    .join('');
  expect(outputs).not.toContain(sandbox.keySecret.reveal());
});

test('wrong credentials: exit code 4, and nothing is stored', async () => {
  const { type } = machine();
  const ran = await type(loginLine(sandbox.keyId), 'not-the-secret-of-that-key');
  expect(ran.exitCode).toBe(4);
  expect((await type(['whoami'])).exitCode).toBe(4);
});

test('an expired key: exit code 4', async () => {
  const { type } = machine();
  await type(loginLine(sandbox.keyId), sandbox.keySecret.reveal());
  const created = await type([
    'keys',
    'create',
    '--name',
    'brief',
    '--expires',
    '1h',
    '--show-secret',
    '-o',
    'json',
  ]);
  const { key_id: id, key_secret: secret } = created.row();
  expect((await type([...loginLine(String(id)), '--profile', 'brief'], String(secret))).exitCode).toBe(0);
  sandbox.advance(2 * 3_600_000);
  expect((await type(['whoami', '--profile', 'brief'])).exitCode).toBe(4);
});
