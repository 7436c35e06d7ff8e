import { Failure, failureCode } from '../lib/errors.ts';
import { checkPiped, readStdin } from '../lib/files/text-input.ts';
import { isId } from '../lib/ids.ts';
import { collect } from '../lib/iterables.ts';
import {
  type CommandLine,
  command as commandLine,
  joinRemarks,
  remark,
  remarkText,
} from '../lib/text/remark.ts';
import { idNames } from '../output/delimited.ts';
import type { Row } from '../output/fields.ts';
import type { OutputShape, Results } from '../output/shape.ts';
import { isArriving } from '../output/values.ts';
import { argumentLabel, type Input, type RawInput, typedOptions } from './check-input.ts';
import { type Command, type Confirmation, Returned, withFailure } from './command.ts';
import { confirm, confirmNames, isAgreedAhead } from './confirm.ts';
import type { Context } from './context.ts';
import { type Several, severalShape } from './several.ts';

/** More than these are counted, not named. */
const maxNamed = 10;

/**
 * Returns the names and ids that were given, each once, with the lines of stdin in the place of `-`; or the ids of those that
 * an option stands for.
 * @param help the line that shows the command's help
 * @throws Failure `usage` where nothing is piped into it
 */
export async function wordsOf(
  { standsFor }: Pick<Command, 'standsFor'>,
  context: Context,
  { name, typed }: Several,
  help: CommandLine,
): Promise<readonly string[]> {
  if (!typed) return (await standsFor?.things(context)) ?? [];
  const words = new Set<string>();
  for (const word of typed) {
    if (word !== '-') words.add(word);
    else {
      checkPiped(context.io, '-', commandLine(...help.words.slice(0, -1), '-'));
      for (const line of linesOf(await readStdin(context.io, argumentLabel(name)))) words.add(line);
    }
  }
  return [...words];
}

/**
 * The lines that say something, as they stand: a name may begin or end with a blank, and end with the CR that a line of
 * Windows ends with. Behind an id it is not of the name.
 */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => (isId(line.trimEnd()) ? line.trimEnd() : line));
}

/** One of the things, prepared; or the failure of its preparation. */
interface Thing {
  readonly typed: string;
  readonly input: Input;
  readonly prepared?: unknown;
  readonly failure?: Failure;
}

/** What came of one of them. */
interface Outcome {
  readonly typed: string;
  readonly row: Row;
  readonly failure?: Failure;
}

/**
 * Runs a command for each of several things: prepares all, asks once, and goes on if one fails. Reads run four at a time
 * unless a person may be asked. Writes run one by one, so that an interruption ends them at a clear place.
 * @param raw what was typed
 * @returns a row for each, and the failure that follows them: `partlyDone`, or the first one's kind if all failed
 * @throws Failure as `confirm`
 */
export async function runSeveral(
  command: Command,
  context: Context,
  several: Several,
  input: Input,
  raw: RawInput,
): Promise<Returned<readonly Row[] | AsyncIterable<Row>>> {
  const one = { ...context, isOneOfSeveral: true };
  const words = await wordsOf(command, context, several, raw.help);
  const isRead = command.effect === 'reads';
  // Of a name a person may be asked which one is meant.
  const atATime = context.prompts.available && !words.every(isId) ? 1 : 4;
  const prepared = inOrder(words, atATime, (typed) => {
    const own = { ...input, [several.name]: several.isList ? [typed] : typed };
    return prepareOne(command, one, typed, own);
  });
  const things = await onceEach(command, prepared);
  await confirmAll(command, one, things);
  const outcomes: Outcome[] = [];
  const rows = async function* (): AsyncGenerator<Row> {
    const shown = new Set<unknown>();
    for await (const outcome of inOrder(things, isRead ? atATime : 1, (thing) =>
      runOne(command, one, thing),
    )) {
      outcomes.push(outcome);
      const { row, failure } = outcome;
      const id = failure ? undefined : idNames.map((name) => row[name]).find((value) => value !== undefined);
      // What has both a name and an id may have been given by each.
      if (isRead && id !== undefined && shown.has(id)) continue;
      shown.add(id);
      // An id is printed to be used, so that none of what failed is among them.
      if (!failure || context.options.output !== 'id') yield row;
      if (failure?.isInterruption) return;
    }
  };
  // On a terminal the table would stand between the lines that say what was done, or behind an open question.
  const isAtOnce = context.io.stdout.isTTY && (!isRead || words.some((word) => !isId(word)));
  const lineFor = (rest: readonly string[]): CommandLine => lineForRest(command, raw, rest);
  return withFailure(isAtOnce ? await collect(rows()) : rows(), () => failureOf(things, outcomes, lineFor));
}

/**
 * Returns the line that does the same for the rest: with the options that were typed, but without the answers to
 * questions, which were given for all.
 */
function lineForRest(command: Command, raw: RawInput, rest: readonly string[]): CommandLine {
  const dashes = rest.some((word) => word.startsWith('-')) ? ['--'] : [];
  const typed = typedOptions(command, raw).flat();
  return commandLine(...raw.help.words.slice(0, -1), ...typed, ...dashes, ...rest);
}

/** @throws what ends the whole command before anything was done: a bug, an interruption, a person who says no */
async function prepareOne(command: Command, context: Context, typed: string, input: Input): Promise<Thing> {
  try {
    return { typed, input, prepared: await command.prepare?.(context, input) };
  } catch (thrown) {
    const failure = expected(thrown);
    if (context.signal.aborted || failure.isInterruption || failure.kind === 'declined') throw failure;
    return { typed, input, failure };
  }
}

/** @throws what was thrown if it is no expected failure */
function expected(thrown: unknown): Failure {
  if (thrown instanceof Failure && thrown.kind !== 'unexpected') return thrown;
  throw thrown;
}

/** Returns the things, each once: what has both a name and an id may have been given by each. */
async function onceEach({ idOf }: Command, things: AsyncIterable<Thing>): Promise<readonly Thing[]> {
  const each = new Map<unknown, Thing>();
  for await (const thing of things) {
    const id = thing.failure ? thing : (idOf?.(thing.prepared) ?? thing);
    if (!each.has(id)) each.set(id, thing);
  }
  return [...each.values()];
}

async function runOne(command: Command, context: Context, thing: Thing): Promise<Outcome> {
  const { typed, input, prepared } = thing;
  try {
    if (thing.failure) throw thing.failure;
    context.signal.throwIfAborted();
    const returned = await command.run(context, input, prepared);
    const row = await lastRow(returned instanceof Returned ? returned.result : returned);
    const failure = returned instanceof Returned ? returned.failure : undefined;
    if (failure) return failed(command, typed, failure, row);
    return { typed, row: { ...row, outcome: 'done', error: null, code: null, given: typed } };
  } catch (thrown) {
    return failed(command, typed, expected(thrown));
  }
}

/** The result as one row: of events the last, which says how it ended. */
async function lastRow(result: Results[OutputShape['kind']]): Promise<Row> {
  if (result === undefined || typeof result === 'string') return {};
  if (!isArriving(result)) return { ...result };
  let last: Row = {};
  for await (const row of result) last = row;
  return last;
}

/** What came of one that failed: what it was called by stands where its name or its id would. */
function failed(command: Command, typed: string, failure: Failure, row: Row = {}): Outcome {
  const { fields } = severalShape(command);
  const member = isId(typed) ? idNames.find((id) => fields.some(({ name }) => name === id)) : 'name';
  const outcome = failure.isUncertain ? 'unknown' : 'failed';
  const result = { outcome, error: failure.message, code: failureCode(failure), given: typed };
  return { typed, row: { ...(member && { [member]: typed }), ...row, ...result }, failure };
}

/**
 * Asks for all that has to be confirmed: y/N once, and each name that has to be typed.
 * @throws Failure as `confirm`
 */
async function confirmAll(command: Command, context: Context, things: readonly Thing[]): Promise<void> {
  const asked: Confirmation[] = [];
  for (const { input, prepared, failure } of things) {
    const confirmation = failure ? undefined : await command.confirm?.(context, input, prepared);
    if (confirmation) asked.push(confirmation);
  }
  await confirmNames(
    asked.filter((one) => one.level === 'name'),
    context,
  );
  const questions = asked.filter((one) => one.level === 'yes');
  const [first] = questions;
  if (!first) return;
  const more = questions.length - maxNamed;
  const said = questions.slice(0, maxNamed).map(({ statement }) => statement);
  const statements = more > 0 ? [...said, `And ${more} more.`] : said;
  const isAsked = context.prompts.available && !isAgreedAhead(first.allow, context);
  // A person reads them one below the other, before the question.
  if (isAsked) for (const statement of statements) context.terminal.note(statement);
  const all = questions.length < things.length ? `of the ${things.length} that were given` : 'in all';
  const statement = isAsked ? `That is ${questions.length} ${all}.` : statements.join('\n');
  await confirm({ ...first, statement, question: undefined }, context);
}

/** Returns the failure that follows the rows, or undefined if nothing failed. */
function failureOf(
  things: readonly Thing[],
  outcomes: readonly Outcome[],
  lineFor: (rest: readonly string[]) => CommandLine,
): Failure | undefined {
  const all = things.length;
  const failures = outcomes.flatMap(({ typed, failure }) => (failure ? [{ typed, failure }] : []));
  const interruption = failures.find(({ failure }) => failure.isInterruption)?.failure;
  // A call under way when the command was ended may have taken effect; if it didn't, it is among the rest.
  const isUndone = interruption !== undefined && !interruption.isUncertain;
  const rest = things.slice(outcomes.length - (isUndone ? 1 : 0)).map(({ typed }) => typed);
  const hintAtRest =
    rest.length > 0 &&
    remark`Nothing was done to ${String(rest.length)} of ${String(all)}. The rest: ${lineFor(rest)}`;
  if (interruption) return interruption.withHint(joinRemarks([interruption.hint, hintAtRest]));
  if (hintAtRest)
    return new Failure('partlyDone', `${rest.length} of ${all} were not begun.`, { hint: hintAtRest });
  const [first] = failures;
  if (!first) return undefined;
  const { kind, code, status, hint, message, details } = first.failure;
  if (all === 1) return new Failure(kind, message, { hint, code, status, details });
  const more = failures.length - maxNamed;
  const text = [
    `${failures.length} of ${all} failed:`,
    ...failures.slice(0, maxNamed).map(({ typed, failure }) => `  ${typed}: ${failure.message}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ].join('\n');
  const hints = new Set(failures.map(({ failure }) => remarkText(failure.hint ?? '')));
  const shared = hints.size === 1 ? hint : undefined;
  if (failures.length < all) return new Failure('partlyDone', text, { hint: shared });
  // What the service doesn't have was found by its name.
  const isUnquoted = failures.every(
    ({ typed, failure }) => failure.kind === 'notFound' && failure.status === undefined && !isId(typed),
  );
  const quotes = isUnquoted ? 'A name with spaces needs quotes.' : shared;
  return new Failure(kind, text, { code, status, hint: quotes });
}

/** Works on so many items at a time. Yields what comes of them in their order. */
async function* inOrder<T, R>(
  items: readonly T[],
  atATime: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const running: Promise<R>[] = [];
  for (const item of items) {
    const next = work(item);
    // One that fails is waited for in its turn.
    next.catch(() => undefined);
    running.push(next);
    if (running.length < atATime) continue;
    const done = running.shift();
    if (done) yield await done;
  }
  for (const one of running) yield await one;
}
