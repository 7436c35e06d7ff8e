import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Failure } from '../../lib/errors.ts';
import { readFailure } from '../../lib/files/file-failure.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { defaultFolder, planName } from '../default-folder.ts';

/**
 * Returns the files of tenants at some paths, each once: a file itself, and for a folder the YAML and JSON files directly
 * in it. State files, schemas and saved plans are omitted.
 * @param besides files with another purpose
 * @throws Failure `invalidInput` for a missing path, and for a folder without such files
 */
export async function findTenantFiles(
  paths: readonly string[],
  besides: readonly string[],
): Promise<readonly string[]> {
  const known = new Set(besides.map((path) => resolve(path)));
  const found: string[] = [];
  for (const path of paths.length > 0 ? paths : [defaultFolder]) {
    for (const file of await filesOf(path)) {
      const place = resolve(file);
      if (known.has(place)) continue;
      known.add(place);
      found.push(file);
    }
  }
  return found;
}

async function filesOf(path: string): Promise<readonly string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const files = await tenantFilesIn(path);
    if (files.length > 0) return files;
  } catch (error) {
    const failure = readFailure(path, error);
    throw failure instanceof Failure && path === defaultFolder ? failure.withHint(start) : failure;
  }
  throw new Failure('invalidInput', `${path} has no tenant files: none ends in .yaml, .yml or .json.`, {
    hint: start,
  });
}

/**
 * Returns the files of tenants directly in a folder, judged by name.
 * @throws the file system's error
 */
export async function tenantFilesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory() && isTenantFile(entry.name));
  return files.map(({ name }) => join(folder, name)).sort();
}

const start = remark`Name the files or their folder, or start with an example: ${command('tenants', 'init')}`;

/** Returns whether a file name is that of a tenants' file. */
export function isTenantFile(name: string): boolean {
  return (
    /^[^.].*\.(ya?ml|json)$/i.test(name) && !/\.(lock|schema)\.json$/i.test(name) && !planName.test(name)
  );
}
