import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { onTestFinished } from 'vitest';

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
