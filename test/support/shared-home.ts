import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { templateFile } from '../../src/sandbox/store/template.ts';
import { prepareData } from './prepared-data.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A directory for what several test files use; it goes away after the last of them. */
    sharedHome: string;
  }
}

/** Makes the directory that test files share, with what sandboxes begin with. Returns what removes it when all have run. */
export default async function makeSharedHome(project: TestProject): Promise<() => void> {
  const directory = mkdtempSync(join(tmpdir(), 'botctl-shared-'));
  // Without a built template the tests of a sandbox fail, and say so; the others need none.
  if (existsSync(templateFile())) await prepareData(directory);
  project.provide('sharedHome', directory);
  project.provide('testServer', '');
  return () => rmSync(directory, { recursive: true, force: true });
}
