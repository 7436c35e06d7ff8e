import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Direct, openDirect } from '../support/direct.ts';
import { start } from '../support/process.ts';
import { useSandbox } from '../support/sandbox.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const sandbox = useSandbox();
let direct: Direct;
let unwritable: string;

beforeEach(() => {
  direct = openDirect(sandbox);
  const file = join(temporaryDirectory(), 'file');
  writeFileSync(file, '');
  // Not even root can write below a regular file.
  unwritable = join(file, 'home');
});

/** The two ways in which botctl determines its directories. */
const places = {
  HOME: () => ({ HOME: unwritable, BOTCTL_CONFIG_DIR: '', APPDATA: unwritable, LOCALAPPDATA: unwritable }),
  BOTCTL_CONFIG_DIR: () => ({ BOTCTL_CONFIG_DIR: unwritable }),
};

const homes = ['HOME', 'BOTCTL_CONFIG_DIR'] as const;

describe.each(homes)('with a %s that cannot be written', (name) => {
  async function run(
    args: readonly string[],
    options: { env?: Record<string, string>; stdin?: string } = {},
  ) {
    const { stdin = '', env = sandbox.env } = options;
    const running = start(args, { env: { ...places[name](), ...env }, stdin });
    const exitCode = await running.ended;
    return { exitCode, ...running.output };
  }

  it('reads without a warning', async () => {
    await direct.team('Acme');
    const list = await run(['teams', 'list', '-o', 'json']);
    expect(list).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(list.stdout)).toMatchObject([{ name: 'Acme' }]);
    expect(await run(['token'])).toMatchObject({
      exitCode: 0,
      stderr: '',
      stdout: expect.stringMatching(/^\S+\n$/),
    });
  });

  it('makes the requested changes', async () => {
    await direct.team('Acme');
    expect((await run(['teams', 'update', 'Acme', '--name', 'Acme Coffee'])).exitCode).toBe(0);
    expect((await run(['bots', 'create', '--team', 'Acme Coffee', '--name', 'Desk'])).exitCode).toBe(0);
    expect(await direct.bots()).toMatchObject([{ name: 'Desk' }]);
  });

  it('prints the id of a new device on stderr, with a warning', async () => {
    const team = await direct.team('Acme');
    await direct.createBot(team, 'Desk');
    const args = [
      'device',
      'create',
      '--team',
      'Acme',
      '--bot',
      'Desk',
      '--name',
      'Counter',
      '--discard-token',
    ];
    const { exitCode, stdout, stderr } = await run([...args, '-o', 'id']);
    expect(exitCode, stderr).toBe(0);
    const id = stdout.trim();
    expect(id).toMatch(/^[\da-f-]{36}$/);
    expect(stderr).toMatch(new RegExp(`device book can't be written[^]*Keep this id: ${id}`));
    // Further commands need only the id.
    expect(await run(['device', 'status', id, '-o', 'json'])).toMatchObject({ exitCode: 0 });
  });

  it('refuses to log in, suggests an alternative, and prints no secret', async () => {
    const { baseUrl, keyId, keySecret } = sandbox;
    const args = ['login', '--base-url', baseUrl, '--key-id', keyId, '--key-secret-file', '-'];
    const { exitCode, stdout, stderr } = await run(args, { env: {}, stdin: keySecret.reveal() });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain("can't be written");
    expect(stderr).toContain('BOTCTL_CONFIG_DIR');
    expect(stderr).not.toContain(keySecret.reveal());
  });

  it('reports that no user is logged in, exit code 4', async () => {
    const { exitCode, stderr } = await run(['whoami'], { env: {} });
    expect(exitCode).toBe(4);
    expect(stderr).toContain('botctl login');
  });
});
