import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ReadTenants, readTenants, type TenantsInput } from '../../../src/tenants/files/read-tenants.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** Writes files by their paths below a new folder, which it returns. */
export function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = temporaryDirectory();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

interface Given extends TenantsInput {
  readonly env?: Readonly<Record<string, string>>;
}

export function readIn(folder: string, { env = {}, ...input }: Given = {}): Promise<ReadTenants> {
  return readTenants({ env, signal: new AbortController().signal }, { paths: [folder], ...input });
}

/** Returns the problems of the tenants of a folder: `a.yaml:3:5: …`. */
export async function problemsIn(folder: string, given: Given = {}): Promise<readonly string[]> {
  const { problems } = await readIn(folder, given);
  return problems.map(({ place: { file, line, column }, message }) =>
    `${file}:${line}:${column}: ${message}`.replaceAll(`${folder}/`, ''),
  );
}
