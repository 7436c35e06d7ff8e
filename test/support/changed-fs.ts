import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { onTestFinished, vi } from 'vitest';

/**
 * Has functions of node:fs do something else until the test ends, for whoever has imported them. Test files share a
 * process: a mock of the module comes too late for what an earlier file has loaded.
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
 * Imports a module anew while functions of node:fs do something else, for a module that takes them when it is loaded. Later tests
 * get another copy of it: test files share their modules too.
 */
export function importWithFs<T>(changes: Partial<typeof fs>, load: () => Promise<T>): Promise<T> {
  changeFs(changes);
  vi.resetModules();
  onTestFinished(() => void vi.resetModules());
  return load();
}
