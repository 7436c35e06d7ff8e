import { ownMember } from '../../lib/json-object.ts';
import { mostSimilar } from '../../lib/text/similar.ts';
import { likeWords, otherCommands, sameWords } from './synonyms.ts';

/** Returns the name that a word stands for, which is the word itself or a synonym; undefined if there is none. */
export function resolveSynonym(word: string | undefined, names: readonly string[]): string | undefined {
  if (word === undefined || names.includes(word)) return word;
  return sharing(word, sameWords).find((same) => names.includes(same));
}

function sharing(word: string, sets: readonly (readonly string[])[]): readonly string[] {
  return sets.flatMap((words) => (words.includes(word) ? words : []));
}

/** Returns words with the same or a similar meaning, the nearest first. */
export function synonymsOf(word: string): readonly string[] {
  const same = [word, ...sharing(word, sameWords)];
  const like = same.flatMap((one) => sharing(one, likeWords));
  const all = new Set([...same, ...like, ...like.flatMap((one) => sharing(one, sameWords))]);
  return [...all].filter((one) => one !== word);
}

/**
 * Returns the words of a command line in botctl's terms: `customers ls` gives `teams ls`, and `list teams` gives
 * `teams list`. Returns the words unchanged if no noun is recognised.
 */
export function suggestNoun(words: readonly string[], nouns: readonly string[]): readonly string[] {
  const [first = '', second = '', ...others] = words;
  const lower = first.toLowerCase();
  const noun = resolveSynonym(lower, nouns) ?? lower;
  const phrase = ownMember(otherCommands, `${noun} ${second}`);
  if (phrase !== undefined) return [...phrase.split(' '), ...others];
  const other = ownMember(otherCommands, lower);
  if (other !== undefined) return [...other.split(' '), ...words.slice(1)];
  const meant = suggestWord(lower, nouns);
  if (meant !== undefined) return [meant, ...words.slice(1)];
  const later = suggestWord(second, nouns);
  if (later === undefined) return words;
  // As in kubectl, `get teams` without a name lists them all.
  const isAll = others.length === 0 && resolveSynonym(first, ['get']) === 'get';
  return [later, isAll ? 'list' : first, ...others];
}

/** True if a line probably begins with a verb: neither of its first two words is a noun. */
export function isVerb([first = '', second = '']: readonly string[], nouns: readonly string[]): boolean {
  const isNoun = (word: string): boolean =>
    resolveSynonym(word, nouns) !== undefined || ownMember(otherCommands, word.toLowerCase()) !== undefined;
  if (isNoun(first) || isNoun(second)) return false;
  return synonymsOf(first).length > 0 || [first, second].every((word) => !suggestWord(word, nouns));
}

/**
 * Returns the words of each command with a verb that was typed without its noun: `pair` gives `device connect`.
 * Commands of a group, such as `bots questions list`, are left out if other commands have the verb.
 */
export function commandsOfVerb(verb: string, paths: readonly string[]): readonly (readonly string[])[] {
  const all = paths.map((path) => path.split(' ')).filter(({ length }) => length > 1);
  const having = (wanted: readonly string[]): readonly (readonly string[])[] => {
    const found = all.filter((path) => wanted.includes(path.at(-1) ?? ''));
    const short = found.filter(({ length }) => length < 3);
    return short.length > 0 ? short : found;
  };
  const known = all.map((path) => path.at(-1) ?? '');
  const [exact, same] = [having([verb]), resolveSynonym(verb, known)];
  if (exact.length > 0) return exact;
  return having(same === undefined ? synonymsOf(verb) : sharing(same, sameWords));
}

/**
 * Returns the words of the command that a line of unknown words probably means.
 * @param words the typed words
 * @param commands the words of each existing command
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

/** Returns the word that was probably meant: itself, a synonym, the only one with this beginning, or a similar one. */
export function suggestWord(word: string, known: Iterable<string>): string | undefined {
  const all = [...known];
  if (word === '' || all.includes(word)) return word || undefined;
  const synonyms = synonymsOf(word);
  const beginning = all.filter((candidate) => candidate.startsWith(word));
  return (
    synonyms.find((synonym) => all.includes(synonym)) ??
    (beginning.length === 1 ? beginning[0] : undefined) ??
    mostSimilar(word, all)
  );
}
