import { Failure } from '../../lib/errors.ts';
import { groupBy } from '../../lib/iterables.ts';
import { joinRemarks, type RemarkText, remark } from '../../lib/text/remark.ts';
import { firstFew, inSentence } from '../../lib/text/sentence.ts';
import type { RefusalReason } from '../count/not-counted.ts';

/** A file that is not counted or sent, with the reason as a code and the failure for people. */
export interface RefusedFile {
  readonly path: string;
  /** `name`: the name is not allowed for a document. */
  readonly reason: RefusalReason | 'unreadable' | 'name';
  readonly failure: Failure;
}

/** A refused file with the name for its document. */
export interface RefusedSource extends RefusedFile {
  readonly name: string;
}

/** At most this many hints are shown. */
const maxHints = 5;

/** Returns the number of files for each reason, with their names: `unsupported 1 (prices.csv), empty 2 (a.txt and b.txt)`. */
export function reasonsText(refused: readonly { readonly path: string; readonly reason: string }[]): string {
  const groups = groupBy(refused, ({ reason }) => reason);
  const textOf = ([reason, files]: readonly [string, typeof refused]): string =>
    `${reason} ${files.length} (${pathsText(files.map(({ path }) => path))})`;
  return [...groups].map(textOf).join(', ');
}

/**
 * Returns the hints with their files, or undefined if there are none. The hints for one reason may differ, since --as-text depends
 * on the name.
 */
export function refusedHint(refused: readonly RefusedFile[]): RemarkText | undefined {
  const helped = refused.filter(({ failure }) => failure.hint !== undefined);
  const groups = [...groupBy(helped, ({ failure }) => String(failure.hint)).values()];
  return joinRemarks(
    groups.slice(0, maxHints).map((files) => {
      const hint = files[0]?.failure.hint;
      const about = pathsText(files.map(({ path }) => path));
      return remark`${about}: ${typeof hint === 'string' ? remark`${hint}` : hint}`;
    }),
  );
}

/**
 * Returns the failure of a run in which some files can't be counted or sent, or undefined if all can.
 * @param count the number of those that can
 */
export function refusedFailure(
  count: number,
  refused: readonly RefusedFile[],
  areWhat = 'were refused',
): Failure | undefined {
  if (refused.length === 0) return undefined;
  const words = `${refused.length} of ${count + refused.length} files ${areWhat}: ${reasonsText(refused)}.`;
  return new Failure(count === 0 ? 'invalidInput' : 'partlyDone', words, { hint: refusedHint(refused) });
}

/** Returns a few paths, and the number of the others: `a.txt, b.txt and 7 more`. */
export function pathsText(paths: readonly string[]): string {
  const shown = paths.map(inSentence);
  if (shown.length > 3) return firstFew(shown, 3);
  return [shown.slice(0, -1).join(', '), ...shown.slice(-1)].filter((part) => part !== '').join(' and ');
}
