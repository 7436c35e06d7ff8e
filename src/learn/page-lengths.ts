import { mostRows } from './lists.ts';
import type { HeardList } from './reading.ts';

/**
 * Returns the longest page that is taken where one of 100 rows is refused, and one of 1 is not; or the answer at which the
 * service broke. @throws Stopped
 */
export async function longestTaken(
  ask: (rows: number) => Promise<HeardList>,
): Promise<number | { readonly rows: number; readonly heard: HeardList }> {
  let taken = 1;
  let refused = mostRows;
  while (refused - taken > 1) {
    const middle = Math.floor((taken + refused) / 2);
    const heard = await ask(middle);
    if (heard.outcome === 'failed') return { rows: middle, heard };
    if (heard.outcome === 'answered') taken = middle;
    else refused = middle;
  }
  return taken;
}
