import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeFiles } from '../../../src/tenants/export/write-files.ts';
import { temporaryDirectory } from '../../support/botctl.ts';

const deviceOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.dev;

/** A directory on another file system than the tests' temporary ones; undefined if there is none. */
const elsewhere = ['/dev/shm', '/tmp'].find(
  (path) => ![undefined, deviceOf(tmpdir())].includes(deviceOf(path)),
);

describe('the files of an export', () => {
  it.skipIf(elsewhere === undefined)(
    'are put in place even if a folder among them is on another file system',
    () => {
      const folder = temporaryDirectory();
      const other = mkdtempSync(join(String(elsewhere), '.botctl-test-'));
      try {
        symlinkSync(other, join(folder, 'aurora'));
        const files = [
          { path: 'aurora.yaml', text: 'version: 1\n' },
          { path: 'aurora/front.md', text: 'Be kind.\n' },
        ];
        writeFiles(folder, files);
        for (const { path, text } of files) expect(readFileSync(join(folder, path), 'utf8')).toBe(text);
        expect([...readdirSync(folder), ...readdirSync(other)]).toEqual([
          'aurora',
          'aurora.yaml',
          'front.md',
        ]);
      } finally {
        rmSync(other, { recursive: true });
      }
    },
  );

  it('do not exist if one cannot be placed, and are counted if that fails after some are', () => {
    const folder = temporaryDirectory();
    const [one, two] = ['one.yaml', 'two.yaml'].map((path) => ({ path, text: 'version: 1\n' }));
    if (!one || !two) throw new TypeError('two files are meant');
    mkdirSync(join(folder, two.path));
    expect(() => writeFiles(folder, [one, two])).toThrow('two.yaml is a directory');
    expect(readdirSync(folder)).toEqual([two.path]);
    const nowhere = { ...two, path: 'far/below/two.yaml' };
    expect(() => writeFiles(folder, [one, nowhere])).toThrow(`Can't write ${join(folder, nowhere.path)}: `);
    expect(readdirSync(folder)).toEqual([two.path]);
    // A folder cannot be created where an earlier file has the same name.
    const inIt = { ...two, path: 'three/in-it.yaml' };
    const three = { ...two, path: 'three' };
    expect(() => writeFiles(folder, [one, three, inIt])).toThrow('1 of 3 files were written.');
    expect(readdirSync(folder)).toEqual([one.path, 'three', two.path]);
    expect(readdirSync(join(folder, 'three'))).toEqual([]);
  });
});
