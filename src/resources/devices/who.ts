import { oneLine } from '../../lib/text/sentence.ts';

/** Columns of a name. */
const maxName = 64;

/**
 * Returns the user who changed something, and the host: `Ana (front-2)`. Both are the words of that machine.
 * @returns undefined if the user is unknown
 */
export function who(by: string | undefined, from: string | undefined): string | undefined {
  const [name, host] = [by, from].map((text) => oneLine(text ?? '', maxName));
  if (!name) return undefined;
  return !host || name.endsWith(`@${host}`) ? name : `${name} (${host})`;
}
