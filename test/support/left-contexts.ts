import { AsyncLocalStorage } from 'node:async_hooks';
import { onTestFinished } from 'vitest';

const entered = new Set<AsyncLocalStorage<unknown>>();

AsyncLocalStorage.prototype.run = new Proxy(AsyncLocalStorage.prototype.run, {
  apply(run, storage: AsyncLocalStorage<unknown>, given): unknown {
    entered.add(storage);
    return Reflect.apply(run, storage, given);
  },
});

/**
 * Leaves the async contexts that questions entered when the test ends: up to Node 22, each promise of a process costs
 * more once a question was asked in it.
 */
export function leaveContexts(): void {
  onTestFinished(() => {
    for (const storage of entered) storage.disable();
    entered.clear();
  });
}
