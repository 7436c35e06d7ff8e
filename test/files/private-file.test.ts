import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makePrivateDirectory, writePrivateFile } from '../../src/files/private-file.ts';

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'botctl-files-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);

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

  it('sets both modes again at every write', () => {
    const directory = join(home, 'open');
    mkdirSync(directory, { mode: 0o755 });
    const file = join(directory, 'file');
    writeFileSync(file, 'old', { mode: 0o644 });
    writePrivateFile(file, 'new');
    expect([modeOf(directory), modeOf(file)]).toEqual(['700', '600']);
  });

  it('leaves no temporary file, whether it works or not', () => {
    const directory = join(home, 'taken');
    mkdirSync(join(directory, 'file'), { recursive: true });
    expect(() => writePrivateFile(join(directory, 'file'), 'text')).toThrow();
    writePrivateFile(join(directory, 'other'), 'text');
    expect(readdirSync(directory).sort()).toEqual(['file', 'other']);
  });

  it('keeps the old content where the new one cannot be written', () => {
    const file = join(home, 'file');
    writePrivateFile(file, 'old');
    expect(() => writePrivateFile(join(file, 'below'), 'new')).toThrow(
      expect.objectContaining({ code: 'ENOTDIR' }),
    );
    expect(readFileSync(file, 'utf8')).toBe('old');
  });
});

describe('makePrivateDirectory', () => {
  it('leaves the mode of a directory that many share', () => {
    const shared = join(home, 'shared');
    mkdirSync(shared);
    chmodSync(shared, 0o1777);
    makePrivateDirectory(shared);
    expect(modeOf(shared)).toBe('1777');
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
