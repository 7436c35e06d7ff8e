import { fold } from './compare.ts';
import { type CommandLine, joinRemarks, Remark, type RemarkText } from './remark.ts';

const question = 'Did you mean ';

/** Returns a question with a suggestion, or undefined without one. */
export function didYouMean(suggestion: string): string;
export function didYouMean(meant: string | undefined): string | undefined;
export function didYouMean(meant: string | undefined): string | undefined {
  return meant === undefined ? undefined : `${question}${meant}?`;
}

/** Returns a question with several suggested commands, or undefined without any. */
export function didYouMeanOneOf(commands: readonly CommandLine[]): RemarkText | undefined {
  const one = (line: CommandLine): Remark => new Remark([line]);
  const [last] = commands.slice(-1).map(one);
  if (last === undefined) return undefined;
  const others = joinRemarks(commands.slice(0, -1).map(one), ', ');
  return joinRemarks([question, joinRemarks([others, last], ' or '), '?'], '');
}

/**
 * Returns the candidate that was probably meant: the nearest by changed, swapped, missing and extra letters, if at most
 * a third of the word differs. Ignores case and accents.
 */
export function mostSimilar(word: string, candidates: Iterable<string>): string | undefined {
  return findSimilar(word, candidates, (candidate) => candidate)[0];
}

/** Returns all objects whose name is as similar to a word as `mostSimilar` requires, nearest first. */
export function findSimilar<T>(
  word: string,
  things: Iterable<T>,
  nameOf: (thing: T) => string,
): readonly T[] {
  const wanted = fold(word);
  // Words of two letters may differ by one typing error; a single letter must match.
  const most = wanted.length < 2 ? 0 : Math.max(1, Math.floor(wanted.length / 3));
  const near: { readonly thing: T; readonly distance: number }[] = [];
  for (const thing of things) {
    const name = fold(nameOf(thing));
    if (Math.abs(name.length - wanted.length) > most) continue;
    const distance = editDistance(wanted, name);
    if (distance <= most) near.push({ thing, distance });
  }
  return near.sort((one, other) => one.distance - other.distance).map(({ thing }) => thing);
}

/** Returns the optimal string alignment distance: Levenshtein's, with swapped neighbours as one change. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return last[to.length] ?? 0;
}
