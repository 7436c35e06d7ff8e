import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startInBackground } from '../../src/commands/sandbox/background.ts';
import { Failure } from '../../src/lib/errors.ts';
import { readControlFile } from '../../src/sandbox/store/control-file.ts';
import { isInUse, refuseForeign } from '../../src/sandbox/store/ownership.ts';
import { findPaths } from '../../src/settings/paths.ts';
import { createProfiles } from '../../src/settings/profiles.ts';
import { PtyTerminal } from '../pty/pty-terminal.ts';
import { formsIn } from '../secrets/encodings.ts';
import { botctl, temporaryDirectory } from '../support/botctl.ts';
import { eventually } from '../support/eventually.ts';
import { startPasswordServer } from '../support/password-server.ts';
import { binary, start } from '../support/process.ts';
import { newData } from '../support/sandbox.ts';

/**
 * Returns a data directory for a sandbox that a test starts. A sandbox that still runs there after the test is killed.
 */
function endedData(): string {
  const data = newData();
  onTestFinished(() => endIn(data));
  return data;
}

const ownerIn = (data: string): number | undefined =>
  isInUse(data) ? readControlFile(data)?.pid : undefined;

async function endIn(data: string): Promise<void> {
  const pid = ownerIn(data);
  if (pid !== undefined) process.kill(pid, 'SIGKILL');
  await eventually(() => ownerIn(data) === undefined && (pid === undefined || hasEnded(pid)));
}

/**
 * Returns true once a process has exited, since it still writes into its home at its end. On Linux also if its parent
 * has not reaped it yet.
 */
function hasEnded(pid: number): boolean {
  try {
    return / [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}

const logIn = (data: string): string => readFileSync(join(data, 'sandbox.log'), 'utf8');

const detached = (data: string): readonly string[] => [
  'sandbox',
  'start',
  '--detach',
  '--port',
  '0',
  '--data',
  data,
];

/**
 * Returns preloaded code that delays the child process's report until it is told to end, or until its parent has gone.
 */
function slowToTell(): Readonly<Record<string, string>> {
  const file = join(temporaryDirectory(), 'slow.cjs');
  const script = `const { send } = process;
if (send) {
  const end = new Promise((resolve) => process.once('SIGTERM', resolve).once('disconnect', resolve));
  process.send = (...args) => void end.then(() => send.apply(process, args));
}`;
  writeFileSync(file, script);
  return { NODE_OPTIONS: `--require ${file}` };
}

describe('sandbox start --detach', () => {
  it('prints the row of a start once it is ready, and runs until "sandbox stop"', async () => {
    const data = endedData();
    const home = temporaryDirectory();
    const env = { BOTCTL_CONFIG_DIR: home };
    const starting = start([...detached(data), '-o', 'json'], { env });
    // Its streams close only if no running process holds them.
    expect(await starting.ended).toBe(0);
    const { stdout, stderr } = starting.output;
    const row: Record<string, unknown> = JSON.parse(stdout);
    expect(row).toEqual({
      base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      key_id: expect.any(String),
      key_secret: expect.any(String),
      pid: ownerIn(data),
      data,
    });
    expect(row.pid).not.toBe(starting.process.pid);
    expect(stderr).toContain('botctl --profile sandbox sandbox stop\n');
    const profile = createProfiles(findPaths(env).config).get('sandbox');
    expect(profile).toMatchObject({ baseUrl: row.base_url, keyId: row.key_id, sandboxData: data });
    expect(profile?.keySecret.reveal()).toBe(row.key_secret);
    const listed = await botctl(['--profile', 'sandbox', 'teams', 'list', '-o', 'json'], { env });
    expect(listed).toEqual({ exitCode: 0, stdout: '[]\n', stderr: '' });

    const log = join(data, 'sandbox.log');
    const status = await botctl(['sandbox', 'status', '--data', data, '-o', 'json'], { env });
    expect(JSON.parse(status.stdout)).toMatchObject({ pid: row.pid, log });
    expect(statSync(log).mode & 0o777).toBe(0o600);
    expect(logIn(data)).not.toContain(String(row.key_secret));

    for (const more of [[], ['--detach']]) {
      const second = await botctl(['sandbox', 'start', ...more, '--port', '0', '--data', data], { env });
      expect(second).toMatchObject({ exitCode: 2, stdout: '' });
      expect(second.stderr).toContain(`process ${row.pid}`);
    }
    const stopped = await botctl(['sandbox', 'stop', '--data', data, '-o', 'json'], { env });
    expect(stopped).toMatchObject({ exitCode: 0, stdout: `${JSON.stringify({ data, pid: row.pid })}\n` });
    expect(isInUse(data)).toBe(false);
    await eventually(() => hasEnded(Number(row.pid)));
  });

  it('runs one of two that start at the same time, and the other fails', async () => {
    const data = endedData();
    // These fields leave out the key's secret, which the profile stores.
    const line = [...detached(data), '-o', 'json', '--fields', 'base_url,pid'];
    const both = [start(line), start(line)];
    const codes = await Promise.all(both.map(({ ended }) => ended));
    expect(codes.toSorted()).toEqual([0, 2]);
    const printed = both.map(({ output }) => output.stdout).join('');
    expect(JSON.parse(printed)).toEqual({ base_url: expect.any(String), pid: ownerIn(data) });
    const said = both.map(({ output }) => output.stderr).join('');
    expect(said).not.toContain('botsecret_');
    expect(said).toMatch(new RegExp(`${data} is in use by the sandbox at .* \\(process ${ownerIn(data)}\\)`));
  });

  it('fails with the exit code and the error of a start in the foreground', async () => {
    const data = temporaryDirectory();
    const line = [...detached(data), '--host', '192.0.2.1', '-o', 'json'];
    const ahead = await botctl(line.filter((word) => word !== '--detach'));
    const behind = start(line);
    expect(await behind.ended).toBe(ahead.exitCode);
    const codeOf = (stderr: string): unknown => JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error.code;
    expect(behind.output.stdout).toBe('');
    expect(codeOf(behind.output.stderr)).toBe(codeOf(ahead.stderr));
    expect(logIn(data).endsWith(behind.output.stderr)).toBe(true);
    // It can be started again: the log does not count as a foreign file.
    expect(readdirSync(data)).toEqual(['sandbox.log']);
    refuseForeign(data);
  });

  it('changes nothing in a directory with other files', async () => {
    const data = temporaryDirectory();
    writeFileSync(join(data, 'notes.txt'), 'mine');
    const ran = await botctl(detached(data));
    expect(ran).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining('contains other files'),
    });
    expect(existsSync(join(data, 'sandbox.log'))).toBe(false);
  });

  it('ends the sandbox on Ctrl-C while it waits for it', async () => {
    const data = endedData();
    const starting = start(detached(data), { env: slowToTell() });
    const pid = await eventually(() => ownerIn(data));
    starting.process.kill('SIGINT');
    expect(await starting.ended).toBe('SIGINT');
    expect(starting.output.stdout).toBe('');
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(isInUse(data)).toBe(false);
  });

  it('leaves no sandbox behind if the waiting process was killed', async () => {
    const data = endedData();
    const starting = start(detached(data), { env: slowToTell() });
    const pid = await eventually(() => ownerIn(data));
    starting.process.kill('SIGKILL');
    await starting.ended;
    await eventually(() => ownerIn(data) === undefined);
    await eventually(() => hasEnded(pid));
  });

  it('keeps running when its terminal is closed', async () => {
    const data = endedData();
    const env = { BOTCTL_CONFIG_DIR: temporaryDirectory() };
    const shell = ['sh', '-c', '"$0" "$@"; cat', process.execPath, binary] as const;
    const terminal = new PtyTerminal(detached(data), { columns: 80, rows: 40 }, env, undefined, [...shell]);
    await terminal.until((text) => text.includes('sandbox sandbox stop'));
    const pid = ownerIn(data);
    terminal.kill('SIGHUP');
    await terminal.ended;
    const status = await botctl(['sandbox', 'status', '--data', data, '-o', 'json']);
    expect(JSON.parse(status.stdout)).toMatchObject({ pid });
  });

  it('reads a database password from the file PGPASSFILE, and never shows it', async () => {
    const canary = 'pw/canary+ü&1=2%';
    const server = await startPasswordServer();
    const home = temporaryDirectory();
    const file = join(home, 'pgpass');
    writeFileSync(file, `127.0.0.1:${server.port}:x:ana:${canary}\n`);
    chmodSync(file, 0o600);
    const running = start(
      [
        ...['sandbox', 'start', '--detach', '--database', `postgres://ana@127.0.0.1:${server.port}/x`],
        ...['--files', join(home, 'files'), '--data', join(home, 'data')],
      ],
      { env: { PGPASSFILE: file, BOTCTL_CONFIG_DIR: home } },
    );
    expect(await running.ended).toBe(2);
    expect(server.passwords).toEqual([canary]);
    expect(running.output.stdout).toBe('');
    const log = logIn(join(home, 'data'));
    expect(formsIn(running.output.stderr + log, canary)).toEqual([]);
  });
});

describe('a process in the background', () => {
  /** Starts a script instead of botctl. */
  const startScript = (data: string, script: string, signal = new AbortController().signal) => {
    const nowhere = process.stderr;
    const io = { env: process.env, signal, stdin: process.stdin, stdout: nowhere, stderr: nowhere };
    return startInBackground({ io }, data, [process.execPath, '-e', script]);
  };

  it('that ends before it is ready is reported with its exit code and its last lines', async () => {
    const data = temporaryDirectory();
    writeFileSync(join(data, 'sandbox.log'), 'of an earlier one\n');
    const script = `for (let line = 1; line <= 12; line += 1) console.log('line ' + line); process.exitCode = 7`;
    const failed: unknown = await startScript(data, script).catch((error: unknown) => error);
    expect(failed).toMatchObject({ exitCode: 9, message: expect.stringMatching(/code 7.*line 12$/s) });
    expect(String(failed)).not.toContain('earlier');
    expect(logIn(data)).toContain('of an earlier one\nline 1\n');
  });

  it('that is killed before it is ready is reported with the signal', async () => {
    const data = temporaryDirectory();
    writeFileSync(join(data, 'sandbox.log'), 'of an earlier one\n');
    const failed = startScript(data, `process.kill(process.pid, 'SIGKILL')`);
    await expect(failed).rejects.toMatchObject({
      exitCode: 9,
      message: expect.stringContaining('SIGKILL'),
    });
  });

  it('is not started after a signal', async () => {
    const reason = new Failure('interrupted', 'Interrupted.');
    const failed = startScript(temporaryDirectory(), '', AbortSignal.abort(reason));
    await expect(failed).rejects.toBe(reason);
  });

  it.each([
    ['a directory', 'mkdir'],
    ['a link', 'ln -s /dev/null'],
  ])('does not log into %s', async (_, command) => {
    const data = temporaryDirectory();
    execFileSync('sh', ['-c', `${command} "$0"`, join(data, 'sandbox.log')]);
    await expect(startScript(data, '')).rejects.toMatchObject({ exitCode: 2 });
  });
});
