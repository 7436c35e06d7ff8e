import { fold } from './text/fold.ts';

const yes = new Set(['TRUE', '1', 'YES']);
const no = new Set(['FALSE', '0', 'NO']);

/**
 * Reads a flag as people type it and services send it: `true`, `"true"`, 1, `"yes"`. Returns undefined for anything
 * else, null included: the caller must not take an unknown flag for a false one.
 */
export function flagOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const word = fold(String(value));
  if (yes.has(word)) return true;
  return no.has(word) ? false : undefined;
}
