import fs, { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readInstructions } from '../../../src/commands/bots/bot-input.ts';
import { changeFs } from '../../support/changed-fs.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** Changes between the check of a file and its opening, or between its opening and reading. */
const meanwhile: { beforeOpening?: (() => void) | undefined; beforeReading?: (() => void) | undefined } = {};

/** The original function that opens a file, even if a test replaces it. */
const { openSync } = fs;

let directory: string;
let outside: string;

beforeEach(() => {
  changeFs({
    openSync(...args) {
      meanwhile.beforeOpening?.();
      const handle = openSync(...args);
      meanwhile.beforeReading?.();
      return handle;
    },
  });
  const home = realpathSync(temporaryDirectory());
  directory = join(home, 'bots');
  outside = join(home, 'outside');
  for (const [place, text] of [
    [join(directory, 'texts'), 'Be kind.'],
    [outside, 'a secret of this machine'],
  ] as const) {
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'front.txt'), text);
  }
});

afterEach(() => {
  meanwhile.beforeOpening = undefined;
  meanwhile.beforeReading = undefined;
});

const read = (): string => readInstructions('texts/front.txt', directory, 'bot.yaml:1: ');

test('a file that a link replaces after the check is refused', () => {
  meanwhile.beforeOpening = () => {
    rmSync(join(directory, 'texts', 'front.txt'));
    symlinkSync(join(outside, 'front.txt'), join(directory, 'texts', 'front.txt'));
  };
  expect(read).toThrow('must be a file in the folder of this file or below, not "texts/front.txt".');
});

test('a file whose directory a link replaces after the check is refused', () => {
  meanwhile.beforeOpening = () => {
    renameSync(join(directory, 'texts'), join(directory, 'old'));
    symlinkSync(outside, join(directory, 'texts'));
  };
  expect(read).toThrow('must be a file in the folder of this file or below, not "texts/front.txt".');
});

test('a link that was opened is refused even if the original is restored at once', () => {
  const texts = join(directory, 'texts');
  meanwhile.beforeOpening = () => {
    renameSync(texts, join(directory, 'old'));
    symlinkSync(outside, texts);
  };
  meanwhile.beforeReading = () => {
    rmSync(texts);
    renameSync(join(directory, 'old'), texts);
  };
  expect(read).toThrow('must be a file in the folder of this file or below, not "texts/front.txt".');
});

test('a file is opened once, and the opened file is the one that is read', () => {
  let opened = 0;
  meanwhile.beforeReading = () => {
    opened += 1;
  };
  expect(read()).toBe('Be kind.');
  expect(opened).toBe(1);
});
