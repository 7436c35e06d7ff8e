import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FileLook } from '../../src/documents/file.ts';
import { KnownHashes } from '../../src/settings/known-hashes.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const sha256 = 'ab'.repeat(32);
const look: FileLook = { size: 1, modified: 1, mark: '1 1 1', marked: 1 };
const later = 10_000;
const opened = (cache: string, folder = 'handbook', isRead = true): KnownHashes =>
  new KnownHashes(cache, [folder], { isRead });

/** Keeps the hash of one file of a folder. */
function keep(cache: string, folder = 'handbook'): void {
  const known = opened(cache, folder);
  known.keep('menu.txt', look, sha256, later);
  known.save();
}

describe('kept hashes', () => {
  it('are those of files that have the same mark, and of no other folder', () => {
    const cache = temporaryDirectory();
    keep(cache);
    expect(opened(cache).hashOf('menu.txt', look)).toBe(sha256);
    expect(opened(cache).hashOf('menu.txt', { ...look, mark: '1 1 2' })).toBeUndefined();
    expect(opened(cache).hashOf('soup.txt', look)).toBeUndefined();
    expect(opened(cache, 'elsewhere').hashOf('menu.txt', look)).toBeUndefined();
    expect(opened(cache, 'handbook', false).hashOf('menu.txt', look)).toBeUndefined();
  });

  it('are none of a file of which the file system tells too little', () => {
    const cache = temporaryDirectory();
    const known = opened(cache);
    const unmarked = { ...look, mark: undefined };
    known.keep('menu.txt', unmarked, sha256, later);
    known.save();
    expect(opened(cache).hashOf('menu.txt', unmarked)).toBeUndefined();
    expect(readdirSync(cache)).toEqual([]);
  });

  it('go with the file, and are left as they are where nothing is new', () => {
    const cache = temporaryDirectory();
    keep(cache);
    const file = join(cache, 'hashes', readdirSync(join(cache, 'hashes'))[0] ?? '');
    utimesSync(file, 1, 1);
    const same = opened(cache);
    same.hashOf('menu.txt', look);
    same.save();
    // What is that old goes as soon as anything is written.
    expect(readdirSync(join(cache, 'hashes'))).toHaveLength(1);
    opened(cache).save();
    expect(opened(cache).hashOf('menu.txt', look)).toBeUndefined();
  });

  it('are kept of the folders that were synced last, and no longer than for a month', () => {
    const cache = temporaryDirectory();
    for (let folder = 0; folder < 40; folder += 1) keep(cache, `folder ${folder}`);
    expect(readdirSync(join(cache, 'hashes'))).toHaveLength(32);
    for (const name of readdirSync(join(cache, 'hashes'))) utimesSync(join(cache, 'hashes', name), 1, 1);
    keep(cache);
    expect(readdirSync(join(cache, 'hashes'))).toHaveLength(1);
  });

  it('are none where nothing can be written', () => {
    const cache = join(temporaryDirectory(), 'cache');
    writeFileSync(cache, '');
    keep(cache);
    expect(opened(cache).hashOf('menu.txt', look)).toBeUndefined();
    const linked = temporaryDirectory();
    mkdirSync(join(linked, 'hashes', 'menu'), { recursive: true });
    keep(linked);
    expect(opened(linked).hashOf('menu.txt', look)).toBe(sha256);
  });
});
