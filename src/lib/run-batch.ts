import type { Failure, FailureKind } from './errors.ts';

/** Options of a batch. */
export interface BatchOptions<R> {
  /** The most items that run at the same time. */
  readonly concurrency: number;
  /** No item begins once it is aborted. */
  readonly signal: AbortSignal;
  /** True if no other item should begin after this result. Running items are waited for. */
  stopsAfter(result: R): boolean;
}

/**
 * Runs work on many items, several at a time. Yields each result as soon as it is there, so not in the order of the items. A
 * consumer that stops early ends the batch too: no item begins after that, and running items are waited for, since they may
 * have taken effect.
 *
 * @param items read one by one, each when there is room for it; closed with the batch
 * @param work returns the result of an item; an error of it is unexpected, and ends the batch
 * @throws the first error of `work`, once nothing runs any more
 */
export async function* runBatch<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  work: (item: T) => Promise<R>,
  { concurrency, signal, stopsAfter }: BatchOptions<R>,
): AsyncGenerator<R, void, void> {
  const arriving = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const running = new Map<symbol, Promise<{ readonly key: symbol; readonly result: R }>>();
  let isOpen = true;
  let isExhausted = false;
  const begin = async (): Promise<void> => {
    while (isOpen && !signal.aborted && running.size < concurrency) {
      const next = await arriving.next();
      if (next.done) {
        isOpen = false;
        isExhausted = true;
      } else {
        const key = Symbol('item');
        const task = work(next.value).then((result) => ({ key, result }));
        // Promise.race reports a rejection; this only marks it as handled.
        task.catch(() => undefined);
        running.set(key, task);
      }
    }
  };
  try {
    for (await begin(); running.size > 0; await begin()) {
      const { key, result } = await Promise.race(running.values());
      running.delete(key);
      if (stopsAfter(result)) isOpen = false;
      yield result;
    }
  } finally {
    await Promise.allSettled(running.values());
    // The source of the items may have a file or a connection to close.
    if (!isExhausted) await arriving.return?.();
  }
}

/** Failures that concern the service, not the item. */
const serviceFailureKinds: ReadonlySet<FailureKind> = new Set(['network', 'rateLimited', 'outcomeUnknown']);

/** After so many such failures in a row the other items would fail too. */
const maxConsecutiveFailures = 3;

/** Decides by the results of items whether any more of them can succeed. */
export class CircuitBreaker {
  #inARow = 0;
  #isOpen = false;

  /** True once no other item should begin. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Records the result of an item. A signal and a refused key open the breaker at once.
   * @param failure undefined if it succeeded
   */
  record(failure: Failure | undefined): void {
    this.#inARow = failure && serviceFailureKinds.has(failure.kind) ? this.#inARow + 1 : 0;
    const stopsAll = failure?.isInterruption === true || failure?.kind === 'authentication';
    if (stopsAll || this.#inARow >= maxConsecutiveFailures) this.#isOpen = true;
  }
}

/**
 * Returns the hint after items that failed or did not begin. Running the command again helps only if nothing has to be corrected
 * first: the service refuses again what it refused before.
 */
export function rerunHint(failures: readonly Failure[]): string {
  const isRefused = ({ kind, isWrongInput }: Failure): boolean => kind === 'rejected' || isWrongInput;
  return failures.length > 0 && failures.every(isRefused)
    ? 'Correct what was refused, then run the same command again for the rest.'
    : 'Run the same command again for the rest.';
}
