import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { replaceSharedFile, replaceSharedFileMeanwhile } from '../../../src/lib/files/shared-file.ts';
import { temporaryDirectory } from '../../support/botctl.ts';

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
  },
);
