type Env = Readonly<Record<string, string | undefined>>;

/**
 * Returns true if output has to be plain lines, one after the other, and nothing that is redrawn: if a person asked
 * for output that can be read aloud, and on a terminal that can't move its cursor.
 */
export function isPlain(env: Env): boolean {
  return env.TERM === 'dumb' || isAccessible(env);
}

/** `ACCESSIBLE` is what other command lines take for that too. */
function isAccessible(env: Env): boolean {
  return !['', '0', 'false', 'no'].includes((env.ACCESSIBLE ?? '').trim().toLowerCase());
}
