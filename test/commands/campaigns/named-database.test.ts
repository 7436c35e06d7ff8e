import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allCommands } from '../../../src/commands/branches.ts';
import { Secret } from '../../../src/secrets/secret.ts';
import { formsIn } from '../../secrets/encodings.ts';
import { settingsIn } from '../../settings/support.ts';
import { botctl, type RunOptions, temporaryDirectory } from '../../support/botctl.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { startPasswordServer } from '../../support/password-server.ts';

/** An address where nothing listens. */
const url = 'postgres://ana@127.0.0.1:1/campaigns';
const shown = 'postgres://127.0.0.1:1/campaigns';
const canary = 'pw-canary-p0stgr3s';
const service = 'http://127.0.0.1:1';
const id = '3fa85f64-5717-4562-b3fc-2c963f66afa6';

const number = '+5511988887777';
const lines: Readonly<Record<string, readonly string[]>> = {
  'campaigns add': ['spring', '--recipients', '-'],
  'campaigns cancel': ['spring', '--yes'],
  'campaigns create': ['spring', '--recipients', '-', '--device', id, '--message', 'Hello!'],
  'campaigns delete': ['spring', '--confirm', 'spring'],
  'campaigns get': ['spring'],
  'campaigns list': [],
  'campaigns migrate': [],
  'campaigns pause': ['spring'],
  'campaigns results': ['spring'],
  'campaigns run': ['spring', '--yes'],
  'campaigns settle': ['spring', '1', '--accepted'],
  'campaigns test': ['spring', '--to', number, '--yes'],
  'optouts add': [number],
  'optouts import': ['-'],
  'optouts list': [],
  'optouts remove': [number, '--yes'],
};

const all = await allCommands();

/** Runs a command with a profile of an unused service, and returns the files below its home too. */
async function run(path: string, more: readonly string[] = [], options: RunOptions = {}, database?: string) {
  const home = temporaryDirectory();
  const { profiles } = settingsIn(home);
  const key = { keyId: 'key-1', keySecret: new Secret('a-secret-of-it') };
  await profiles.save({ name: 'default', baseUrl: service, ...key });
  if (database !== undefined) await profiles.configure('default', () => ({ database }));
  const ran = await botctl([...path.split(' '), ...(lines[path] ?? []), ...more], {
    clock: new FakeClock(),
    stdin: `${number}\n`,
    ...options,
    env: { BOTCTL_CONFIG_DIR: home, ...options.env },
  });
  const kept = ['campaigns', 'optouts'].some((name) => existsSync(join(home, 'data', name)));
  return { ...ran, stderr: ran.stderr.replace(/\s+/g, ' '), kept };
}

describe('a database of campaigns', () => {
  it('can be named in every command about campaigns and opt-outs', () => {
    const paths = all.map(({ path }) => path).filter((path) => /^(?:campaigns|optouts) /.test(path));
    expect(paths.toSorted()).toEqual(Object.keys(lines).toSorted());
  });

  it.each(Object.keys(lines))('is used by %s instead of a file', async (path) => {
    const { exitCode, stdout, stderr, kept } = await run(path, ['--database', url]);
    expect({ stdout, kept }).toEqual({ stdout: '', kept: false });
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain(shown);
  });

  it('receives no password without TLS on another machine, and a warning if its certificate is not checked', async () => {
    // 0.0.0.0 leads to this machine, but is not a loopback address.
    const plain = await startPasswordServer();
    const env = { PGPASSWORD: canary };
    const bare = await run('optouts list', ['--database', `postgres://ana@0.0.0.0:${plain.port}/x`], { env });
    expect([bare.exitCode, plain.passwords]).toEqual([8, []]);
    expect(bare.stderr).toContain('sslmode=disable');
    const secured = await startPasswordServer({ hasTls: true });
    const unchecked = `postgres://ana@0.0.0.0:${secured.port}/x?sslmode=require`;
    const ran = await run('optouts list', ['--database', unchecked], { env });
    expect(secured.passwords).toEqual([canary]);
    expect(ran.stderr.match(/is not checked \(sslmode=require\)/g)).toHaveLength(1);
  });

  it('is refused with a password on the command line, which is printed nowhere', async () => {
    for (const path of ['campaigns list', 'optouts list']) {
      const withPassword = url.replace('ana', `ana:${canary}`);
      const { exitCode, stderr } = await run(path, ['--database', withPassword, '--debug']);
      expect(exitCode).toBe(2);
      expect(stderr).toContain('Use PGPASSWORD, PGPASSFILE or BOTCTL_DATABASE');
      expect(formsIn(stderr, canary)).toEqual([]);
    }
  });

  it('is that of the environment or the profile if the command names none, also for send', async () => {
    const send = ['--device', id, '--to', number, '--message', 'Ready.'];
    for (const [path, more] of [
      ['campaigns list', []],
      ['optouts list', []],
      ['send', send],
    ] as const) {
      const byVariable = await run(path, more, { env: { BOTCTL_DATABASE: url } });
      expect(byVariable.exitCode).not.toBe(0);
      expect(byVariable.stderr).toContain(shown);
      const byProfile = await run(path, more, {}, url);
      expect(byProfile.exitCode).not.toBe(0);
      expect(byProfile.stderr).toContain(shown);
    }
  });

  it('prevents sending without it while the opt-outs in the database of a profile are unknown', async () => {
    const env = { BOTCTL_BASE_URL: service, BOTCTL_KEY_ID: 'key-2', BOTCTL_KEY_SECRET: 'another-secret' };
    const send = ['--device', id, '--to', number, '--message', 'Ready.'];
    for (const [path, more] of [
      ['send', send],
      ['optouts list', []],
    ] as const) {
      const ran = await run(path, more, { env }, url);
      expect(ran).toMatchObject({ exitCode: 8, stdout: '' });
      expect(ran.stderr).toContain(
        `Profile default stores the opt-outs of this service in a database. ${shown}`,
      );
      expect(ran.stderr).toContain('botctl profiles set default --unset database');
    }
    expect(await run('campaigns list', [], { env }, url)).toMatchObject({ exitCode: 0 });
  });

  it('is required to import opt-outs into', async () => {
    const none = await run('optouts import', ['--local']);
    expect(none.stderr).toContain("--local can't be combined with a file.");
    const home = temporaryDirectory();
    const env = { BOTCTL_CONFIG_DIR: home, BOTCTL_BASE_URL: service };
    const key = { BOTCTL_KEY_ID: 'key-2', BOTCTL_KEY_SECRET: 'another-secret' };
    for (const [args, says] of [
      [['--local'], 'and none is set'],
      [[], '<file> is missing.'],
    ] as const) {
      const refused = await botctl(['optouts', 'import', ...args], { env: { ...env, ...key } });
      expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
      expect(refused.stderr).toContain(says);
    }
  });
});
