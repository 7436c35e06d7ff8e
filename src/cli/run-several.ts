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
import { argumentLabel, type Input } from './check-input.ts';
import {
  type Command,
  type Confirmation,
  FailedResult,
  type ResultOrFailed,
  withFailure,
} from './command.ts';
import { confirm, isAgreedAhead } from './confirm.ts';
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
  const { io } = context;
  const words: string[] = [];
  for (const word of new Set(typed)) {
    if (word === '-') checkPiped(io, '-', commandLine(...help.words.slice(0, -1), '-'));
    if (word === '-') words.push(...linesOf(await readStdin(io, argumentLabel(name))));
    else words.push(word);
  }
  return [...new Set(words)];
}

/**
 * The lines that say something, as they stand: a name may begin or end with a blank, and end with the CR that a line of
 * Windows ends with. Behind an id it is not of the name.
 */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => (isId(line.trimEnd()) ? line.trimEnd() : line));
}

/** One of the things, after its preparation. */
interface One {
  readonly typed: string;
  readonly input: Input;
  readonly prepared: unknown;
  /** Set if its preparation failed. */
  readonly failure: Failure | undefined;
}

/** The result of one of them. */
interface Outcome {
  readonly typed: string;
  readonly row: Row;
  readonly failure: Failure | undefined;
}

/**
 * Runs a command for each of several things: prepares all, asks once, and goes on if one fails. Reads run four at a time
 * unless a person may be asked, whose questions come in the order of the things. Writes run one by one, so that an
 * interruption ends them at a clear place.
 * @param inputFor returns the input for one of them
 * @param words the names and ids, as `wordsOf` gives them
 * @param lineFor returns the command that does the same for the rest
 * @param answer the answer to a typed confirmation, from the command line: the number of things
 * @returns a row for each, and the failure that follows them: `partlyDone`, or the first one's kind if all failed
 * @throws Failure as `confirm`
 */
export async function runSeveral(
  command: Command,
  context: Context,
  inputFor: (typed: string) => Input,
  words: readonly string[],
  lineFor: (rest: readonly string[]) => CommandLine,
  answer: string | undefined,
): Promise<ResultOrFailed<readonly Row[] | AsyncIterable<Row>>> {
  const one = { ...context, isOneOfSeveral: true };
  const readAtATime = context.prompts.available ? 1 : 4;
  const prepared = inOrder(words, readAtATime, (typed) => prepareOne(command, one, typed, inputFor(typed)));
  const things = await onceEach(command, prepared);
  await confirmAll(command, one, things, answer);
  const outcomes: Outcome[] = [];
  const rows = async function* (): AsyncGenerator<Row> {
    const atATime = command.effect === 'reads' ? readAtATime : 1;
    const shown = new Set<unknown>();
    for await (const outcome of inOrder(things, atATime, (thing) => runOne(command, one, thing))) {
      outcomes.push(outcome);
      const { row, failure } = outcome;
      const id = failure ? undefined : idNames.map((name) => row[name]).find((value) => value !== undefined);
      // What has both a name and an id may have been given by each.
      if (command.effect === 'reads' && id !== undefined && shown.has(id)) continue;
      shown.add(id);
      // An id is printed to be used, so that none of what failed is among them.
      if (!failure || context.options.output !== 'id') yield row;
      if (failure?.isInterruption) return;
    }
  };
  // On a terminal the table would stand between the lines that say what was done, or behind an open question.
  const isAtOnce =
    context.io.stdout.isTTY && (command.effect !== 'reads' || words.some((word) => !isId(word)));
  return withFailure(isAtOnce ? await collect(rows()) : rows(), () => failureOf(things, outcomes, lineFor));
}

/**
 * Prepares one of the things, and stores its failure for its row.
 * @throws any error that is no expected failure, and a failure by which a person or a signal ends the whole command: nothing
 * was done yet
 */
async function prepareOne(command: Command, context: Context, typed: string, input: Input): Promise<One> {
  try {
    return { typed, input, prepared: await command.prepare?.(context, input), failure: undefined };
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown.kind === 'unexpected') throw thrown;
    if (context.signal.aborted || thrown.isInterruption || thrown.kind === 'declined') throw thrown;
    return { typed, input, prepared: undefined, failure: thrown };
  }
}

/** Returns the things, each once: what has both a name and an id may have been given by each. */
async function onceEach({ idOf }: Command, things: AsyncIterable<One>): Promise<readonly One[]> {
  const each = new Map<unknown, One>();
  for await (const thing of things) {
    const id = thing.failure ? thing : (idOf?.(thing.prepared) ?? thing);
    if (!each.has(id)) each.set(id, thing);
  }
  return [...each.values()];
}

async function runOne(command: Command, context: Context, thing: One): Promise<Outcome> {
  const { typed, input, prepared } = thing;
  const failed = (failure: Failure, row: Row = {}): Outcome => ({
    typed,
    row: command.failedRow?.(context, typed, failure) ?? failedRow(command, typed, failure, row),
    failure,
  });
  if (thing.failure) return failed(thing.failure);
  try {
    context.signal.throwIfAborted();
    const returned = await command.run(context, input, prepared);
    const isFailed = returned instanceof FailedResult;
    const row = await lastRow(isFailed ? returned.result : returned);
    const failure = isFailed ? returned.failure : undefined;
    if (failure) return failed(failure, row);
    const outcome = command.failedRow ? {} : { outcome: 'done', error: null, code: null, given: typed };
    return { typed, row: { ...row, ...outcome }, failure: undefined };
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown.kind === 'unexpected') throw thrown;
    return failed(thrown);
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

/** The row of one that failed: what it was called by stands where its name or its id would. */
function failedRow(command: Command, typed: string, failure: Failure, row: Row): Row {
  const { fields } = severalShape(command);
  const member = isId(typed) ? idNames.find((id) => fields.some(({ name }) => name === id)) : 'name';
  return {
    ...(member && { [member]: typed }),
    ...row,
    outcome: failure.isUncertain ? 'unknown' : 'failed',
    error: failure.message,
    code: failureCode(failure),
    given: typed,
  };
}

/**
 * Asks once for all that has to be confirmed: y/N, or where each would take its name, their number.
 * @throws Failure as `confirm`
 */
async function confirmAll(
  command: Command,
  context: Context,
  things: readonly One[],
  answer: string | undefined,
): Promise<void> {
  const asked: Confirmation[] = [];
  for (const { input, prepared, failure } of things) {
    const confirmation = failure ? undefined : await command.confirm?.(context, input, prepared);
    if (confirmation) asked.push(confirmation);
  }
  const [first] = asked;
  if (!first) return;
  const more = asked.length - maxNamed;
  const said = asked.slice(0, maxNamed).map((one) => one.statement);
  const statements = [...said, ...(more > 0 ? [`And ${more} more.`] : [])];
  const isAnswered =
    first.level === 'yes' ? isAgreedAhead(first.allow, context) : answer !== undefined || asked.length === 1;
  const isAsked = context.prompts.available && !isAnswered;
  // A person reads them one below the other, before the question.
  if (isAsked) for (const statement of statements) context.terminal.note(statement);
  const all = asked.length < things.length ? `of the ${things.length} that were given` : 'in all';
  const statement = isAsked ? `That is ${asked.length} ${all}.` : statements.join('\n');
  if (first.level === 'name') {
    const number = String(things.length);
    if (things.length > 1 && answer !== undefined && answer !== number && /^\d+$/.test(answer))
      throw otherNumber(things, answer);
    // The name of a single one, which came from stdin, does as well.
    const own = things.length === 1 ? first.names : [];
    await confirm({ level: 'name', statement, names: [number, ...own] }, answer, context);
  } else if (first.level === 'yes')
    await confirm({ ...first, statement, question: undefined }, answer, context);
  else await confirm({ ...first, statement }, answer, context);
}

/** Returns the failure for a number that is another one than that of all things, after those that can't be done. */
function otherNumber(things: readonly One[], answer: string): Failure {
  const failures = failuresOf(things);
  const number = String(things.length);
  const said = `--confirm ${answer} is another number than ${number}, that of all that were given. Nothing was done.`;
  return new Failure(
    'notConfirmed',
    [...(failures.length > 0 ? [listOf(failures, things.length)] : []), said].join('\n'),
    { hint: `If all ${number} are meant, add: --confirm ${number}` },
  );
}

/** A thing that failed. */
interface Failed {
  readonly typed: string;
  readonly failure: Failure;
}

function failuresOf(all: readonly (One | Outcome)[]): readonly Failed[] {
  return all.flatMap(({ typed, failure }) => (failure ? [{ typed, failure }] : []));
}

function listOf(failures: readonly Failed[], all: number): string {
  const more = failures.length - maxNamed;
  return [
    `${failures.length} of ${all} failed:`,
    ...failures.slice(0, maxNamed).map(({ typed, failure }) => `  ${typed}: ${failure.message}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ].join('\n');
}

/** Returns the failure that follows the rows, or undefined if nothing failed. */
function failureOf(
  things: readonly One[],
  outcomes: readonly Outcome[],
  lineFor: (rest: readonly string[]) => CommandLine,
): Failure | undefined {
  const all = things.length;
  const failures = failuresOf(outcomes);
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
  const text = listOf(failures, all);
  const hints = new Set(failures.map(({ failure }) => remarkText(failure.hint ?? '')));
  const shared = hints.size === 1 ? hint : undefined;
  if (failures.length < all) return new Failure('partlyDone', text, { hint: shared });
  // What the service doesn't have was found by its name.
  const isUnquoted = failures.every(
    ({ typed, failure }) => failure.kind === 'notFound' && failure.status === undefined && !isId(typed),
  );
  return new Failure(kind, text, {
    code,
    status,
    hint: isUnquoted ? 'A name with spaces needs quotes.' : shared,
  });
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
