import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Returns the directory of this package, searching upwards from the running module: from `src` in the tests, from
 * `dist` or `dist/chunks` in the built program.
 * @throws Error if no package.json above is botctl's
 */
export function packageRoot(): string {
  let directory = import.meta.dirname;
  while (packageName(directory) !== 'botctl') {
    const parent = dirname(directory);
    if (parent === directory) throw new Error(`no package.json of botctl above ${import.meta.dirname}`);
    directory = parent;
  }
  return directory;
}

function packageName(directory: string): unknown {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
    return typeof manifest === 'object' && manifest !== null && 'name' in manifest
      ? manifest.name
      : undefined;
  } catch {
    return undefined;
  }
}
