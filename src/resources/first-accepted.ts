import { isInputRefusal } from '../client/words/call-failure.ts';
import { Failure } from '../lib/errors.ts';

/** One way to request pages or rows. */
export interface Attempt<T> {
  request(): AsyncIterable<T>;
  /** Called for its first page or row. */
  onFirst?(): void;
}

/** Yields the results of the first attempt that the service doesn't refuse. */
export async function* firstAccepted<T>(attempts: readonly Attempt<T>[]): AsyncGenerator<T> {
  for (const attempt of attempts) {
    let isAnswered = false;
    try {
      for await (const one of attempt.request()) {
        if (!isAnswered) attempt.onFirst?.();
        isAnswered = true;
        yield one;
      }
      return;
    } catch (thrown) {
      if (isAnswered || attempt === attempts.at(-1) || !refusesInput(thrown)) throw thrown;
    }
  }
}

/** Returns whether the service rejected the input. A missing permission does not count. */
export function refusesInput(thrown: unknown): boolean {
  return thrown instanceof Failure && thrown.kind === 'rejected' && isInputRefusal(thrown);
}
