import { setFlagsFromString } from 'node:v8';

/** A flag of V8 as it is to be, and as it is by itself. */
type Flag = readonly [set: string, unset: string];

/**
 * Sets flags of V8 until the process exits. Then they are as they were at the start before anything else
 * happens: compiled code is kept for the next start, and is of use only under the flags it was kept with.
 */
export function setV8Flags(flags: readonly Flag[]): void {
  for (const [set] of flags) setFlagsFromString(set);
  process.prependOnceListener('exit', () => {
    for (const [, unset] of flags) setFlagsFromString(unset);
  });
}
