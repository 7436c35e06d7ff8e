import { Batches } from '../streams/batches.ts';
import type { Progress, Terminal } from './terminal.ts';

/** Nobody waits for an answer that comes within so many milliseconds; later than 100 a person wonders. */
const patience = 60;

/** Shows that something goes on, unless it is over at once. Gives the function that ends it. */
export function showLife(terminal: Pick<Terminal, 'progress'>, text: string): () => void {
  let progress: Progress | undefined;
  const timer = setTimeout(() => {
    progress = terminal.progress(text);
  }, patience);
  return () => {
    clearTimeout(timer);
    progress?.stop();
  };
}

/**
 * The same rows; calls back once the first is there, or there is none. Nothing but the first one is waited
 * for here: a list may have millions.
 */
export function whenFirstCame<T>(rows: AsyncIterable<T>, came: () => void): AsyncIterable<T> {
  if (rows instanceof Batches) return new Batches(firstOf(rows.batches, came));
  return firstOf(rows, came);
}

function firstOf<T>(rows: AsyncIterable<T>, came: () => void): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = rows[Symbol.asyncIterator]();
      let isFirst = true;
      return {
        next() {
          if (!isFirst) return iterator.next();
          isFirst = false;
          return iterator.next().finally(came);
        },
        async return() {
          came();
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
