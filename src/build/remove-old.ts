import { readdirSync, rmSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { Plugin } from 'rolldown';

/**
 * Removes files that earlier builds left in the directory of a bundle, once the files of this one are there: a
 * program that is started meanwhile finds all of one build.
 * @param others files there that another bundle or a later step makes; one that ends with `/` is a directory
 */
export function removeOld(others: readonly string[]): Plugin {
  return {
    name: 'remove-old',
    writeBundle({ dir = '.' }, bundle) {
      const known = new Set([...Object.keys(bundle), ...others]);
      const directories = others.filter((other) => other.endsWith('/'));
      for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name);
        const name = relative(dir, path).replaceAll(sep, '/');
        const isKnown = known.has(name) || directories.some((directory) => name.startsWith(directory));
        if (!entry.isDirectory() && !isKnown) rmSync(path);
      }
    },
  };
}
