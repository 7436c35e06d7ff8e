import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A directory that test files share; it is removed after the last of them. */
    sharedHome: string;
  }
}

/** Creates the directory that test files share. Returns the function that removes it after all tests. */
export default async function makeSharedHome(project: TestProject): Promise<() => void> {
  const directory = mkdtempSync(join(tmpdir(), 'botctl-shared-'));
  project.provide('sharedHome', directory);
  project.provide('testServer', '');
  return () => rmSync(directory, { recursive: true, force: true });
}
