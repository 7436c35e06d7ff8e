import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const sentence = 'The kitchen closes at ten, and at eleven on the days before a holiday. ';

/** Bytes of each, and characters. */
export const sampleSize = 100_000;

/** The name of a file, and of its document. */
export function sampleName(number: number): string {
  return `${number}.txt`;
}

/** Writes so many files of 100 kB into a new folder, each another one. */
export function writeSamples(folder: string, count: number): void {
  mkdirSync(folder);
  const text = sentence.repeat(sampleSize / sentence.length + 1);
  for (let number = 0; number < count; number += 1)
    writeFileSync(join(folder, sampleName(number)), `${number} ${text}`.slice(0, sampleSize - 1).concat('.'));
}
