import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  formatFileList,
  markUsed,
  type PackedFiles,
  parseFileList,
  unpack,
} from '../../src/executable/unpack.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const contents: Readonly<Record<string, string>> = { 'package.json': '{}', 'dist/main.cjs': 'run()' };
let reads = 0;
const files: PackedFiles = {
  id: 'abc',
  sizes: new Map(Object.entries(contents).map(([path, text]) => [path, text.length])),
  read: (path) => {
    reads++;
    return Buffer.from(contents[path] ?? '');
  },
};
const now = new Date('2026-11-29T12:00:00Z');

beforeEach(() => {
  vi.stubEnv('TMPDIR', temporaryDirectory('tmp'));
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const textsIn = (directory: string): unknown =>
  Object.fromEntries(
    Object.keys(contents).map((path) => [path, readFileSync(join(directory, path), 'utf8')]),
  );

describe('the files of an executable', () => {
  it('are unpacked once, only for this user', () => {
    const cache = join(temporaryDirectory('cache'), 'botctl');
    const directory = unpack(files, cache, now);
    expect(textsIn(directory)).toEqual(contents);
    expect(statSync(directory).mode & 0o077).toBe(0);
    expect(statSync(join(directory, 'dist/main.cjs')).mode & 0o777).toBe(0o600);
    reads = 0;
    expect(unpack(files, cache, now)).toBe(directory);
    expect(reads).toBe(0);
    expect(readdirSync(join(cache, 'programs'))).toEqual(['abc']);
  });

  it.each<[string, (file: string) => void]>([
    ['is empty after a power failure', (file) => writeFileSync(file, '')],
    ['is longer', (file) => writeFileSync(file, `${contents['dist/main.cjs']};evil()`)],
  ])('are unpacked again if one %s', (_, damage) => {
    const cache = temporaryDirectory('cache');
    const directory = unpack(files, cache, now);
    damage(join(directory, 'dist/main.cjs'));
    expect(textsIn(unpack(files, cache, now))).toEqual(contents);
  });

  it.skipIf(process.platform === 'win32')(
    'are stored elsewhere if others may write into the directory',
    () => {
      const cache = temporaryDirectory('cache');
      const programs = join(cache, 'programs');
      mkdirSync(join(programs, 'abc', 'dist'), { recursive: true });
      for (const [path, text] of Object.entries(contents))
        writeFileSync(join(programs, 'abc', path), text.replace('run', 'bad'));
      chmodSync(programs, 0o777);
      const directory = unpack(files, cache, now);
      expect(directory.startsWith(cache)).toBe(false);
      expect(textsIn(directory)).toEqual(contents);
    },
  );

  it('are stored elsewhere if nothing can be written', () => {
    const cache = join(temporaryDirectory('cache'), 'file');
    writeFileSync(cache, '');
    expect(textsIn(unpack(files, cache, now))).toEqual(contents);
  });

  it('of versions that were not used for 30 days are removed', () => {
    const cache = temporaryDirectory('cache');
    const daysAgo = (days: number): Date => new Date(now.getTime() - days * 86_400_000);
    for (const [id, days] of Object.entries({ old: 31, recent: 29 })) {
      mkdirSync(join(cache, 'programs', id), { recursive: true });
      utimesSync(join(cache, 'programs', id), daysAgo(days), daysAgo(days));
    }
    unpack(files, cache, now);
    expect(readdirSync(join(cache, 'programs')).toSorted()).toEqual(['abc', 'recent']);
  });

  it('are kept if they were used within 30 days', () => {
    const cache = temporaryDirectory('cache');
    const directory = unpack(files, cache, now);
    const later = new Date(now.getTime() + 29 * 86_400_000);
    unpack(files, cache, later);
    unpack({ ...files, id: 'newer' }, cache, new Date(later.getTime() + 29 * 86_400_000));
    expect(existsSync(directory)).toBe(true);
  });

  it('are marked as used by a long-running process', () => {
    const cache = temporaryDirectory('cache');
    const directory = unpack(files, cache, now);
    const later = new Date(now.getTime() + 31 * 86_400_000);
    markUsed(directory, later);
    unpack({ ...files, id: 'newer' }, cache, later);
    expect(existsSync(directory)).toBe(true);
    // A read-only disk or a missing directory causes no error.
    markUsed(join(cache, 'none'), later);
  });

  it('are listed as text', () => {
    const { id, sizes } = files;
    expect(parseFileList(formatFileList(files))).toEqual({ id, sizes });
    expect(() => parseFileList('abc\nnonsense')).toThrow('nonsense');
  });
});
