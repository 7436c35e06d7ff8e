import type { TestOptions } from 'vitest';

declare module 'vitest' {
  export interface TaskMeta {
    /** The requirement of the test that this machine lacks. */
    readonly lacks?: string;
  }
}

/**
 * Returns the options of a test or a group of tests with a requirement on the machine. If it is missing, they are
 * skipped, and the run names the requirement at its end.
 * @param what the requirement, and how to get it: `bash`
 */
export function needing(what: string, isThere: boolean): TestOptions {
  return isThere ? {} : { skip: true, meta: { lacks: what } };
}
