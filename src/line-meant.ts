import { mostSimilar } from './names/similar.ts';
import { synonymsOf } from './verb-synonyms.ts';

/** Words that people have for the nouns, beside those that are spelt like them. */
const nouns: Readonly<Record<string, readonly string[]>> = {
  teams: ['tenant', 'tenants', 'customer', 'customers', 'account', 'accounts'],
  bots: ['assistant', 'assistants'],
  docs: ['document', 'documents', 'file', 'files'],
  device: ['phone', 'phones', 'instance', 'instances'],
  send: ['message', 'messages'],
  login: ['signin', 'sign-in', 'auth'],
  logout: ['signout', 'sign-out'],
  whoami: ['me', 'user'],
  profiles: ['config', 'context', 'contexts'],
  api: ['request', 'curl'],
};

/**
 * The words of a line with the noun that was meant in front: `bot ls` gives `bots ls`, `list teams` gives
 * `teams list`. The words as they are where nobody can tell.
 */
export function withNounMeant(words: readonly string[], known: readonly string[]): readonly string[] {
  const [first = '', second = '', ...others] = words;
  const noun = nounMeant(first, known);
  if (noun !== undefined) return [noun, ...words.slice(1)];
  const later = nounMeant(second, known);
  return later === undefined ? words : [later, first, ...others];
}

function nounMeant(word: string, known: readonly string[]): string | undefined {
  const called = known.find((noun) => nouns[noun]?.includes(word.toLowerCase()));
  return called ?? wordMeant(word, known);
}

/**
 * The command that a line of unknown words probably means, as far as anybody can tell.
 * @param words of the line
 * @param commands the words of each command that there is
 */
export function commandMeant(
  words: readonly string[],
  commands: readonly (readonly string[])[],
): readonly string[] {
  const meant: string[] = [];
  let left = commands;
  for (const [at, word] of words.entries()) {
    const next = wordMeant(word, new Set(left.flatMap((command) => command[at] ?? [])));
    if (next === undefined) break;
    meant.push(next);
    left = left.filter((command) => command[at] === next);
  }
  return meant;
}

function wordMeant(word: string, known: Iterable<string>): string | undefined {
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
