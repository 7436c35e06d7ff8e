import { Failure } from './errors.ts';
import { isId, isSameId } from './ids.ts';
import { fold, lookAlikeReason } from './text/compare.ts';
import { type CommandLine, joinRemarks, type RemarkText } from './text/remark.ts';
import { inSentence, oneLine } from './text/sentence.ts';
import { didYouMean, findSimilar } from './text/similar.ts';

/** An object that a name may refer to. */
export interface Candidate {
  readonly id: string;
  /** Undefined if it is unknown. */
  readonly name?: string | undefined;
  /** What distinguishes it from others of the same name: `in team Acme`. */
  readonly marks?: readonly string[] | undefined;
}

/** The wording of messages about candidates. */
export interface Wording {
  /** The noun for one candidate: `team`. */
  readonly noun: string;
  /** The place where candidates are stored, if it has to be mentioned: `in the device book`. */
  readonly place?: string;
  /** The hint if no name is similar. */
  readonly hint: RemarkText;
  /** Returns the command that shows a candidate by its id. */
  showCommand(id: string): CommandLine;
  /** A way to choose between several matches other than by id: `add --team with its team`. */
  readonly otherWay?: string | undefined;
  /** A hint that may reduce the matches to one. */
  readonly fewer?: RemarkText | undefined;
}

/** The candidates that match a text. */
export interface MatchResult<C extends Candidate> {
  /** True if their id or name equals the text, false if it is only similar. */
  readonly isExact: boolean;
  /** The candidates whose id or name equals the text; if there are none, the similar ones. */
  readonly candidates: readonly C[];
}

/** A question about which candidate is meant. */
export interface ChoiceQuestion<C extends Candidate> extends MatchResult<C> {
  /** The typed text. */
  readonly text: string;
  /** The noun for one candidate: `team`. */
  readonly noun: string;
  /** The reason for the question, instead of the sentence that counts the candidates. */
  readonly because?: string | undefined;
}

/**
 * Asks the user which candidate a text refers to, if there is no exact match or several. Returns undefined if the user
 * can't be asked.
 * @throws Failure `declined` if the user says that it is none of them
 */
export type AskWhich = <C extends Candidate>(question: ChoiceQuestion<C>) => Promise<C | undefined>;

/** Maximum candidates, and suggestions, that a message lists. */
const maxListed = 10;
const maxSuggested = 5;

/**
 * Returns the candidate that a text refers to: by its id, or by a name with exactly the same code points. If there is
 * none, or several, asks the user if possible.
 * @param askWhich undefined if the user must not be asked, for example for a name in a file
 * @throws Failure as `chooseMatch`
 */
export function matchName<C extends Candidate>(
  all: readonly C[],
  text: string,
  wording: Wording,
  askWhich: AskWhich | undefined,
): Promise<C> {
  return chooseMatch(findMatches(all, text), text, wording, askWhich);
}

/** Returns the candidates that match a text. A text in the form of an id is never a name. */
export function findMatches<C extends Candidate>(all: readonly C[], text: string): MatchResult<C> {
  const byId = all.filter(({ id }) => isSameId(id, text));
  if (byId.length > 0) return { isExact: true, candidates: byId.slice(0, 1) };
  if (isId(text)) return { isExact: false, candidates: [] };
  const named = all.filter(({ name }) => name === text);
  if (named.length > 0) return { isExact: true, candidates: named };
  return { isExact: false, candidates: findResembling(all, text, ({ name = '' }) => name) };
}

/**
 * Returns the matching candidate, asking the user if the text alone is ambiguous.
 * @throws Failure `notFound` with suggestions if no candidate is exact, `ambiguous` if several are; as `askWhich` if
 * the user was asked
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

/** Returns the failure that lists several matching candidates by ids and marks, since all have the typed name. */
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

/** Returns the failure for a text without a match, with suggestions. */
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
 * Returns the objects with a similar name: first equal names ignoring case, accents and width, then names that contain
 * the text, then names within a few typing errors.
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
 * Returns the commands that show candidates. They only read: a command that changes one of several would amount to a
 * guess.
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
  // Marks that all of them have don't distinguish any, and would take up space.
  const own = marks.filter((mark) => twins.some((twin) => !twin.marks?.includes(mark)));
  const apart = oneLine(own.join(', '), 120);
  if (!withName) return `  ${oneLine(id, 80)}  ${apart}`.trimEnd();
  const called = name === id ? '' : oneLine(name, 80);
  return `  ${oneLine(id, 80)}  ${called}${apart === '' ? '' : `  (${apart})`}`.trimEnd();
}
