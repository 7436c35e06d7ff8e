import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { replacesFile } from '../../../src/lib/files/file-failure.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

describe('an output path', () => {
  const place = (...steps: string[]): string => join(temporaryDirectory(), ...steps);

  it('replaces an existing file, and nothing if there is none', () => {
    const path = place('report.json');
    expect(replacesFile(path)).toBe(false);
    writeFileSync(path, '');
    expect(replacesFile(path)).toBe(true);
  });

  it('is refused if it leads to something else, or if its directory is missing', () => {
    const path = place('reports');
    mkdirSync(path);
    expect(() => replacesFile(path)).toThrow(`${path} is a directory.`);
    expect(() => replacesFile('/dev/null')).toThrow('/dev/null is not a regular file.');
    const nowhere = place('no', 'report.json');
    expect(() => replacesFile(nowhere)).toThrow(`Can't write ${nowhere}: its directory does not exist.`);
  });
});
