type Env = Readonly<Record<string, string | undefined>>;

/**
 * Returns whether output must be plain lines that are never redrawn: if the user asked
 * for accessible output, and on a terminal that can't move its cursor.
 */
export function isPlain(env: Env): boolean {
  return env.TERM === 'dumb' || isAccessible(env);
}

/** Other command-line programs use `ACCESSIBLE` for the same purpose. */
function isAccessible(env: Env): boolean {
  return !['', '0', 'false', 'no'].includes((env.ACCESSIBLE ?? '').trim().toLowerCase());
}
