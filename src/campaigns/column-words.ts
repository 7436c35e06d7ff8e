import { lookAlikeReason } from '../lib/text/compare.ts';
import { oneLine } from '../lib/text/sentence.ts';
import { didYouMean } from '../lib/text/similar.ts';

/** The maximum width of a column name in a message, in columns. */
const longestName = 40;

/** Returns the names of columns, joined for a sentence. */
export function columnList(columns: readonly string[]): string {
  return columns.map((name) => oneLine(name, longestName)).join(', ');
}

/** Returns a question that suggests a similar column, with a leading space, or an empty string if there is none. */
export function columnSuggestion(name: string, similar: string | undefined): string {
  if (similar === undefined) return '';
  const why = lookAlikeReason(name, similar);
  return ` ${didYouMean(oneLine(similar, longestName))}${why === undefined ? '' : ` ${why}`}`;
}
