import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { onTestFinished, vi } from 'vitest';

/**
 * Replaces functions of node:fs until the test ends, for every module that has imported them. Test files share a
 * process, so a mock of the module would come too late for modules that an earlier file has loaded.
 */
export function changeFs(changes: Partial<typeof fs>): void {
  const before = Object.fromEntries(Object.entries(fs).filter(([name]) => Object.hasOwn(changes, name)));
  const set = (functions: object): void => {
    Object.assign(fs, functions);
    syncBuiltinESMExports();
  };
  set(changes);
  onTestFinished(() => set(before));
}

/**
 * Imports a module again while functions of node:fs are replaced, for a module that reads them when it is loaded. Test
 * files share their modules too, so later tests get another copy.
 */
export function importWithFs<T>(changes: Partial<typeof fs>, load: () => Promise<T>): Promise<T> {
  changeFs(changes);
  vi.resetModules();
  onTestFinished(() => void vi.resetModules());
  return load();
}
