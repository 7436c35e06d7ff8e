import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import type { Plugin } from 'rolldown';
import { packageRoot } from '../lib/package-root.ts';

/** The file, relative to the program's directory. */
const cmapsFile = 'cmaps.br';

/**
 * Copies the CMaps packed by cmaps/pack.mjs into the program's directory. Without them most older PDFs in Chinese,
 * Japanese and Korean have no text.
 */
export const cmaps: Plugin = {
  name: 'cmaps',
  writeBundle({ dir = '.' }) {
    copyFileSync(join(packageRoot(), 'src', 'build', 'cmaps', cmapsFile), join(dir, cmapsFile));
  },
};

/** The file, relative to the program's directory. */
const phoneNumbersFile = 'phone-numbers.br';

/**
 * Writes the numbering plans of all countries into the program's directory: few commands need them, and in the code
 * they would take 39 KB. The smaller tables of the package are insufficient: without the types of numbers, a number
 * without its area code would pass.
 */
export const phoneNumbers: Plugin = {
  name: 'phone-numbers',
  writeBundle({ dir = '.' }) {
    const table = join(packageRoot(), 'node_modules', 'libphonenumber-js', 'metadata.max.json');
    writeFileSync(join(dir, phoneNumbersFile), brotliCompressSync(readFileSync(table)));
  },
};
