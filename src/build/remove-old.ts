import { readdirSync, rmSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { Plugin } from 'rolldown';

/**
 * Removes files that earlier builds left in the directory of a bundle, once the files of this one are there: a
 * program that is started meanwhile finds all of one build.
 * @param others files there that another bundle or a later step makes
 */
export function removeOld(others: readonly string[]): Plugin {
  return {
    name: 'remove-old',
    writeBundle({ dir = '.' }, bundle) {
      const known = new Set([...Object.keys(bundle), ...others]);
      for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name);
        const name = relative(dir, path).replaceAll(sep, '/');
        if (!entry.isDirectory() && !known.has(name)) rmSync(path);
      }
    },
  };
}
