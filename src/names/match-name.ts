import { Failure } from '../errors.ts';
import { oneLine } from '../text/one-line.ts';
import { fold } from './fold.ts';
import { similarOnes } from './similar.ts';

/** What a thing is wanted for: reads also take a name in another case, or its unique beginning. */
export type Purpose = 'read' | 'write';

/** Something that can be meant. */
export interface Candidate {
  readonly id: string;
  /** Undefined where nobody knows it. */
  readonly name?: string | undefined;
  /** What tells it from others of the same name: `in team Acme`. */
  readonly mark?: string | undefined;
}

/** How messages speak of the candidates. */
export interface Wording {
  /** One of them: `team`. */
  readonly one: string;
  /** Where they are kept, if that has to be said: `in the device book`. */
  readonly place?: string;
  /** What to do where nothing resembles the name. */
  readonly wayOut: string;
  /** What tells several that match apart, beside their ids: `add --team with its team`. */
  readonly apart?: string | undefined;
}

/** Candidates, and suggestions, that a message lists. */
const mostListed = 10;
const mostSuggested = 5;

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** Whether a text is an identifier, which is taken as it is: they are UUID strings (api.md, convention 1). */
export function isId(text: string): boolean {
  return uuid.test(text);
}

/**
 * The one candidate that a text means (design, Names): by its id, its exact name, and for reads also by its
 * name in another case or without accents, or by a beginning that no other name has.
 * @throws Failure `notFound` with suggestions, `usage` where several match
 */
export function matchName<C extends Candidate>(
  all: readonly C[],
  text: string,
  purpose: Purpose,
  wording: Wording,
): C {
  const [found, ...others] = bestMatches(all, text, purpose);
  if (!found) throw noMatch(all, text, purpose, wording);
  if (others.length > 0) throw severalMatch([found, ...others], text, wording);
  return found;
}

/** The candidates that a text fits best; the rules are those of `matchName`. */
export function bestMatches<C extends Candidate>(
  all: readonly C[],
  text: string,
  purpose: Purpose,
): readonly C[] {
  const byId = all.filter(({ id }) => id === text);
  if (byId.length > 0) return byId.slice(0, 1);
  const exact = all.filter(({ name }) => name === text);
  const wanted = fold(text);
  if (exact.length > 0 || purpose === 'write' || wanted === '') return exact;
  const folded = all.map((candidate) => ({ candidate, name: fold(candidate.name ?? '') }));
  const alike = folded.filter(({ name }) => name === wanted);
  const found = alike.length > 0 ? alike : folded.filter(({ name }) => name.startsWith(wanted));
  return found.map(({ candidate }) => candidate);
}

/** Several candidates fit: lists them with their ids, and with what tells namesakes apart. */
export function severalMatch(found: readonly Candidate[], text: string, { one, apart }: Wording): Failure {
  return new Failure('usage', `"${text}" could be any of ${found.length} ${one}s.`, {
    hint: `Use the id of the one you mean${apart === undefined ? '' : `, or ${apart}`}:\n${listed(found)}`,
  });
}

/** Nothing fits: suggests what may have been meant. */
export function noMatch(
  all: readonly Candidate[],
  text: string,
  purpose: Purpose,
  { one, place, wayOut }: Wording,
): Failure {
  const message = `There is no ${one} named "${text}"${place === undefined ? '' : ` ${place}`}.`;
  const close = suggestions(all, text);
  if (close.length === 0) return new Failure('notFound', message, { hint: wayOut });
  // A beginning or another case would do for a read; whoever changes something has to mean it.
  const strict = purpose === 'write' ? 'This takes an id or the exact name. ' : '';
  const question = `Did you mean ${close.length === 1 ? 'this' : 'one of these'}?`;
  return new Failure('notFound', message, { hint: `${strict}${question}\n${listed(close)}` });
}

/** Those whose name holds the text, then those that a few slips of the finger lead to. */
function suggestions(all: readonly Candidate[], text: string): readonly Candidate[] {
  const wanted = fold(text);
  if (wanted === '') return [];
  const named = all.filter(({ name }) => name !== undefined && name !== '');
  const holding = named.filter(({ name = '' }) => fold(name).includes(wanted));
  const similar = similarOnes(text, named, ({ name = '' }) => name);
  return [...new Set([...holding, ...similar])].slice(0, mostSuggested);
}

function listed(candidates: readonly Candidate[]): string {
  const shown = candidates.slice(0, mostListed).map(lineOf);
  const more = candidates.length - shown.length;
  return [...shown, ...(more > 0 ? [`  and ${more} more`] : [])].join('\n');
}

function lineOf({ id, name = '', mark }: Candidate, _: number, all: readonly Candidate[]): string {
  const isTwin = all.filter((other) => other.name === name).length > 1;
  const apart = isTwin && mark !== undefined ? `  (${oneLine(mark, 120)})` : '';
  return `  ${oneLine(id, 80)}  ${oneLine(name, 80)}${apart}`.trimEnd();
}
