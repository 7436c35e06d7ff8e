import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, {
  chmodSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { writeFileAtomically } from '../../../src/lib/files/atomic-write.ts';

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'botctl-files-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);

/** Makes a function of node:fs fail as on a bad disk, until the test ends. */
function fails(name: 'writeSync' | 'fsyncSync' | 'renameSync'): void {
  const spy = vi.spyOn(fs, name).mockImplementation(() => {
    throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
}

/** Makes syncs of directories fail until the test ends, as on some network drives. */
function refuseDirectories(): void {
  const { fsyncSync } = fs;
  const invalid = Object.assign(new Error('EINVAL: invalid argument, fsync'), { code: 'EINVAL' });
  const isDirectory = (handle: number) => fstatSync(handle).isDirectory();
  const spy = vi.spyOn(fs, 'fsyncSync').mockImplementation((handle) => {
    if (isDirectory(handle)) throw invalid;
    fsyncSync(handle);
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
}

/** Reads a file repeatedly until a file called `stop` exists, and prints the contents it saw. */
const reader = `
  const { existsSync, readFileSync } = require('node:fs');
  const seen = new Set();
  const read = () => {
    const text = readFileSync('file', 'latin1');
    seen.add(text.length + text[0] + text.at(-1));
  };
  read();
  console.log('reading');
  while (!existsSync('stop')) read();
  console.log(JSON.stringify([...seen]));`;

describe('writeFileAtomically', () => {
  it('writes a private file under any umask', () => {
    const file = join(home, 'file');
    const umask = process.umask(0o777);
    onTestFinished(() => void process.umask(umask));
    writeFileAtomically(file, 'text');
    expect(readFileSync(file, 'utf8')).toBe('text');
    expect(modeOf(file)).toBe('600');
  });

  it('writes bytes, and an empty file', () => {
    const file = join(home, 'file');
    writeFileAtomically(file, new Uint8Array([0, 255, 10]));
    expect([...readFileSync(file)]).toEqual([0, 255, 10]);
    writeFileAtomically(file, '');
    expect(readFileSync(file, 'utf8')).toBe('');
  });

  it('sets the mode of the file at every write, and keeps that of an existing directory', () => {
    const directory = join(home, 'open');
    mkdirSync(directory, { mode: 0o755 });
    const file = join(directory, 'file');
    writeFileSync(file, 'old', { mode: 0o644 });
    writeFileAtomically(file, 'new');
    expect([modeOf(directory), modeOf(file)]).toEqual(['755', '600']);
  });

  it('leaves no temporary file, on success or failure', () => {
    const directory = join(home, 'taken');
    mkdirSync(join(directory, 'file'), { recursive: true });
    expect(() => writeFileAtomically(join(directory, 'file'), 'text')).toThrow();
    writeFileAtomically(join(directory, 'other'), 'text');
    expect(readdirSync(directory).sort()).toEqual(['file', 'other']);
  });

  it.each(['writeSync', 'fsyncSync', 'renameSync'] as const)(
    'keeps the old content, and leaves nothing else, if %s fails',
    (name) => {
      const file = join(home, 'file');
      writeFileAtomically(file, 'old');
      fails(name);
      expect(() => writeFileAtomically(file, 'new')).toThrow(expect.objectContaining({ code: 'EIO' }));
      expect(readFileSync(file, 'utf8')).toBe('old');
      expect(readdirSync(home)).toEqual(['file']);
    },
  );

  it('never exposes a part to another process that reads meanwhile', async () => {
    const file = join(home, 'file');
    const size = 4_000_000;
    const [one, other] = [Buffer.alloc(size, 'a'), Buffer.alloc(size, 'b')];
    writeFileAtomically(file, one);
    const child = spawn(process.execPath, ['-e', reader], {
      cwd: home,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await vi.waitFor(() => expect(said).toContain('reading'), { timeout: 10_000 });
    for (let round = 0; round < 20; round += 1) writeFileAtomically(file, round % 2 === 0 ? other : one);
    writeFileSync(join(home, 'stop'), '');
    await once(child, 'close');
    const seen: unknown = JSON.parse(said.split('\n')[1] ?? '');
    expect(seen).toEqual(expect.arrayContaining([`${size}aa`]));
    expect([`${size}aa`, `${size}bb`]).toEqual(expect.arrayContaining([seen].flat()));
  });

  it.each([0o666, 0o600, 0o640])('keeps the mode of a shared file under any umask: %o', (mode) => {
    const file = join(home, 'lock.json');
    writeFileSync(file, 'before');
    chmodSync(file, mode);
    writeFileAtomically(file, 'after', { isShared: true });
    expect(readFileSync(file, 'utf8')).toBe('after');
    expect(statSync(file).mode & 0o777).toBe(mode);
  });

  it('replaces a file even if directories cannot be synced', () => {
    const file = join(home, 'file');
    writeFileSync(file, 'before');
    refuseDirectories();
    writeFileAtomically(file, 'after');
    expect(readFileSync(file, 'utf8')).toBe('after');
    expect(readdirSync(home)).toEqual(['file']);
  });

  it('replaces no file of another process if it must be new', () => {
    const file = join(home, 'file');
    writeFileAtomically(file, 'first', { isNew: true });
    const second = (): unknown => writeFileAtomically(file, 'second', { isNew: true });
    expect(second).toThrow(expect.objectContaining({ code: 'EEXIST' }));
    expect(readFileSync(file, 'utf8')).toBe('first');
    expect(readdirSync(home)).toEqual(['file']);
  });
});

it('keeps the old content if the check, which runs after the new one is written, fails', () => {
  const path = join(home, 'file');
  writeFileSync(path, 'old');
  const check = (): void => {
    expect(readdirSync(home)).toHaveLength(2);
    throw new Error('the lock is lost');
  };
  expect(() => writeFileAtomically(path, 'new', { check })).toThrow('the lock is lost');
  expect(readFileSync(path, 'utf8')).toBe('old');
  expect(readdirSync(home)).toEqual(['file']);
});
