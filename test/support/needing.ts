import type { TestOptions } from 'vitest';

declare module 'vitest' {
  export interface TaskMeta {
    /** What the test needs and this machine lacks. */
    readonly lacks?: string;
  }
}

/**
 * Returns the options of a test, or of a group of tests, that needs something of the machine: without it they are skipped, and
 * the run names them at its end.
 * @param what what they need, and how to get it: `bash`
 */
export function needing(what: string, isThere: boolean): TestOptions {
  return isThere ? {} : { skip: true, meta: { lacks: what } };
}
