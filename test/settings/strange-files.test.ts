import { execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Failure } from '../../src/lib/errors.ts';
import { tryLock } from '../../src/lib/files/lock.ts';
import { createNameCache } from '../../src/settings/completion-cache.ts';
import { botctl } from '../support/botctl.ts';
import { useSandbox } from '../support/sandbox.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const id = '5d0c1a52-3f0e-4c3b-9a53-0a9c8a1d9f10';
const sandbox = useSandbox();

/** Functions that put something unreadable in the place of a file. */
const strange: Readonly<Record<string, (path: string) => void>> = {
  'a link to nowhere': (path) => symlinkSync('nowhere', path),
  'a link to itself': (path) => symlinkSync(path, path),
  'a directory': (path) => mkdirSync(path),
  'a pipe': (path) => void execFileSync('mkfifo', [path]),
  'a link to an endless device': (path) => symlinkSync('/dev/zero', path),
};
const every = Object.keys(strange);

function put(what: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { force: true });
  strange[what]?.(path);
}

const identity = (): Readonly<Record<string, string>> => sandbox.env;

/** Makes waits for a lock or a pipe time out at the second attempt, until the test ends. */
function endWaiting(): void {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 60_000;
    return now;
  });
  onTestFinished(() => clock.mockRestore());
}

/** Returns a profile as stored in the config file. */
const profile = () => ({
  base_url: sandbox.baseUrl,
  key_id: sandbox.keyId,
  key_secret: sandbox.keySecret.reveal(),
});

it('the lock of a config file is not removed while a living process writes it', async () => {
  const home = temporaryDirectory();
  writeFileSync(join(home, 'config.json'), JSON.stringify({ profiles: { a: profile() } }));
  const attempt = tryLock(join(home, 'config.lock'));
  if (attempt.state !== 'acquired') throw new Error('the lock is not there to be taken');
  endWaiting();
  try {
    const line = ['profiles', 'set', 'a', '--page-size', '20'];
    const { exitCode, stderr } = await botctl(line, { env: { BOTCTL_CONFIG_DIR: home } });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`is being written by process ${process.pid}`);
    expect(stderr).not.toContain('rm ');
  } finally {
    attempt.lock.release();
  }
});

it('a config file that is nested too deeply is read, and reported on a write', async () => {
  const home = temporaryDirectory();
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const config = `{"profiles":{"a":${JSON.stringify(profile())}},"mine":${deep}}`;
  writeFileSync(join(home, 'config.json'), config);
  const env = { BOTCTL_CONFIG_DIR: home };
  expect(await botctl(['profiles', 'list'], { env })).toMatchObject({ exitCode: 0 });
  const { exitCode, stderr } = await botctl(['profiles', 'set', 'a', '--page-size', '20'], { env });
  expect(stderr).toContain('is nested too deeply');
  expect(exitCode).toBe(2);
  expect(readFileSync(join(home, 'config.json'), 'utf8')).toBe(config);
});

describe.each(every)('with %s in place of it,', (what) => {
  it('the lock of the config file is named, and nothing is written', async () => {
    const home = temporaryDirectory();
    const lock = join(home, 'config.lock');
    put(what, lock);
    const config = JSON.stringify({ current_profile: 'a', profiles: { a: profile() } });
    writeFileSync(join(home, 'config.json'), config);
    const line = ['profiles', 'set', 'a', '--page-size', '20'];
    const { exitCode, stderr } = await botctl(line, { env: { BOTCTL_CONFIG_DIR: home } });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`${lock} should be a lock file of botctl, but it is a`);
    expect(readFileSync(join(home, 'config.json'), 'utf8')).toBe(config);
  });

  it('the config file is named, or replaced if nothing is lost', async () => {
    const home = temporaryDirectory();
    const path = join(home, 'config.json');
    put(what, path);
    const { exitCode, stderr } = await botctl(['profiles', 'list'], { env: { BOTCTL_CONFIG_DIR: home } });
    if (what === 'a link to nowhere') expect(exitCode).toBe(0);
    else expect({ exitCode, stderr }).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(path) });
  });

  it.each(['devices.ndjson', 'devices.ndjson.lock'])(
    '%s of the device book prevents no command',
    async (name) => {
      const home = temporaryDirectory();
      const path = join(home, 'data', name);
      put(what, path);
      const env = { ...identity(), BOTCTL_CONFIG_DIR: home };
      const { exitCode } = await botctl(['device', 'add', id, '--name', 'Lobby', '--offline'], { env });
      expect([0, 2]).toContain(exitCode);
      // Only commands that show the book report that it can't be read, because an empty list would be wrong.
      const listed = await botctl(['device', 'list'], { env });
      if (name.endsWith('.lock') || what === 'a link to nowhere')
        expect(listed).toMatchObject({ exitCode: 0 });
      else expect(listed).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(path) });
      expect((await botctl(['device', 'status', id], { env })).stderr).not.toContain(path);
    },
  );

  it('the files of the caches prevent no command', async () => {
    const home = temporaryDirectory();
    const env = { ...identity(), BOTCTL_CONFIG_DIR: home };
    await botctl(['token'], { env });
    const tokens = join(home, 'cache', 'tokens');
    const [cached = ''] = readdirSync(tokens);
    put(what, join(tokens, `${cached.split('-')[0]}.lock`));
    rmSync(join(tokens, cached));
    put(what, join(tokens, cached));
    const names = join(home, 'cache', 'names', encodeURIComponent(sandbox.baseUrl), 'team.json');
    put(what, names);
    expect(await botctl(['token'], { env })).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^eyJ/),
      stderr: '',
    });
    expect(createNameCache(join(home, 'cache')).list(sandbox.baseUrl, 'team')).toEqual([]);
  });

  it.each([['sandbox.db'], ['engine'], ['key.json']])('%s of the sandbox is named', async (name) => {
    // A dangling link is replaced.
    if (name === 'key.json' && what === 'a link to nowhere') return;
    const data = join(temporaryDirectory(), 'sandbox');
    put(what, join(data, name));
    if (name === 'key.json') writeFileSync(join(data, 'sandbox.db'), '');
    const { exitCode, stderr } = await botctl(['sandbox', 'start', '--data', data, '--port', '0'], {});
    expect(exitCode).toBe(2);
    expect(stderr).toContain(data);
    expect(stderr).not.toContain('    at ');
  });

  it('the control file of the sandbox is named, or no sandbox is reported', async () => {
    const data = join(temporaryDirectory(), 'sandbox');
    put(what, join(data, 'control.json'));
    const { exitCode, stderr } = await botctl(['sandbox', 'clock', 'advance', '1h', '--data', data], {});
    expect([2, 8]).toContain(exitCode);
    expect(stderr).toContain(data);
  });

  it('the journal of a rotation, and its lock, are named', async () => {
    const home = temporaryDirectory();
    const journal = join(home, 'rotations', 'a.json');
    put(what, journal);
    const env = { ...identity(), BOTCTL_CONFIG_DIR: home };
    const { exitCode, stderr } = await botctl(['keys', 'rotate', '--yes'], { env });
    if (what !== 'a link to nowhere')
      expect({ exitCode, stderr }).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(journal) });
  });
});

describe('a file named by an option or a variable', () => {
  const variables = (file: string): Record<string, string> => {
    const { BOTCTL_KEY_SECRET: _, ...env } = sandbox.env;
    return { ...env, BOTCTL_KEY_SECRET_FILE: file };
  };
  const pipeIn = (directory: string): string => {
    const pipe = join(directory, 'pipe');
    execFileSync('mkfifo', [pipe]);
    return pipe;
  };

  it('is read no further than the limit of a secret', async () => {
    const { exitCode, stderr } = await botctl(['token'], { env: variables('/dev/zero') });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('/dev/zero (from BOTCTL_KEY_SECRET_FILE) contains more than the secret.');
  });

  it('is read no further than the limit of a body', async () => {
    const body = ['api', 'POST', '/x', '--body', '/dev/zero'];
    expect(await botctl(body, { env: identity() })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('/dev/zero is larger than 64 MiB.'),
    });
  });

  it('may be a pipe, as of a shell: <(pass show key)', async () => {
    const pipe = pipeIn(temporaryDirectory());
    const writer = spawn('sh', ['-c', `echo ${sandbox.keySecret.reveal()} > ${pipe}`], { stdio: 'ignore' });
    const { exitCode, stdout } = await botctl(['token'], { env: variables(pipe) });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^eyJ/) });
    writer.kill();
  });

  it('is not awaited after a signal', async () => {
    const pipe = pipeIn(temporaryDirectory());
    // Opened for writing as well, so that only the signal ends the wait.
    const writer = openSync(pipe, 'r+');
    const abort = new AbortController();
    const ended = botctl(['token'], { env: variables(pipe), signal: abort.signal });
    abort.abort(new Failure('terminated', 'Terminated.'));
    expect(await ended).toMatchObject({ exitCode: 143 });
    closeSync(writer);
  });

  it('is named if nothing is written to it', async () => {
    const pipe = pipeIn(temporaryDirectory());
    endWaiting();
    expect(await botctl(['token'], { env: variables(pipe) })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(
        `Can't read ${pipe} (from BOTCTL_KEY_SECRET_FILE): it is a pipe without a writer.`,
      ),
    });
  }, 10_000);
});
