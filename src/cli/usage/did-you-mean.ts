import { mostSimilar, synonymsOf } from '../../lib/text/similar.ts';
import { type Named, namesOf } from '../argv.ts';

/** A word that a line may begin with, and the other words that people have for it. */
interface Noun {
  readonly name: string;
  readonly aliases?: readonly string[];
}

/**
 * The words of a line with the noun that was meant in front: `bot ls` gives `bots ls`, `list teams` gives
 * `teams list`. Returns the words as they are if none is recognised.
 */
export function suggestNoun(words: readonly string[], known: readonly Noun[]): readonly string[] {
  const [first = '', second = '', ...others] = words;
  const noun = nounMeant(first, known);
  if (noun !== undefined) return [noun, ...words.slice(1)];
  const later = nounMeant(second, known);
  return later === undefined ? words : [later, first, ...others];
}

/**
 * True if a line probably begins with a verb: it names no noun, and its first word is what people call a verb, or none
 * is spelt like a noun.
 * @param meant what `suggestNoun` gives for the line
 */
export function isVerb(words: readonly string[], meant: readonly string[], known: readonly Noun[]): boolean {
  const isNoun = (word: string): boolean =>
    known.some(({ name, aliases }) => name === word || aliases?.includes(word.toLowerCase()));
  const [first = ''] = words;
  if (words.slice(0, 2).some(isNoun)) return false;
  return synonymsOf(first).length > 0 || !known.some(({ name }) => name === meant[0]);
}

/**
 * Returns the words of each command of a verb that stands without its noun: `pair` gives `device connect`. Those of a
 * group, as `bots questions list`, are left out where others have the verb.
 */
export function commandsOfVerb(
  verb: string,
  commands: readonly { readonly path: string; readonly command: Named }[],
): readonly (readonly string[])[] {
  const verbsOf = (command: Named): readonly string[] =>
    namesOf(command).map((name) => name.split(' ').at(-1) ?? name);
  const having = (wanted: readonly string[]): readonly (readonly string[])[] => {
    const found = commands.filter(({ command }) => verbsOf(command).some((one) => wanted.includes(one)));
    const paths = found.map(({ path }) => path.split(' '));
    const short = paths.filter(({ length }) => length < 3);
    return short.length > 0 ? short : paths;
  };
  const exact = having([verb]);
  return exact.length > 0 ? exact : having(synonymsOf(verb));
}

function nounMeant(word: string, known: readonly Noun[]): string | undefined {
  const called = known.find(({ aliases }) => aliases?.includes(word.toLowerCase()));
  const names = known.map(({ name }) => name);
  return called?.name ?? suggestWord(word, names);
}

/**
 * The command that a line of unknown words probably means, as far as anybody can tell.
 * @param words of the line
 * @param commands the words of each command that there is
 */
export function suggestCommand(
  words: readonly string[],
  commands: readonly (readonly string[])[],
): readonly string[] {
  const meant: string[] = [];
  let left = commands;
  for (const [at, word] of words.entries()) {
    const next = suggestWord(word, new Set(left.flatMap((command) => command[at] ?? [])));
    if (next === undefined) break;
    meant.push(next);
    left = left.filter((command) => command[at] === next);
  }
  return meant;
}

/** Returns the word that was probably meant: itself, a synonym, a similar one, or the only one that begins so. */
export function suggestWord(word: string, known: Iterable<string>): string | undefined {
  const all = [...known];
  if (word === '' || all.includes(word)) return word || undefined;
  const synonyms = synonymsOf(word);
  const beginning = all.filter((candidate) => candidate.startsWith(word));
  return (
    all.find((candidate) => synonyms.includes(candidate)) ??
    mostSimilar(word, all) ??
    (beginning.length === 1 ? beginning[0] : undefined)
  );
}
