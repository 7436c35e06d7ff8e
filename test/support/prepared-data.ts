import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { engine } from '../../src/sandbox/store/engine.ts';
import { unpackTemplate } from '../../src/sandbox/store/template.ts';

const dataIn = (sharedHome: string): string => join(sharedHome, 'data');

/**
 * Unpacks a sandbox's database once for all test files: it is a thousand files, each brought to the disk by itself.
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
  cpSync(dataIn(sharedHome), directory, { recursive: true });
}
