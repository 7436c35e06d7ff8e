import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const sentence = 'The kitchen closes at ten, and at eleven on the days before a holiday. ';

const size = 100_000;

/** Writes this many different files of 100 kB into a new folder. */
export function writeSamples(folder: string, count: number): void {
  mkdirSync(folder);
  const text = sentence.repeat(size / sentence.length + 1);
  for (let number = 0; number < count; number += 1)
    writeFileSync(join(folder, `${number}.txt`), `${number} ${text}`.slice(0, size - 1).concat('.'));
}
