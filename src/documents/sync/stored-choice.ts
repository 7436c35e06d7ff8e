import { shellWord } from '../../lib/text/quote.ts';
import type { StoredChoice } from './ledger-text.ts';
import type { FilesInput } from './sync-files.ts';

/** Which files of a folder become documents, and how they are named. */
export type Choice = Pick<FilesInput, 'nameBy' | 'asText' | 'include' | 'exclude'>;

/** The typed options: undefined or empty if not given. */
export type TypedChoice = Omit<Choice, 'nameBy'> & { readonly nameBy: Choice['nameBy'] | undefined };

/**
 * Returns the options of a sync: the typed ones, or else those of the last sync. Without them every document would get another
 * name, and excluded files would be sent, which can't be undone.
 */
export function choiceOf({ nameBy, asText, include, exclude }: TypedChoice, stored: StoredChoice): Choice {
  const files = include.length + exclude.length > 0 ? { include, exclude } : stored;
  return {
    nameBy: nameBy ?? stored.nameBy ?? 'name',
    asText: asText.length > 0 ? asText : (stored.asText ?? []),
    include: files.include ?? [],
    exclude: files.exclude ?? [],
  };
}

/** Returns the options that come from the last sync, as command-line words; `''` if there are none. */
export function inheritedOptions(typed: TypedChoice, choice: Choice): string {
  const { nameBy, asText, include, exclude } = choice;
  const isChosen = typed.include.length + typed.exclude.length > 0;
  const each = (option: string, values: readonly string[]) => values.map((value) => [option, value]);
  const options = [
    ...(typed.nameBy === undefined && nameBy === 'path' ? [['--name-by', nameBy]] : []),
    ...(typed.asText.length === 0 ? each('--as-text', asText) : []),
    ...(isChosen ? [] : [...each('--include', include), ...each('--exclude', exclude)]),
  ];
  return options.map((words) => words.map(shellWord).join(' ')).join(' ');
}

/** Returns the options that differ from the defaults. */
export function storedChoice({ nameBy, asText, include, exclude }: Choice): StoredChoice {
  return {
    ...(nameBy === 'path' && { nameBy }),
    ...(asText.length > 0 && { asText: [...asText] }),
    ...(include.length > 0 && { include: [...include] }),
    ...(exclude.length > 0 && { exclude: [...exclude] }),
  };
}
