import type { Failure, FailureKind } from './errors.ts';

/** How a batch is worked on. */
export interface BatchOptions<R> {
  /** Items that are worked on at the same time, at most. */
  readonly concurrency: number;
  /** Nothing is begun once it is aborted. */
  readonly signal: AbortSignal;
  /** True if no other item is to be begun once this came of one. What is under way is waited for. */
  endsWith(result: R): boolean;
}

/**
 * Works on many items, several at a time. Yields what comes of each as soon as it is there, so not in the order of the
 * items. Whoever takes no more results ends the batch too: nothing is begun after that, and what is under way is waited
 * for, since it may not be possible to take it back.
 *
 * @param items taken one by one, each when there is a place for it; ended with the batch
 * @param work gives what came of an item; what it throws is unexpected, and ends the batch
 * @throws whatever `work` threw first, once nothing is under way any more
 */
export async function* runBatch<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  work: (item: T) => Promise<R>,
  { concurrency, signal, endsWith }: BatchOptions<R>,
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
        // One that fails is met in its turn.
        task.catch(() => undefined);
        running.set(key, task);
      }
    }
  };
  try {
    for (await begin(); running.size > 0; await begin()) {
      const { key, result } = await Promise.race(running.values());
      running.delete(key);
      if (endsWith(result)) isOpen = false;
      yield result;
    }
  } finally {
    await Promise.allSettled(running.values());
    // What gives the items may have something to close.
    if (!isExhausted) await arriving.return?.();
  }
}

/** What says of the service, not of an item, that it doesn't work. */
const brokenKinds: ReadonlySet<FailureKind> = new Set(['network', 'rateLimited', 'outcomeUnknown']);

/** After so many in a row that failed by that, the others would as well. */
const maxBrokenInARow = 3;

/** Tells by what came of items, one after the other, when none of the others can get past what stopped them. */
export class BrokenService {
  #inARow = 0;
  #isOver = false;

  /** True once no other item is to be begun. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * Notes what came of an item; a signal and a refused key end it at once.
   * @param failure undefined where it succeeded
   */
  note(failure: Failure | undefined): void {
    this.#inARow = failure && brokenKinds.has(failure.kind) ? this.#inARow + 1 : 0;
    const stopsAll = failure?.isInterruption === true || failure?.kind === 'authentication';
    if (stopsAll || this.#inARow >= maxBrokenInARow) this.#isOver = true;
  }
}

/**
 * Says how to go on after items that failed or were not begun. The same command alone helps only if nothing has to be corrected
 * first: what a service or a check refused is refused again.
 */
export function rerunHint(failures: readonly Failure[]): string {
  const isRefused = ({ kind, isWrongInput }: Failure): boolean => kind === 'rejected' || isWrongInput;
  return failures.length > 0 && failures.every(isRefused)
    ? 'Correct what was refused, then run the same command again for the rest.'
    : 'Run the same command again for the rest.';
}
