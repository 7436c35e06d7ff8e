import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/errors.ts';
import { Secret } from '../../../src/secret.ts';
import { findPaths } from '../../../src/settings/paths.ts';
import { createProfiles, type Profiles } from '../../../src/settings/profiles.ts';
import { botctl, type Ran, type RunOptions, temporaryDirectory } from '../../support/botctl.ts';

/** Runs `sandbox start` in a home, does something while it is up, and ends it as Ctrl-C does. */
async function whileRunning(
  home: string,
  args: readonly string[],
  { act = async () => undefined, ...options }: RunOptions & { readonly act?: () => Promise<void> } = {},
): Promise<Ran> {
  const interrupt = new AbortController();
  const env = { BOTCTL_CONFIG_DIR: home };
  let over = false;
  const started = botctl(['sandbox', 'start', '--port', '0', ...args], {
    ...options,
    env,
    signal: interrupt.signal,
  }).finally(() => {
    over = true;
  });
  while (!over && !existsSync(join(home, 'data', 'sandbox', 'control.json'))) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await act().finally(() => interrupt.abort(new Failure('interrupted', 'Interrupted.')));
  return started;
}

const profilesOf = (home: string): Profiles => createProfiles(findPaths({ BOTCTL_CONFIG_DIR: home }).config);

const somebodysProfile = {
  name: 'sandbox',
  baseUrl: 'https://api.example',
  keyId: 'key_mine',
  keySecret: new Secret('a secret of mine'),
};

describe('sandbox start', () => {
  it('prints one line of JSON, stores its profile, and ends well with Ctrl-C', async () => {
    const home = temporaryDirectory();
    const data = join(home, 'data', 'sandbox');
    const env = { BOTCTL_CONFIG_DIR: home };
    const ran = await whileRunning(home, ['-o', 'json'], {
      act: async () => {
        const seeded = await botctl(['sandbox', 'seed', '--teams', '2', '-o', 'json'], { env });
        expect(JSON.parse(seeded.stdout)).toEqual({ teams: 2, bots: 0, documents: 0 });
        const second = await botctl(['sandbox', 'start', '--port', '0'], { env });
        expect(second.exitCode).toBe(2);
        expect(second.stderr).toContain('in use');
        const listed = await botctl(['--profile', 'sandbox', 'teams', 'list', '-o', 'json'], { env });
        expect(JSON.parse(listed.stdout)).toHaveLength(2);
      },
    });
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toMatch(/^[^\n]+\n$/);
    const row: Record<string, unknown> = JSON.parse(ran.stdout);
    expect(row).toEqual({
      base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      key_id: expect.any(String),
      key_secret: expect.any(String),
      pid: process.pid,
      data,
    });
    const profile = profilesOf(home).get('sandbox');
    expect(profile).toMatchObject({ baseUrl: row.base_url, keyId: row.key_id, writtenBy: 'sandbox' });
    expect(profile?.keySecret.reveal()).toBe(row.key_secret);
    expect(existsSync(join(data, 'control.json'))).toBe(false);
    expect((await botctl(['sandbox', 'publish', 'any'], { env })).exitCode).toBe(8);
  });

  it('tells a person what to type next, and keeps key and profile of the directory', async () => {
    const home = temporaryDirectory();
    await whileRunning(home, []);
    const before = profilesOf(home).get('sandbox');
    const ran = await whileRunning(home, [], { terminal: { columns: 80, rows: 24 } });
    const after = profilesOf(home).get('sandbox');
    expect(ran.exitCode).toBe(0);
    expect(after?.keyId).toBe(before?.keyId);
    for (const shown of [
      after?.baseUrl,
      after?.keyId,
      after?.keySecret.reveal(),
      join(home, 'data', 'sandbox'),
    ]) {
      expect(ran.stdout.replace(/\s+/g, '')).toContain(shown);
    }
    expect(ran.stderr).toContain('botctl --profile sandbox teams list');
    expect(ran.stderr).toContain('Ctrl-C');
  });

  it('leaves a profile of that name alone that is the user’s own', async () => {
    const home = temporaryDirectory();
    await profilesOf(home).save(somebodysProfile);
    const ran = await whileRunning(home, []);
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain('of your own');
    expect(ran.stderr).toContain('botctl login --base-url http://127.0.0.1:');
    expect(profilesOf(home).get('sandbox')).toMatchObject({
      keyId: 'key_mine',
      baseUrl: 'https://api.example',
    });
  });

  it('warns where the profile cannot be stored, and runs', async () => {
    const home = temporaryDirectory();
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'config.json'), 'not JSON');
    const ran = await whileRunning(home, ['-o', 'json']);
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain('could not be stored');
    expect(JSON.parse(ran.stdout)).toHaveProperty('base_url');
  });

  it('listens on this machine only', async () => {
    for (const host of ['0.0.0.0', '192.0.2.1', 'sandbox.example', '::']) {
      const ran = await botctl(['sandbox', 'start', '--port', '0', '--host', host]);
      expect(ran.exitCode).toBe(2);
      expect(ran.stdout).toBe('');
      expect(ran.stderr).toContain('this machine only');
    }
  });

  it('says that a port is in use, and takes no data directory then', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const address = taken.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const home = temporaryDirectory();
    const env = { BOTCTL_CONFIG_DIR: home };
    const ran = await botctl(['sandbox', 'start', '--port', String(port)], { env }).finally(() =>
      taken.close(),
    );
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain(`port ${port} is in use`);
    expect(existsSync(join(home, 'config.json'))).toBe(false);
    expect((await whileRunning(home, [])).exitCode).toBe(0);
  });
});

describe('a directory that holds something else', () => {
  it.each([
    ['beside nothing of ours', 'notes.txt'],
    ['where uploads would be', 'files/photos/a.jpg'],
  ])('is refused and left as it is: a file %s', async (_, name) => {
    const data = temporaryDirectory();
    const file = join(data, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'mine');
    chmodSync(data, 0o755);
    const ran = await botctl(['sandbox', 'start', '--port', '0', '--data', data]);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain('holds other things');
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect(statSync(data).mode & 0o777).toBe(0o755);
    expect(readdirSync(data)).toEqual([name.split('/')[0]]);
  });
});
