import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  acquireLock,
  type Lock,
  type LockAttempt,
  lockHint,
  lockHolder,
  tryLock,
} from '../../../src/lib/files/lock.ts';
import { processView } from '../../../src/lib/running-process.ts';
import { remarkText } from '../../../src/lib/text/remark.ts';
import { eventually } from '../../support/eventually.ts';

let home: string;
let file: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'botctl-lock-'));
  file = join(home, 'lock');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const acquired = (attempt: LockAttempt): Lock => {
  if (attempt.state !== 'acquired') throw new Error(`not acquired: ${JSON.stringify(attempt)}`);
  return attempt.lock;
};

/** Returns the text of a lock of another process, living or dead. */
const lockText = (content: Record<string, unknown>): string =>
  JSON.stringify({ view: processView(), ...content });

/** Writes such a lock, or any other text. */
const leave = (content: Record<string, unknown> | string): void =>
  writeFileSync(file, typeof content === 'string' ? content : lockText(content));

/** Returns a process id that no living process has. */
const deadPid = async (): Promise<number> => {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return child.pid ?? 0;
};

const living = async (): Promise<ChildProcess & { pid: number }> => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log()']);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  if (child.pid === undefined) throw new Error('no process');
  return Object.assign(child, { pid: child.pid });
};

describe('a lock', () => {
  it('is held once, even within one process, until it is released', () => {
    const lock = acquired(tryLock(file));
    expect(tryLock(file)).toMatchObject({ state: 'held', owner: { pid: process.pid } });
    lock.release();
    expect(existsSync(file)).toBe(false);
    acquired(tryLock(file)).release();
  });

  it('is a private file', () => {
    const lock = acquired(tryLock(file));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    lock.release();
  });

  it("never removes another process's file", () => {
    const lock = acquired(tryLock(file));
    leave({ identity: 'other', pid: process.ppid, started: undefined });
    const before = readFileSync(file, 'utf8');
    lock.release();
    lock.release();
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it('is not created if nothing can be written', () => {
    expect(tryLock(join(home, 'missing', 'lock'))).toMatchObject({
      state: 'unwritable',
      error: { code: 'ENOENT' },
    });
    writeFileSync(join(home, 'file'), '');
    expect(tryLock(join(home, 'file', 'lock'))).toMatchObject({
      state: 'unwritable',
      error: { code: 'ENOTDIR' },
    });
  });

  it.runIf(process.getuid?.() !== 0)('is not created in a read-only directory', () => {
    chmodSync(home, 0o500);
    expect(tryLock(file)).toMatchObject({ state: 'unwritable', error: { code: 'EACCES' } });
    chmodSync(home, 0o700);
  });

  it.each<[string, () => void]>([
    ['a directory', () => mkdirSync(file)],
    ['a link', () => symlinkSync('nowhere', file)],
    ['a link', () => symlinkSync(file, file)],
    ['a pipe', () => void execFileSync('mkfifo', [file])],
  ])('fails without waiting if it is %s', async (kind, make) => {
    make();
    expect(await acquireLock(file, { timeout: 60_000 })).toMatchObject({
      state: 'held',
      owner: undefined,
      obstacle: {
        kind: 'invalidInput',
        message: `${file} should be a lock file of botctl, but it is ${kind}.`,
      },
    });
  });
});

describe('an abandoned lock', () => {
  it('of a dead process is taken over', async () => {
    leave({ identity: 'gone', pid: await deadPid(), started: 'boot/1' });
    const lock = acquired(tryLock(file));
    expect(readdirSync(home)).toEqual(['lock']);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ pid: process.pid });
    lock.release();
  });

  it('of a living process is not', async () => {
    const { pid } = await living();
    leave({ identity: 'living', pid });
    expect(tryLock(file)).toMatchObject({ state: 'held', owner: { pid } });
  });

  it('of a living process of an earlier version, which names no host, is not either', async () => {
    const { pid } = await living();
    leave(JSON.stringify({ identity: 'living', pid }));
    utimesSync(file, new Date(0), new Date(0));
    expect(tryLock(file)).toMatchObject({ state: 'held', owner: { pid, isRemote: false } });
  });

  it.runIf(process.platform === 'linux')(
    'of an earlier process with the same number is taken over',
    async () => {
      const { pid } = await living();
      leave({ identity: 'earlier', pid, started: 'another boot/1' });
      acquired(tryLock(file)).release();
    },
  );

  it('with our own pid, as the first process of a container has again, is taken over', () => {
    leave({ identity: 'earlier', pid: process.pid, started: 'another boot/1' });
    acquired(tryLock(file)).release();
    leave({ identity: 'earlier', pid: process.pid });
    acquired(tryLock(file)).release();
  });

  it.runIf(process.platform === 'linux')('of a zombie process is taken over', async () => {
    // The child ends after the shell has become a sleep, which never reaps its children.
    const fifo = join(home, 'fifo');
    const shell = spawn('sh', ['-c', `mkfifo "$0"; cat "$0" & echo $!; exec sleep 60`, fifo]);
    onTestFinished(() => void shell.kill('SIGKILL'));
    const [line] = await once(shell.stdout, 'data');
    const pid = Number(String(line).trim());
    await eventually(() => readFileSync(`/proc/${shell.pid}/comm`, 'utf8') === 'sleep\n');
    await writeFile(fifo, '');
    await eventually(() => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '));
    leave({ identity: 'zombie', pid });
    acquired(tryLock(file)).release();
  });

  it('that is unreadable is taken over once it is too old to be incomplete, and if its date is in the future', () => {
    for (const content of [
      '',
      '{"identity":"cut o',
      '[]',
      lockText({ identity: '../x', pid: 1 }),
      lockText({ identity: 'x', pid: -1 }),
    ]) {
      leave(content);
      expect(tryLock(file)).toEqual({ state: 'held', file, owner: undefined });
      const past = Date.now() / 1000 - 60;
      utimesSync(file, past, past);
      acquired(tryLock(file)).release();
      leave(content);
      utimesSync(file, 2 ** 31, 2 ** 31);
      acquired(tryLock(file)).release();
    }
  });

  it('is taken over if an earlier taker died during it', async () => {
    const pid = await deadPid();
    leave({ identity: 'gone', pid });
    writeFileSync(`${file}.gone`, lockText({ identity: 'taker', pid }));
    acquired(tryLock(file)).release();
    expect(readdirSync(home)).toEqual([]);
  });

  it('is left to a living taker', async () => {
    const { pid } = await living();
    leave({ identity: 'gone', pid: await deadPid() });
    writeFileSync(`${file}.gone`, lockText({ identity: 'taker', pid }));
    expect(tryLock(file)).toMatchObject({ state: 'held', owner: { pid } });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ identity: 'gone' });
  });
});

describe('a lock of another container or machine', () => {
  /** Sets back the time at which the lock was last touched, in seconds. */
  const standStill = (seconds: number): void => {
    const past = Date.now() / 1000 - seconds;
    utimesSync(file, past, past);
  };

  it('is held while it is refreshed, although its process is not visible here', async () => {
    leave({ identity: 'theirs', pid: await deadPid(), view: 'elsewhere', started: 'boot/1' });
    standStill(15);
    expect(tryLock(file)).toMatchObject({ state: 'held', owner: { isRemote: true } });
    expect(readdirSync(home)).toEqual(['lock']);
    standStill(25);
    acquired(tryLock(file)).release();
    expect(readdirSync(home)).toEqual([]);
  });

  it('is taken over after 20 seconds even if its pid is that of a process here', () => {
    leave({ identity: 'theirs', pid: process.pid, view: 'elsewhere', started: 'boot/1' });
    expect(tryLock(file)).toMatchObject({ state: 'held' });
    standStill(25);
    acquired(tryLock(file)).release();
  });

  it("uses the file system's clock, not this machine's", () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    onTestFinished(() => void vi.useRealTimers());
    const lock = acquired(tryLock(file, 'elsewhere'));
    expect(tryLock(file)).toMatchObject({ state: 'held' });
    vi.setSystemTime(0);
    expect(tryLock(file)).toMatchObject({ state: 'held' });
    lock.release();
  });

  it('is refreshed by its holder every five seconds', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const lock = acquired(tryLock(file, 'elsewhere'));
    standStill(25);
    vi.advanceTimersByTime(5000);
    expect(tryLock(file)).toMatchObject({ state: 'held', owner: { isRemote: true } });
    lock.release();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is renewed by a check after its holder was suspended', () => {
    const lock = acquired(tryLock(file, 'elsewhere'));
    standStill(25);
    lock.check();
    expect(tryLock(file)).toMatchObject({ state: 'held' });
    lock.release();
  });

  it('is lost to its holder once another process has taken it over', () => {
    const lock = acquired(tryLock(file, 'elsewhere'));
    standStill(25);
    const other = acquired(tryLock(file));
    expect(() => lock.check()).toThrow(`Another process has taken over the lock ${file}`);
    expect(lock.lost.reason).toMatchObject({ kind: 'network' });
    lock.release();
    other.check();
    expect(tryLock(file)).toMatchObject({ state: 'held' });
    other.release();
  });

  it('is lost if its file was removed, which the next heartbeat detects too', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const lock = acquired(tryLock(file));
    rmSync(file);
    vi.advanceTimersByTime(5000);
    expect(lock.lost.aborted).toBe(true);
    expect(() => lock.check()).toThrow(file);
  });
});

describe('the message about a held lock', () => {
  const owner = { pid: 12, started: 'boot/1', isRemote: false };

  it('names the process, and does not suggest removing a lock in use', () => {
    expect(lockHolder({ owner })).toBe('process 12');
    expect(lockHint('Wait.', { file: '/data/lock', owner })).toBe('Wait.');
  });

  it('names the file if it is uncertain whether that process is the owner', () => {
    const unknown = { file: '/data/lock', owner: { ...owner, started: undefined } };
    expect(remarkText(lockHint('Wait.', unknown))).toBe(
      'Wait. If process 12 is not botctl, remove its lock: rm /data/lock',
    );
  });

  it('reports when the lock of another container or machine expires', () => {
    const elsewhere = { file: '/data/lock', owner: { ...owner, isRemote: true } };
    expect(lockHolder(elsewhere)).toBe('process 12 of another container or machine');
    expect(remarkText(lockHint('Wait.', elsewhere))).toBe(
      'Wait. If that process was killed, its lock /data/lock expires after 20 seconds.',
    );
  });

  it('suggests how to remove it if its owner is unknown', () => {
    expect(lockHolder({ owner: undefined })).toBe('another process');
    expect(remarkText(lockHint('Wait.', { file: '/data/lock', owner: undefined }))).toBe(
      'Wait. If no botctl is running, remove its lock: rm /data/lock',
    );
  });
});

describe('waiting for a lock', () => {
  it('ends with its release', async () => {
    const first = acquired(tryLock(file));
    const onWait = vi.fn();
    const waiting = acquireLock(file, { timeout: 10_000 }, onWait);
    expect(onWait).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ state: 'held', file }));
    first.release();
    acquired(await waiting).release();
    expect(onWait).toHaveBeenCalledTimes(1);
  });

  it('ends with the name of its holder on a timeout or a signal', async () => {
    const first = acquired(tryLock(file));
    expect(await acquireLock(file, { timeout: 0 })).toMatchObject({
      state: 'held',
      owner: { pid: process.pid },
    });
    expect(await acquireLock(file, { timeout: 30 })).toMatchObject({ state: 'held' });
    const signal = AbortSignal.timeout(10);
    expect(await acquireLock(file, { timeout: 60_000, signal })).toMatchObject({ state: 'held' });
    first.release();
  });

  it('does not wait if no lock can be created', async () => {
    const missing = join(home, 'missing', 'lock');
    expect(await acquireLock(missing, { timeout: 60_000 })).toMatchObject({ state: 'unwritable' });
  });
});

describe('many processes', () => {
  /**
   * Acquires the lock repeatedly, and leaves every other one as if it had died. Exits with 3 if another process holds
   * it at the same time.
   */
  const contender = `
    import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
    import { tryLock } from './files/lock.mjs';
    const [dead, view] = process.argv.slice(2);
    while (!existsSync('go'));
    for (let round = 0; round < 40; round += 1) {
      let attempt = tryLock('lock');
      while (attempt.state === 'held') attempt = tryLock('lock');
      try { writeFileSync('inside', '', { flag: 'wx' }); } catch { process.exit(3); }
      await new Promise((resolve) => setTimeout(resolve, 1));
      rmSync('inside');
      if (round % 2 === 0) attempt.lock.release();
      else {
        const identity = 'gone-' + process.pid + '-' + round;
        writeFileSync(identity, JSON.stringify({ identity, pid: Number(dead), view }));
        renameSync(identity, 'lock');
      }
    }
    process.kill(process.pid, 'SIGKILL');`;

  it('never hold it together, even if some of them die', { timeout: 60_000 }, async () => {
    const modules = [
      'running-process',
      'files/lock',
      'files/read-file',
      'database-address',
      'parse',
      'errors',
      'json-object',
      'clock',
      'text/characters',
      'text/compare',
      'text/remark',
      'text/quote',
    ];
    const { ModuleKind, ScriptTarget, transpileModule } = (await import('typescript')).default;
    const options = { module: ModuleKind.ESNext, target: ScriptTarget.ES2022 };
    mkdirSync(join(home, 'files'));
    mkdirSync(join(home, 'text'));
    mkdirSync(join(home, 'database'));
    for (const module of modules) {
      const text = readFileSync(
        fileURLToPath(new URL(`../../../src/lib/${module}.ts`, import.meta.url)),
        'utf8',
      );
      const { outputText } = transpileModule(text, { compilerOptions: options });
      writeFileSync(join(home, `${module}.mjs`), outputText.replace(/(from '.+)\.ts'/g, "$1.mjs'"));
    }
    writeFileSync(join(home, 'contender.mjs'), contender);
    const dead = String(await deadPid());
    const children = Array.from({ length: 5 }, () =>
      spawn(process.execPath, ['contender.mjs', dead, processView()], { cwd: home, stdio: 'inherit' }),
    );
    const ends = Promise.all(children.map((child) => once(child, 'exit')));
    writeFileSync(join(home, 'go'), '');
    expect(await ends).toEqual(children.map(() => [null, 'SIGKILL']));
    acquired(tryLock(file)).release();
  });
});
