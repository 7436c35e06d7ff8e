import { Batches } from '../lib/iterables.ts';
import type { Progress } from '../lib/reporter.ts';
import type { Terminal } from './terminal.ts';

/** Delay in milliseconds. A quicker response needs no sign of progress; after more than 100 ms a user wonders. */
const spinnerDelayMs = 60;

/** Shows a spinner, unless the work ends before the delay. Returns the function that ends it. */
export function spinAfterDelay(terminal: Pick<Terminal, 'progress'>, text: string): () => void {
  let progress: Progress | undefined;
  const timer = setTimeout(() => {
    progress = terminal.progress(text);
  }, spinnerDelayMs);
  return () => {
    clearTimeout(timer);
    progress?.stop();
  };
}

/**
 * Yields the same rows, and calls back once the first one arrives, or there is none. Waits only for the first one:
 * a list may have millions.
 */
export function onFirstRow<T>(rows: AsyncIterable<T>, onRow: () => void): AsyncIterable<T> {
  if (rows instanceof Batches) return new Batches(firstOf(rows.batches, onRow));
  return firstOf(rows, onRow);
}

function firstOf<T>(rows: AsyncIterable<T>, onRow: () => void): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = rows[Symbol.asyncIterator]();
      let isFirst = true;
      return {
        next() {
          if (!isFirst) return iterator.next();
          isFirst = false;
          return iterator.next().finally(onRow);
        },
        async return() {
          onRow();
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
