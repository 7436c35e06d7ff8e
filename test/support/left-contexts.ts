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
 * Ends with the test what a question has begun: up to Node 22 each promise of a process costs more, once a question was
 * asked in it.
 */
export function leaveContexts(): void {
  onTestFinished(() => {
    for (const storage of entered) storage.disable();
    entered.clear();
  });
}
