import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { start } from './process.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const made = (): readonly string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith('botctl-between-'));
const processes = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length;

/** Returns the error of a call, and whether it left a directory or a process. */
function outcomeOf(call: () => unknown): { thrown: unknown; isLeft: boolean } {
  const before = [made().length, processes()];
  try {
    return { thrown: call(), isLeft: true };
  } catch (thrown) {
    return { thrown, isLeft: String([made().length, processes()]) !== String(before) };
  }
}

// A test that timed out still runs after its end: then, as here, no test is current.
const between = {
  'a directory': outcomeOf(() => temporaryDirectory('between')),
  'a process': outcomeOf(() => start(['--version'])),
};

describe('between tests', () => {
  it.each(Object.entries(between))('%s is refused before it exists', (_what, { thrown, isLeft }) => {
    expect(thrown).toBeInstanceOf(Error);
    expect(isLeft).toBe(false);
  });
});

describe('in a test', () => {
  let directory = '';

  it('has its own directory', () => {
    directory = temporaryDirectory();
    writeFileSync(join(directory, 'file'), '');
    expect(temporaryDirectory()).not.toBe(directory);
  });

  it('removes it afterwards', () => {
    expect(directory).not.toBe('');
    expect(existsSync(directory)).toBe(false);
  });
});
