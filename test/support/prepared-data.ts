import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { engine } from '../../src/sandbox/store/engine.ts';
import { unpackTemplate } from '../../src/sandbox/store/template.ts';

const dataIn = (sharedHome: string): string => join(sharedHome, 'data');

/**
 * Unpacks a sandbox's database once for all test files: it is hundreds of files, each brought to the disk by itself.
 * @param sharedHome the directory that test files share
 */
export async function prepareData(sharedHome: string): Promise<void> {
  const data = dataIn(sharedHome);
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(join(data, 'engine'), `${engine}\n`, { mode: 0o600 });
  await unpackTemplate(join(data, 'database'));
}

/** Copies the data directory of a sandbox that never ran to where none is yet. */
export function copyPreparedData(sharedHome: string, directory: string): void {
  copyDirectory(dataIn(sharedHome), directory);
}

/**
 * Copies a directory of files and directories, which become private. Of many files `cpSync` asks about each one several
 * times over, which costs more than copying them.
 */
export function copyDirectory(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyDirectory(source, target);
    else copyFileSync(source, target);
  }
}
