import type { Failure, FailureKind } from './errors.ts';

/** Options of a batch. */
export interface BatchOptions<R> {
  /** Maximum items processed at the same time. */
  readonly concurrency: number;
  /** No further item starts once it is aborted. */
  readonly signal: AbortSignal;
  /** Returns true if no further item should start after this result. Running items are awaited. */
  stopsAfter(result: R): boolean;
}

/**
 * Runs work on many items concurrently. Yields each result as soon as it is available, so not in the order of the
 * items. A consumer that stops early also ends the batch: no further item starts, and running items are awaited,
 * because they may have taken effect.
 *
 * @param items read one by one, as capacity permits; closed at the end of the batch
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

/** Failures caused by the service, not the item. */
const serviceFailureKinds: ReadonlySet<FailureKind> = new Set(['network', 'rateLimited', 'outcomeUnknown']);

/** After this many consecutive failures, the other items would fail too. */
const maxConsecutiveFailures = 3;

/** Decides from the results of items whether further items can succeed. */
export class CircuitBreaker {
  #inARow = 0;
  #isOpen = false;

  /** True if no further item should start. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Records the result of an item. A signal and a refused key open the breaker immediately.
   * @param failure undefined if the item succeeded
   */
  record(failure: Failure | undefined): void {
    this.#inARow = failure && serviceFailureKinds.has(failure.kind) ? this.#inARow + 1 : 0;
    const stopsAll = failure?.isInterruption === true || failure?.kind === 'authentication';
    if (stopsAll || this.#inARow >= maxConsecutiveFailures) this.#isOpen = true;
  }
}

/**
 * Returns the hint after items that failed or did not start. Running the command again helps only if nothing has to be
 * corrected first: the service would refuse the same items again.
 */
export function rerunHint(failures: readonly Failure[]): string {
  const isRefused = ({ kind, isWrongInput }: Failure): boolean => kind === 'rejected' || isWrongInput;
  return failures.length > 0 && failures.every(isRefused)
    ? 'Correct what was refused, then run the same command again for the rest.'
    : 'Run the same command again for the rest.';
}
