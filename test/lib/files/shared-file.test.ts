import fs, { chmodSync, fstatSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { replaceSharedFile, replaceSharedFileMeanwhile } from '../../../src/lib/files/shared-file.ts';
import { temporaryDirectory } from '../../support/botctl.ts';

/** Lets nothing synchronise a directory until the test is over, as on some network drives. */
function refuseDirectories(): void {
  const { fsync, fsyncSync } = fs;
  const invalid = Object.assign(new Error('EINVAL: invalid argument, fsync'), { code: 'EINVAL' });
  const isDirectory = (handle: number) => fstatSync(handle).isDirectory();
  const spies = [
    vi.spyOn(fs, 'fsyncSync').mockImplementation((handle) => {
      if (isDirectory(handle)) throw invalid;
      fsyncSync(handle);
    }),
    vi.spyOn(fs, 'fsync').mockImplementation((handle, then) => {
      if (isDirectory(handle)) then(invalid);
      else fsync(handle, then);
    }),
  ];
  syncBuiltinESMExports();
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
    syncBuiltinESMExports();
  });
}

describe.each([{ replace: replaceSharedFile }, { replace: replaceSharedFileMeanwhile }])(
  '$replace.name',
  ({ replace }) => {
    it.each([0o666, 0o600, 0o640])('keeps the mode of a file, whatever the umask takes: %o', async (mode) => {
      const file = join(temporaryDirectory(), 'lock.json');
      writeFileSync(file, 'before');
      chmodSync(file, mode);
      await replace(file, 'after');
      expect(readFileSync(file, 'utf8')).toBe('after');
      expect(statSync(file).mode & 0o777).toBe(mode);
    });

    it('replaces a file also where no directory can be synchronised', async () => {
      const directory = temporaryDirectory();
      const file = join(directory, 'lock.json');
      writeFileSync(file, 'before');
      refuseDirectories();
      await replace(file, 'after');
      expect(readFileSync(file, 'utf8')).toBe('after');
      expect(readdirSync(directory)).toEqual(['lock.json']);
    });
  },
);
