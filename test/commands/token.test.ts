import { beforeEach, expect, test } from 'vitest';
import { botctl, type RunOptions, temporaryDirectory } from '../support/botctl.ts';
import { environmentOf, type KeyService, startKeyService } from './keys/service.ts';

let service: KeyService;
let directory: string;

beforeEach(async () => {
  service = await startKeyService();
  directory = temporaryDirectory();
});

function token(args: readonly string[] = [], options: RunOptions = {}) {
  const env = { BOTCTL_CONFIG_DIR: directory, ...environmentOf(service), ...options.env };
  return botctl(['token', '--retries', '0', ...args], { ...options, env });
}

test('prints the token alone into a pipe', async () => {
  expect(await token()).toEqual({ exitCode: 0, stdout: 'token-of-key-one\n', stderr: '' });
});

test('uses the cache while it lasts', async () => {
  await token();
  await token();
  expect(service.exchanges()).toBe(1);
});

test('to a terminal only with --force; without it nothing is asked of the service', async () => {
  const refused = await token([], { terminal: true });
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain('--force');
  expect(refused.stdout + refused.stderr).not.toContain('token-of');
  expect(service.seen).toEqual([]);
  const { exitCode, stdout } = await token(['--force'], { terminal: true });
  expect(exitCode).toBe(0);
  expect(stdout).toContain('token-of-key-one');
});

test('signed out, or with a key that is refused: exit 4, and nothing on stdout', async () => {
  service.keys.length = 0;
  const signedOut = { BOTCTL_KEY_ID: '', BOTCTL_KEY_SECRET: '' };
  for (const env of [signedOut, environmentOf(service)]) {
    const { exitCode, stdout } = await token([], { env });
    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' });
  }
});

test('--debug tells of the exchange without the token', async () => {
  const { stderr } = await token(['--debug']);
  expect(stderr).toContain('auth/token');
  expect(stderr).not.toContain('token-of');
});
