import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between two looks. */
const pauseMs = 5;

/** Milliseconds after which it is given up where a test says nothing else: less than a test may take. */
const usualPatienceMs = 45_000;

export interface EventuallyOptions {
  /** Milliseconds after which it is given up. */
  readonly patienceMs?: number;
  /** Returns what is there instead, for the message where it is given up. */
  readonly instead?: () => string | Promise<string>;
}

/**
 * Looks again and again until a check holds, and returns what it then gives. It holds once it gives something
 * other than `undefined`, `null` or `false`, and throws nothing. For what tells of itself, as a stream does,
 * listen to it instead.
 * @throws the error of the last look, or one that says what is there instead, once the patience is over
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
