/**
 * Whether a person asked for output that can be read aloud: lines that come one after the other, nothing that
 * is drawn, redrawn or turning. `ACCESSIBLE` is what other command lines take for that too.
 */
export function isAccessible(env: Readonly<Record<string, string | undefined>>): boolean {
  return !['', '0', 'false', 'no'].includes((env.ACCESSIBLE ?? '').trim().toLowerCase());
}
