import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inputFailure } from '../../lib/errors.ts';
import { writeFailure } from '../../lib/files/file-failure.ts';
import { schemaText } from '../files/schema.ts';
import tenant from './aurora.yaml?raw';
import instructions from './front-desk.md?raw';
import menu from './menu.txt?raw';

/**
 * Writes an example tenant with its texts and the schema. Returns the paths.
 * @throws Failure `invalidInput` if one of them exists, before any is written, and if one can't be written
 */
export async function writeExample(folder: string): Promise<readonly string[]> {
  const files = [
    [join(folder, 'aurora.yaml'), tenant],
    [join(folder, 'aurora', 'front-desk.md'), instructions],
    [join(folder, 'aurora', 'menu.txt'), menu],
    [join(folder, 'tenants.schema.json'), `${schemaText()}\n`],
  ] as const;
  const existing = files.map(([path]) => path).filter((path) => existsSync(path));
  if (existing.length > 0) {
    throw inputFailure(
      existing.map((path) => `${path} already exists.`),
      'Nothing was written. Name another folder.',
    );
  }
  for (const [path, text] of files) {
    try {
      // Not recursive: if the parent folder is missing too, the name is probably mistyped.
      if (!existsSync(dirname(path))) mkdirSync(dirname(path));
      writeFileSync(path, text, { flag: 'wx' });
    } catch (error) {
      throw writeFailure(path, error);
    }
  }
  return files.map(([path]) => path);
}
