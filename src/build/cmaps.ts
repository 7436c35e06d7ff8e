import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { packageRoot } from '../lib/package-root.ts';

/** The file, below the directory of the program. */
export const cmapsFile = 'cmaps.br';

/** Puts the CMaps that cmaps/pack.mjs packed beside the program. Without them most older PDFs in Chinese, Japanese and Korean have no text. */
export const cmaps: Plugin = {
  name: 'cmaps',
  writeBundle({ dir = '.' }) {
    copyFileSync(join(packageRoot(), 'src', 'build', 'cmaps', cmapsFile), join(dir, cmapsFile));
  },
};
