import { lookAlikeReason } from '../lib/text/compare.ts';
import { oneLine } from '../lib/text/sentence.ts';
import { didYouMean } from '../lib/text/similar.ts';

/** Columns of a name that are shown. */
const longestName = 40;

/** Returns the names of columns for a sentence. */
export function columnList(columns: readonly string[]): string {
  return columns.map((name) => oneLine(name, longestName)).join(', ');
}

/** Returns the question whether a similar column is meant, after a blank; nothing if there is no such column. */
export function columnSuggestion(name: string, similar: string | undefined): string {
  if (similar === undefined) return '';
  const why = lookAlikeReason(name, similar);
  return ` ${didYouMean(oneLine(similar, longestName))}${why === undefined ? '' : ` ${why}`}`;
}
