import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between two attempts. */
const pauseMs = 5;

/** The default timeout in milliseconds, which is less than a test's. */
const usualPatienceMs = 45_000;

export interface EventuallyOptions {
  /** The timeout in milliseconds. */
  readonly patienceMs?: number;
  /** Returns the actual state for the message of a timeout. */
  readonly instead?: () => string | Promise<string>;
}

/**
 * Polls a check until it returns something other than `undefined`, `null` or `false` without throwing, and returns
 * that. If the source emits events, as a stream does, listen to it instead.
 * @throws the error of the last attempt, or one with the actual state, after the timeout
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { patienceMs = usualPatienceMs, instead }: EventuallyOptions = {},
): Promise<There<T>> {
  const end = performance.now() + patienceMs;
  for (;;) {
    const isLast = performance.now() > end;
    try {
      const found = await check();
      if (isThere(found)) return found;
    } catch (error) {
      if (isLast) throw error;
    }
    if (isLast) throw new Error(`it never came to that${instead ? `; there is:\n${await instead()}` : ''}`);
    await sleep(pauseMs);
  }
}

type There<T> = Exclude<T, undefined | null | false>;

function isThere<T>(found: T): found is There<T> {
  return found !== undefined && found !== null && found !== false;
}
