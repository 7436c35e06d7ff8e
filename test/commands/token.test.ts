import { beforeEach, expect, test } from 'vitest';
import { callControl } from '../../src/sandbox/control/client.ts';
import { botctl, type RunOptions, temporaryDirectory } from '../support/botctl.ts';
import { requestsFromNow } from '../support/requests.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();
let requests: Awaited<ReturnType<typeof requestsFromNow>>;
let directory: string;

beforeEach(async () => {
  requests = await requestsFromNow(sandbox);
  directory = temporaryDirectory();
});

function token(args: readonly string[] = [], options: RunOptions = {}) {
  const env = { BOTCTL_CONFIG_DIR: directory, ...sandbox.env, ...options.env };
  return botctl(['token', '--retries', '0', ...args], { ...options, env });
}

test('prints only the token into a pipe', async () => {
  expect(await token()).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^eyJ\S+\n$/), stderr: '' });
});

test('uses the cache until it expires', async () => {
  await token();
  await token();
  expect((await requests()).map(({ operation }) => operation)).toEqual(['createToken']);
});

test('prints to a terminal only with --show-token; without it no request is sent', async () => {
  const refused = await token([], { terminal: true });
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain('--show-token');
  expect(refused.stdout + refused.stderr).not.toContain('eyJ');
  expect(await requests()).toEqual([]);
  const { exitCode, stdout } = await token(['--show-token'], { terminal: true });
  expect(exitCode).toBe(0);
  expect(stdout).toContain('eyJ');
});

test('exits with code 4 and prints nothing on stdout if logged out or if the key is refused', async () => {
  await callControl(sandbox.control, '/deactivate', { key: sandbox.keyId });
  const signedOut = { BOTCTL_KEY_ID: '', BOTCTL_KEY_SECRET: '' };
  for (const env of [signedOut, sandbox.env]) {
    const { exitCode, stdout } = await token([], { env });
    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' });
  }
});

test('logs the exchange without the token with --debug', async () => {
  const { stderr } = await token(['--debug']);
  expect(stderr).toContain('auth/token');
  expect(stderr).not.toContain('eyJ');
});
