import { Failure, failureCode } from '../lib/errors.ts';
import { checkPiped, readStdin } from '../lib/files/text-input.ts';
import { isId } from '../lib/ids.ts';
import type { Io } from '../lib/io.ts';
import { collect, inChunks } from '../lib/iterables.ts';
import {
  type CommandLine,
  command as commandLine,
  joinRemarks,
  remark,
  remarkText,
} from '../lib/text/remark.ts';
import { idIn, idNames } from '../output/delimited.ts';
import type { Row } from '../output/fields.ts';
import { isStreaming } from '../output/values.ts';
import { argumentLabel, type Input, type RawInput } from './check-input.ts';
import { type Command, CommandResult, type Confirmation, withFailure } from './command.ts';
import { confirm, confirmNames, isPreconfirmed } from './confirm.ts';
import type { Context } from './context.ts';
import { type Several, severalShape } from './several.ts';

/** The maximum number of names in a message; the others are counted. */
const maxNamed = 10;

/**
 * Returns the names and ids typed for an argument, without duplicates, and with `-` replaced by the lines of stdin.
 * @param help the command that shows the help
 * @throws Failure `usage` if `-` was typed and nothing is piped to stdin
 */
export async function readNames(
  io: Io,
  argument: string,
  typed: readonly string[],
  help: CommandLine,
): Promise<readonly string[]> {
  if (!typed.includes('-')) return [...new Set(typed)];
  checkPiped(io, '-', commandLine(...help.words.slice(0, -1), '-'));
  const piped = await readStdin(io, argumentLabel(argument));
  // A name may begin or end with a blank, and end with the CR of a Windows line; an id may not.
  const lines = piped.split('\n').filter((line) => line.trim() !== '');
  const words = lines.map((line) => (isId(line.trimEnd()) ? line.trimEnd() : line));
  return [...new Set(typed.flatMap((word) => (word === '-' ? words : word)))];
}

/** One of the objects, prepared, or the failure of its preparation. */
interface Thing {
  readonly typed: string;
  readonly input: Input;
  readonly prepared?: unknown;
  readonly failure?: Failure | undefined;
}

/** The result of running the command for one object, as a row. */
interface Outcome extends Pick<Thing, 'typed' | 'failure'> {
  readonly row: Row;
}

/**
 * Runs a command for each of several objects: prepares all, asks once, and continues if one fails. Reads run four at a
 * time unless the user may be asked. Writes run one by one, so that it is clear where an interruption stopped them.
 * @param raw the typed input
 * @returns a row for each, and the failure that follows them: `partlyDone`, or the first one's kind if all failed
 * @throws Failure as `confirm`
 */
export async function runSeveral(
  command: Command,
  context: Context,
  { name, typed, isList }: Several,
  input: Input,
  raw: RawInput,
): Promise<CommandResult<readonly Row[] | AsyncIterable<Row>>> {
  const one = { ...context, isOneOfSeveral: true };
  const words = typed
    ? await readNames(context.io, name, typed, raw.help)
    : ((await command.standsFor?.things(context)) ?? []);
  const isRead = command.effect === 'reads';
  // The user may be asked which object a name means.
  const atATime = context.prompts.available && !words.every(isId) ? 1 : 4;
  const prepared = mapInOrder(words, atATime, (word) =>
    prepareOne(command, one, { typed: word, input: { ...input, [name]: isList ? [word] : word } }),
  );
  // An object may have been given by both its name and its id.
  const each = new Map<unknown, Thing>();
  for await (const thing of prepared) {
    const id = thing.failure ? thing : (command.idOf?.(thing.prepared) ?? thing);
    if (!each.has(id)) each.set(id, thing);
  }
  const things = [...each.values()];
  await confirmAll(command, one, things);
  await command.preload?.(
    one,
    things.flatMap(({ prepared, failure }) => (failure ? [] : [prepared])),
  );
  const outcomes: Outcome[] = [];
  const rows = async function* (): AsyncGenerator<Row> {
    const shown = new Set<unknown>();
    for await (const outcome of mapInOrder(things, isRead ? atATime : 1, (thing) =>
      runOne(command, one, thing),
    )) {
      outcomes.push(outcome);
      const { row, failure } = outcome;
      const id = failure ? undefined : idIn(row);
      if (isRead && id !== undefined && shown.has(id)) continue;
      shown.add(id);
      // Ids are printed for further use, so those of failures are left out.
      if (!failure || context.options.output !== 'id') yield row;
      if (failure?.isInterruption) return;
    }
  };
  // On a terminal the table would mix with the progress lines and questions.
  const result = context.io.stdout.isTTY ? await collect(rows()) : rows();
  // The command for the rest repeats the typed options, but no answers to questions: those were given for all.
  const lineFor = (rest: readonly string[]): CommandLine => {
    const dashes = rest.some((word) => word.startsWith('-')) ? ['--'] : [];
    return commandLine(...raw.help.words.slice(0, -1), ...context.typed.flat(), ...dashes, ...rest);
  };
  return withFailure(result, () => failureOf(things, outcomes, lineFor));
}

/** Processes a number of items at a time. Yields the results in the order of the items. */
async function* mapInOrder<T, R>(
  items: readonly T[],
  atATime: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  for (const some of inChunks(items, atATime)) yield* await Promise.all(some.map(work));
}

/**
 * @throws an error that ends the whole command before anything is done: a bug, an interruption, or a no to a question
 */
async function prepareOne(command: Command, context: Context, thing: Thing): Promise<Thing> {
  try {
    return { ...thing, prepared: await command.prepare?.(context, thing.input) };
  } catch (thrown) {
    const failure = expectedFailure(thrown);
    if (context.signal.aborted || failure.isInterruption || failure.kind === 'declined') throw failure;
    return { ...thing, failure };
  }
}

/** Returns an expected failure. @throws any other error unchanged */
function expectedFailure(thrown: unknown): Failure {
  if (thrown instanceof Failure && thrown.kind !== 'unexpected') return thrown;
  throw thrown;
}

async function runOne(command: Command, context: Context, thing: Thing): Promise<Outcome> {
  const { typed, input, prepared } = thing;
  try {
    if (thing.failure) throw thing.failure;
    context.signal.throwIfAborted();
    const returned = await command.run(context, input, prepared);
    const isWrapped = returned instanceof CommandResult;
    const result = isWrapped ? returned.result : returned;
    // The last event shows how it ended.
    const row = isStreaming(result) ? (await collect(result)).at(-1) : result;
    const failure = isWrapped ? returned.failure : undefined;
    return outcomeOf(command, typed, failure, typeof row === 'object' ? { ...row } : {});
  } catch (thrown) {
    return outcomeOf(command, typed, expectedFailure(thrown), {});
  }
}

/** Returns the row of one object. For a failure, the typed name or id fills the column of the name or id. */
function outcomeOf(command: Command, typed: string, failure: Failure | undefined, row: Row): Outcome {
  if (!failure) return { typed, row: { ...row, outcome: 'done', error: null, code: null, given: typed } };
  const { fields } = severalShape(command);
  const member = isId(typed) ? idNames.find((id) => fields.some(({ name }) => name === id)) : 'name';
  const outcome = failure.isUncertain ? 'unknown' : 'failed';
  const result = { outcome, error: failure.message, code: failureCode(failure), given: typed };
  return { typed, row: { ...(member && { [member]: typed }), ...row, ...result }, failure };
}

/**
 * Asks everything that has to be confirmed: one y/N question, and each name that has to be typed.
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
  const statements = firstLines(questions.map((one) => one.statement));
  const isAsked = context.prompts.available && !isPreconfirmed(first.allow, context);
  // On a terminal the statements are lines above the question.
  if (isAsked) for (const statement of statements) context.terminal.note(statement);
  const statement = isAsked
    ? `${questions.length} of ${things.length} ${questions.length === 1 ? 'needs' : 'need'} confirmation.`
    : statements.join('\n');
  await confirm({ ...first, statement, question: undefined }, context);
}

/** Returns the first few lines, and one with the number of the others. */
function firstLines(lines: readonly string[]): readonly string[] {
  const more = lines.length - maxNamed;
  return more > 0 ? [...lines.slice(0, maxNamed), `and ${more} more`] : lines;
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
  // An interrupted call may have taken effect. If it surely did not, it is among the rest.
  const isUndone = interruption !== undefined && !interruption.isUncertain;
  const rest = things.slice(outcomes.length - (isUndone ? 1 : 0)).map(({ typed }) => typed);
  if (rest.length > 0) {
    const hint = remark`Not done: ${String(rest.length)} of ${String(all)}. Continue with: ${lineFor(rest)}`;
    if (interruption) return interruption.withHint(joinRemarks([interruption.hint, hint]));
    return new Failure('partlyDone', `${rest.length} of ${all} not started.`, { hint });
  }
  const [first] = failures;
  if (interruption || !first || all === 1) return interruption ?? first?.failure;
  const { kind, code, status, hint } = first.failure;
  const lines = failures.map(({ typed, failure }) => `  ${typed}: ${failure.message}`);
  const text = [`${failures.length} of ${all} failed:`, ...firstLines(lines)].join('\n');
  const hints = new Set(failures.map(({ failure }) => remarkText(failure.hint ?? '')));
  const shared = hints.size === 1 ? hint : undefined;
  if (failures.length < all) return new Failure('partlyDone', text, { hint: shared });
  // A failure without a status is a name that was not found.
  const isUnquoted = failures.every(
    ({ typed, failure }) => failure.kind === 'notFound' && failure.status === undefined && !isId(typed),
  );
  return new Failure(kind, text, {
    code,
    status,
    hint: isUnquoted ? 'A name with spaces needs quotes.' : shared,
  });
}
