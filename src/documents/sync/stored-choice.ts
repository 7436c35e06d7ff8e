import { shellWord } from '../../lib/text/quote.ts';
import type { StoredChoice } from './ledger-text.ts';
import type { FilesInput } from './sync-files.ts';

/** Which files of a folder become documents, and how they are named. */
export type Choice = Pick<FilesInput, 'nameBy' | 'asText' | 'include' | 'exclude'>;

/** The same options as typed: undefined or empty if not given. */
export type TypedChoice = Omit<Choice, 'nameBy'> & { readonly nameBy: Choice['nameBy'] | undefined };

/**
 * Returns the choice of a sync: what is typed, and else that of the sync before. Without it another name would be given to
 * every document, and files sent that were left out, which can't be taken back.
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

/** Returns what a choice takes from the sync before, as options that were not typed; `''` where that is nothing. */
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

/** Returns the part of a choice that differs from the defaults. */
export function storedChoice({ nameBy, asText, include, exclude }: Choice): StoredChoice {
  return {
    ...(nameBy === 'path' && { nameBy }),
    ...(asText.length > 0 && { asText: [...asText] }),
    ...(include.length > 0 && { include: [...include] }),
    ...(exclude.length > 0 && { exclude: [...exclude] }),
  };
}
