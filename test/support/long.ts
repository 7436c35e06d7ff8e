/** Goes with the last test that asks for it. */
export const isLong = false as boolean;

/**
 * Returns the cases that something is tried with: all of them, or where a run is to be short each `every`-th.
 * @param turn counted from 0: what is tried for several things in turn has other cases for the next one
 */
export function someOf<Case>(
  cases: readonly Case[],
  every: number,
  turn = 0,
  isWhole = isLong,
): readonly Case[] {
  return isWhole ? cases : cases.filter((_, index) => index % every === turn % every);
}

/** How often a property is tried: a quarter as often where a run is to be short, or as often as is said. */
export function runs(whole: number, short = Math.ceil(whole / 4)): number {
  return isLong ? whole : short;
}
