import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import type { Plugin } from 'rolldown';
import { packageRoot } from '../lib/package-root.ts';

/** The file, below the directory of the program. */
const cmapsFile = 'cmaps.br';

/** Puts the CMaps that cmaps/pack.mjs packed beside the program. Without them most older PDFs in Chinese, Japanese and Korean have no text. */
export const cmaps: Plugin = {
  name: 'cmaps',
  writeBundle({ dir = '.' }) {
    copyFileSync(join(packageRoot(), 'src', 'build', 'cmaps', cmapsFile), join(dir, cmapsFile));
  },
};

/** The file, below the directory of the program. */
const phoneNumbersFile = 'phone-numbers.br';

/**
 * Writes what is known of the numbers of each country beside the program: few ever need it, and in the code it would take
 * 39 KB. The smaller tables of the package don't do: without the kinds of numbers one whose area code is missing passes.
 */
export const phoneNumbers: Plugin = {
  name: 'phone-numbers',
  writeBundle({ dir = '.' }) {
    const table = join(packageRoot(), 'node_modules', 'libphonenumber-js', 'metadata.max.json');
    writeFileSync(join(dir, phoneNumbersFile), brotliCompressSync(readFileSync(table)));
  },
};
