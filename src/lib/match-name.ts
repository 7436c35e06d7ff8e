import { Failure } from './errors.ts';
import { isId, isSameId } from './ids.ts';
import { fold, lookAlikeReason } from './text/compare.ts';
import { type CommandLine, joinRemarks, type RemarkText } from './text/remark.ts';
import { inSentence, oneLine } from './text/sentence.ts';
import { didYouMean, findSimilar } from './text/similar.ts';

/** Something that can be meant. */
export interface Candidate {
  readonly id: string;
  /** Undefined where nobody knows it. */
  readonly name?: string | undefined;
  /** What distinguishes it from others of the same name: `in team Acme`. */
  readonly marks?: readonly string[] | undefined;
}

/** Words for the candidates in messages. */
export interface Wording {
  /** One of them: `team`. */
  readonly noun: string;
  /** The place where they are kept, if that has to be said: `in the device book`. */
  readonly place?: string;
  /** The hint if nothing resembles the name. */
  readonly hint: RemarkText;
  /** The line that shows one of them by its id. */
  showCommand(id: string): CommandLine;
  /** A way to choose between several that match, beside their ids: `add --team with its team`. */
  readonly otherWay?: string | undefined;
  /** What may leave only one of them. */
  readonly fewer?: RemarkText | undefined;
}

/** The candidates that a text may mean. */
export interface MatchResult<C extends Candidate> {
  /** True if they have the text as their id or name, or merely resemble it. */
  readonly isExact: boolean;
  /** Those that have the text as their id or name; where there are none, those that resemble it. */
  readonly candidates: readonly C[];
}

/** A question which candidate is meant. */
export interface ChoiceQuestion<C extends Candidate> extends MatchResult<C> {
  /** The typed text. */
  readonly text: string;
  /** One of the candidates: `team`. */
  readonly noun: string;
  /** The sentence that says why it is asked, instead of the one that counts the candidates. */
  readonly because?: string | undefined;
}

/**
 * Asks a person which candidate a text means, if it means none exactly, or several. Returns undefined if
 * nobody can be asked.
 * @throws Failure `declined` where the person says that it is none of them
 */
export type AskWhich = <C extends Candidate>(question: ChoiceQuestion<C>) => Promise<C | undefined>;

/** Candidates, and suggestions, that a message lists. */
const maxListed = 10;
const maxSuggested = 5;

/**
 * Returns the one candidate that a text means: by its id, or by its name of the very same code points.
 * If there is none, or several, a person chooses if one can be asked.
 * @param askWhich undefined if nobody may be asked, as for a name that stands in a file
 * @throws Failure as `decided`
 */
export function matchName<C extends Candidate>(
  all: readonly C[],
  text: string,
  wording: Wording,
  askWhich: AskWhich | undefined,
): Promise<C> {
  return chooseMatch(findMatches(all, text), text, wording, askWhich);
}

/** Returns what a text may mean. A text in the form of an id is never a name. */
export function findMatches<C extends Candidate>(all: readonly C[], text: string): MatchResult<C> {
  const byId = all.filter(({ id }) => isSameId(id, text));
  if (byId.length > 0) return { isExact: true, candidates: byId.slice(0, 1) };
  if (isId(text)) return { isExact: false, candidates: [] };
  const named = all.filter(({ name }) => name === text);
  if (named.length > 0) return { isExact: true, candidates: named };
  return { isExact: false, candidates: findResembling(all, text, ({ name = '' }) => name) };
}

/**
 * Returns the one candidate that is meant, chosen by a person if the text alone doesn't tell.
 * @throws Failure `notFound` with suggestions where no candidate is exact, `ambiguous` where several
 *   are; as `askWhich` where a person was asked
 */
export async function chooseMatch<C extends Candidate>(
  { isExact, candidates }: MatchResult<C>,
  text: string,
  wording: Wording,
  askWhich: AskWhich | undefined,
): Promise<C> {
  const [found, ...others] = candidates;
  if (!found) throw noMatchFailure([], text, wording);
  if (isExact && others.length === 0) return found;
  const chosen = await askWhich?.({ isExact, candidates, text, noun: wording.noun });
  if (chosen) return chosen;
  throw isExact ? ambiguousFailure(candidates, text, wording) : noMatchFailure(candidates, text, wording);
}

/** Returns the failure that lists several matching candidates with their ids and marks: their name has been typed. */
function ambiguousFailure(
  found: readonly Candidate[],
  text: string,
  { noun, showCommand, otherWay, fewer }: Wording,
): Failure {
  const byId = `Use the id of the one you mean${otherWay === undefined ? '' : `, or ${otherWay}`}:\n${candidateList(found, false)}`;
  return new Failure('ambiguous', `"${inSentence(text)}" could be any of ${found.length} ${noun}s.`, {
    hint: joinRemarks([byId, fewer]),
    next: showCommands(found.slice(0, maxListed), showCommand),
  });
}

/** Returns the failure of a text without a match, with suggestions. */
function noMatchFailure(
  close: readonly Candidate[],
  text: string,
  { noun, place, showCommand, hint }: Wording,
): Failure {
  const message = `There is no ${noun} ${isId(text) ? '' : 'named '}"${inSentence(text)}"${place === undefined ? '' : ` ${place}`}.`;
  if (close.length === 0) return new Failure('notFound', message, { hint });
  const shown = close.slice(0, maxSuggested);
  const question = didYouMean(shown.length === 1 ? 'this' : 'one of these');
  const why = shown.map(({ name = '' }) => lookAlikeReason(name, text)).find((one) => one !== undefined);
  return new Failure('notFound', message, {
    hint: `This takes an id or the exact name. ${question}\n${candidateList(shown, true)}${why === undefined ? '' : `\n${why}`}`,
    next: showCommands(shown, showCommand),
  });
}

/**
 * Returns the things whose name resembles a text: those of that name but for case, accents and width, those whose
 * name holds the text, then those within a few typing errors.
 */
export function findResembling<T>(
  things: readonly T[],
  text: string,
  nameOf: (thing: T) => string,
): readonly T[] {
  const wanted = fold(text);
  if (wanted === '') return [];
  const named = things.filter((thing) => nameOf(thing) !== '');
  const same = named.filter((thing) => fold(nameOf(thing)) === wanted);
  const holding = named.filter((thing) => fold(nameOf(thing)).includes(wanted));
  return [...new Set([...same, ...holding, ...findSimilar(text, named, nameOf)])];
}

/**
 * Returns the lines that show candidates. They only look: a line that does what was typed to one of several would be as
 * good as a guess.
 */
function showCommands(
  candidates: readonly Candidate[],
  look: Wording['showCommand'],
): readonly CommandLine[] {
  return candidates.map(({ id }) => look(id));
}

function candidateList(candidates: readonly Candidate[], withNames: boolean): string {
  const shown = candidates.slice(0, maxListed).map((one) => candidateLine(one, candidates, withNames));
  const more = candidates.length - shown.length;
  return [...shown, ...(more > 0 ? [`  and ${more} more`] : [])].join('\n');
}

function candidateLine(one: Candidate, all: readonly Candidate[], withName: boolean): string {
  const { id, name = '', marks = [] } = one;
  const twins = all.filter((other) => other !== one && other.name === one.name);
  // What all of them have tells none apart, and takes the room of what does.
  const own = marks.filter((mark) => twins.some((twin) => !twin.marks?.includes(mark)));
  const apart = oneLine(own.join(', '), 120);
  if (!withName) return `  ${oneLine(id, 80)}  ${apart}`.trimEnd();
  const called = name === id ? '' : oneLine(name, 80);
  return `  ${oneLine(id, 80)}  ${called}${apart === '' ? '' : `  (${apart})`}`.trimEnd();
}
