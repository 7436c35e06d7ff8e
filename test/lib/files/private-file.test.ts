import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, {
  chmodSync,
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
import { makePrivateDirectory, writePrivateFile } from '../../../src/lib/files/private-file.ts';

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'botctl-files-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);

/** Makes a function of node:fs fail as on a bad disk, until the test is over. */
function fails(name: 'writeFileSync' | 'fsyncSync' | 'renameSync'): void {
  const spy = vi.spyOn(fs, name).mockImplementation(() => {
    throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
}

/** Reads a file again and again until one that is called `stop` is there, and says what it saw. */
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

describe('writePrivateFile', () => {
  it('writes a file that only its owner may read, below directories that only its owner may enter', () => {
    const file = join(home, 'a', 'b', 'c.json');
    writePrivateFile(file, 'text');
    expect(readFileSync(file, 'utf8')).toBe('text');
    expect([modeOf(file), modeOf(join(home, 'a', 'b')), modeOf(join(home, 'a'))]).toEqual([
      '600',
      '700',
      '700',
    ]);
  });

  it('takes bytes, and nothing at all', () => {
    const file = join(home, 'file');
    writePrivateFile(file, new Uint8Array([0, 255, 10]));
    expect([...readFileSync(file)]).toEqual([0, 255, 10]);
    writePrivateFile(file, '');
    expect(readFileSync(file, 'utf8')).toBe('');
  });

  it('sets the mode of the file again at every write, and leaves that of a directory that was there', () => {
    const directory = join(home, 'open');
    mkdirSync(directory, { mode: 0o755 });
    const file = join(directory, 'file');
    writeFileSync(file, 'old', { mode: 0o644 });
    writePrivateFile(file, 'new');
    expect([modeOf(directory), modeOf(file)]).toEqual(['755', '600']);
  });

  it('leaves no temporary file, whether it works or not', () => {
    const directory = join(home, 'taken');
    mkdirSync(join(directory, 'file'), { recursive: true });
    expect(() => writePrivateFile(join(directory, 'file'), 'text')).toThrow();
    writePrivateFile(join(directory, 'other'), 'text');
    expect(readdirSync(directory).sort()).toEqual(['file', 'other']);
  });

  it.each(['writeFileSync', 'fsyncSync', 'renameSync'] as const)(
    'keeps the old content, and nothing beside it, where %s fails',
    (name) => {
      const file = join(home, 'file');
      writePrivateFile(file, 'old');
      fails(name);
      expect(() => writePrivateFile(file, 'new')).toThrow(expect.objectContaining({ code: 'EIO' }));
      expect(readFileSync(file, 'utf8')).toBe('old');
      expect(readdirSync(home)).toEqual(['file']);
    },
  );

  it('never shows a part to another process that reads meanwhile', async () => {
    const file = join(home, 'file');
    const size = 4_000_000;
    const [one, other] = [Buffer.alloc(size, 'a'), Buffer.alloc(size, 'b')];
    writePrivateFile(file, one);
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
    for (let round = 0; round < 20; round += 1) writePrivateFile(file, round % 2 === 0 ? other : one);
    writeFileSync(join(home, 'stop'), '');
    await once(child, 'close');
    const seen: unknown = JSON.parse(said.split('\n')[1] ?? '');
    expect(seen).toEqual(expect.arrayContaining([`${size}aa`]));
    expect([`${size}aa`, `${size}bb`]).toEqual(expect.arrayContaining([seen].flat()));
  });
});

describe('makePrivateDirectory', () => {
  it.each(['1777', '2775', '755'])('leaves the mode of a directory that was there (%s)', (mode) => {
    const shared = join(home, 'shared');
    mkdirSync(shared);
    chmodSync(shared, mode);
    makePrivateDirectory(shared);
    expect(modeOf(shared)).toBe(mode);
  });

  it('leaves the modes of directories above', () => {
    const above = join(home, 'above');
    mkdirSync(above, { mode: 0o755 });
    makePrivateDirectory(join(above, 'below'));
    expect(modeOf(above)).toBe('755');
  });

  it.runIf(process.platform === 'linux')('fails, and does return, where no directory can be made', () => {
    expect(() => makePrivateDirectory('/proc/1/nowhere/at/all')).toThrow(
      expect.objectContaining({ code: 'ENOENT' }),
    );
  });

  it('fails for a path that goes through a file', () => {
    const file = join(home, 'file');
    writeFileSync(file, '');
    expect(() => makePrivateDirectory(join(file, 'a', 'b'))).toThrow(
      expect.objectContaining({ code: 'ENOTDIR' }),
    );
    expect(() => makePrivateDirectory(file)).toThrow(expect.objectContaining({ code: 'ENOTDIR' }));
  });
});
