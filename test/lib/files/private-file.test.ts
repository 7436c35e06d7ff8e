import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makePrivateDirectory } from '../../../src/lib/files/private-file.ts';

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'botctl-files-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);

describe('makePrivateDirectory', () => {
  it('creates directories that only their owner may enter', () => {
    makePrivateDirectory(join(home, 'a', 'b'));
    expect([modeOf(join(home, 'a', 'b')), modeOf(join(home, 'a'))]).toEqual(['700', '700']);
  });

  it.each(['1777', '2775', '755'])('keeps the mode of an existing directory (%s)', (mode) => {
    const shared = join(home, 'shared');
    mkdirSync(shared);
    chmodSync(shared, mode);
    makePrivateDirectory(shared);
    expect(modeOf(shared)).toBe(mode);
  });

  it('keeps the modes of parent directories', () => {
    const above = join(home, 'above');
    mkdirSync(above, { mode: 0o755 });
    makePrivateDirectory(join(above, 'below'));
    expect(modeOf(above)).toBe('755');
  });

  it.runIf(process.platform === 'linux')('fails and does not loop if no directory can be created', () => {
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
