import { mostSimilar } from '../../lib/text/similar.ts';
import { synonymsOf } from './verb-synonyms.ts';

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

function suggestWord(word: string, known: Iterable<string>): string | undefined {
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
