import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDesk } from '../desk/open-desk.ts';
import type { Clock } from '../lib/clock.ts';
import { errorCode, Failure, usageFailure } from '../lib/errors.ts';
import { makePrivateDirectory, privateFile } from '../lib/files/private-file.ts';
import type { Io } from '../lib/io.ts';
import { ownMember } from '../lib/json-object.ts';
import type { RemarkText } from '../lib/text/remark.ts';
import type { Fields } from '../output/fields.ts';
import type { PresentOptions } from '../output/options.ts';
import { checkFields, describeFields, omittedColumnsNote, present } from '../output/present.ts';
import type { ListShape, OutputShape, Results } from '../output/shape.ts';
import { isStreaming } from '../output/values.ts';
import { write } from '../output/write.ts';
import { SandboxProblem } from '../sandbox/problem.ts';
import type { Redactor } from '../secrets/redactor.ts';
import type { Identity } from '../settings/settings.ts';
import { colorLevel, loadPaint } from '../terminal/colour.ts';
import { onFirstRow, spinAfterDelay } from '../terminal/delayed-spinner.ts';
import { checkInput, type Input, type RawInput, typedOptions } from './check-input.ts';
import { type Command, CommandResult, type NameQuestion, type ResultOf } from './command.ts';
import { confirm, confirmNames } from './confirm.ts';
import type { AnyContext, Context } from './context.ts';
import { createContext } from './create-context.ts';
import { Delivery } from './delivery.ts';
import type { GlobalOptions } from './global-options.ts';
import { protectedProfileQuestion } from './profile-changes.ts';
import { withPhoneNumbers } from './region.ts';
import { type Several, severalIn, severalShape } from './several.ts';
import { withTeamNames } from './team-names.ts';

/** Options of running a command line. */
export interface RunOptions {
  readonly io: Io;
  readonly globals: GlobalOptions;
  readonly redactor: Redactor;
  /** Runs another command line in this process. */
  readonly run: Context['run'];
  /** The system clock if not given. */
  readonly clock?: Clock | undefined;
}

/**
 * Runs any command: checks the input, opens the session, asks for confirmation, runs it, and presents the result.
 * @throws Failure
 */
export async function runCommand(
  command: Command,
  raw: RawInput,
  { io, globals, redactor, run, clock }: RunOptions,
): Promise<void> {
  await loadPaint(colorLevel(io.stderr, io.env, globals.color));
  const typed = typedOptions(command, raw);
  const context = createContext(io, globals, run, redactor, clock, command.effect, typed);
  const isReport = context.options.output === 'markdown' && markdownOf(command.output) !== undefined;
  try {
    await (isReport ? runReport(command, raw, context) : runInContext(command, raw, context));
  } catch (thrown) {
    if (!(thrown instanceof SandboxProblem)) throw thrown;
    const { withSandboxHint } = await import('./sandbox-hints.ts');
    throw withSandboxHint(thrown, context);
  }
}

/**
 * Runs a command whose Markdown report is posted elsewhere. If the report cannot be made, prints one with the reason,
 * so that no older report remains there.
 */
async function runReport(command: Command, raw: RawInput, context: Context): Promise<void> {
  let isReported = false;
  const { output } = command;
  const markdown: ListShape['markdown'] = async (...parts) => {
    isReported = true;
    return (await markdownOf(output)?.(...parts)) ?? '';
  };
  try {
    const reported = output.kind === 'list' ? { ...command, output: { ...output, markdown } } : command;
    await runInContext(reported, raw, context);
  } catch (thrown) {
    if (!isReported && thrown instanceof Failure) {
      const { failureMarkdown } = await import('../output/markdown.ts');
      await write(context.io.stdout, failureMarkdown(thrown, context.redactResult));
    }
    throw thrown;
  }
}

/** @throws Failure `usage` if both --if-absent and --allow duplicate are given */
function checkAbsent({ ifAbsent }: Input, { options }: Context): void {
  if (ifAbsent === true && options.allow.has('duplicate'))
    throw usageFailure(['--if-absent and --allow duplicate cannot be combined.'], 'Leave out one of them.');
}

function markdownOf(output: OutputShape): ListShape['markdown'] {
  return output.kind === 'list' ? output.markdown : undefined;
}

/** @throws Failure `usage` if the command has no Markdown output, or if it has and --fields is given */
function checkMarkdown({ output }: Command, { options }: Context): void {
  if (options.output !== 'markdown') return;
  if (!markdownOf(output)) {
    const hint = 'Use another format, such as -o table.';
    throw new Failure('usage', 'This command cannot print Markdown.', { hint });
  }
  if (options.fields) throw usageFailure(['--fields cannot be combined with -o markdown.']);
}

/** Notes columns without room: each time if --fields names them, otherwise only the first time on this machine. */
function noteOmittedColumns({ io, options, settings, terminal }: Context, fields: Fields): void {
  if (!io.stderr.isTTY) return;
  const isPicked = options.fields !== undefined;
  if (isPicked || isFirstNote(settings.paths.cache)) terminal.note(omittedColumnsNote(fields, isPicked));
}

function isFirstNote(cache: string): boolean {
  try {
    makePrivateDirectory(cache);
    writeFileSync(join(cache, 'columns-noted'), '', { flag: 'wx', mode: privateFile });
    return true;
  } catch (error) {
    // If the cache cannot be written, the note is printed each time.
    return errorCode(error) !== 'EEXIST';
  }
}

async function runInContext(command: Command, raw: RawInput, context: Context): Promise<void> {
  if (context.options.output === 'help') {
    const { stdout } = context.io;
    stdout.write(describeFields(command.output, fieldOptions(command), stdout.columns || 80));
    return;
  }
  const several = severalIn(command, raw);
  const declared = several ? severalShape(command) : command.output;
  if (declared.kind !== 'list' || !declared.isOpen) checkFields(declared, context);
  checkMarkdown(command, context);
  const local = await withPhoneNumbers(command, raw, context);
  const { values, missing } = checkInput(local.command, raw, context.prompts.available);
  command.checkInput?.(values);
  checkAbsent(values, context);
  const opened = await openFor(command, context);
  const { api, identity } = opened;
  try {
    const guard = identity && !command.readsOnly?.(values) ? profileGuard(command, identity) : undefined;
    if (guard) await confirmNames([guard], context, true);
    const input =
      missing.length === 0
        ? values
        : await (await import('./questions.ts')).askForMissing(opened, command, values, missing);
    local.reportNumbers();
    const returned = await runOnceOrForEach(command, opened, input, raw, several);
    const { result: given, extras } = returned;
    const shape = shapeOf(declared, extras);
    let omitted: Fields = [];
    const result =
      api && !context.signal.aborted ? await withTeamNames({ ...context, api }, given, shape) : given;
    const hasSideEffect =
      command.effect !== 'reads' && !command.readsOnly?.(input) && shape.kind !== 'nothing';
    const delivery = hasSideEffect ? new Delivery(context.io) : undefined;
    const presented = await present(delivery ? delivery.trackIds(result, shape) : result, shape, {
      ...presentOptionsFor(command, input, context),
      onOmitted: (fields) => {
        omitted = fields;
      },
    }).catch((error: unknown) => {
      if (!delivery) throw error;
      delivery.recordError(error);
    });
    if (omitted.length > 0) noteOmittedColumns(context, omitted);
    const remark =
      presented?.rows === 0 && context.io.stdout.isTTY ? remarkOnNone(command, input) : undefined;
    if (remark !== undefined) context.terminal.note(remark);
    const { failure } = returned;
    const unwritten = await delivery?.problem();
    if (delivery && unwritten !== undefined) {
      throw (
        (await command.undeliveredFailure?.(opened, input, given, unwritten)) ??
        delivery.failure(unwritten, failure)
      );
    }
    if (failure) throw failure;
    // The result is printed. An interrupted command still fails, so that a shell loop ends.
    if (!extras.isEndless) context.signal.throwIfAborted();
  } finally {
    await api?.close();
  }
}

type Result = Results[OutputShape['kind']];

/** Runs a command once, or for each of several objects. */
async function runOnceOrForEach(
  command: Command,
  context: Context,
  input: Input,
  raw: RawInput,
  several: Several | undefined,
): Promise<CommandResult<Result>> {
  if (several) {
    const { runSeveral } = await import('./run-several.ts');
    return runSeveral(command, context, several, input, raw);
  }
  const prepared = await command.prepare?.(context, input);
  const confirmation = await command.confirm?.(context, input, prepared);
  if (confirmation) {
    const id = context.io.assistant ? command.idOf?.(prepared) : undefined;
    await confirm(confirmation, context, id);
  }
  const returned = await runWithSpinner(command, context, input, prepared);
  return returned instanceof CommandResult ? returned : new CommandResult(returned, {});
}

/**
 * Returns the shape of a result: as declared, with the fields of the result if it has its own, or events if it is
 * endless.
 */
function shapeOf(declared: OutputShape, { fields, isEndless }: CommandResult<Result>['extras']): OutputShape {
  if (declared.kind !== 'list') return declared;
  if (isEndless) return { kind: 'events', fields: declared.fields };
  return fields ? { ...declared, fields } : declared;
}

/** Options of a list that do not filter its rows. */
const orderAndPages: ReadonlySet<string> = new Set([
  'sort',
  'limit',
  'all',
  'page',
  'follow',
  'data',
  'database',
]);

/** Returns the note for a list without rows, or undefined if the command has printed one. */
function remarkOnNone({ options, output }: Command, input: Input): RemarkText | undefined {
  const search = input.name ?? input.search;
  if (output.kind !== 'list' || output.draw) return undefined;
  // A page after the last one has its own note.
  if (typeof input.page === 'number' && input.page > 1) return undefined;
  const { none = 'None found.', noMatch = none } = output.empty ?? {};
  const isChosen = (value: unknown): boolean => value !== undefined && [value].flat().length > 0;
  const conditions = Object.keys(options).filter((name) => !orderAndPages.has(name));
  const isAny = isChosen(search) || conditions.some((name) => isChosen(ownMember(input, name)));
  if (!isAny) return none;
  return typeof search === 'string' && typeof noMatch === 'string'
    ? noMatch.replace(/\.$/, ` "${search}".`)
    : noMatch;
}

/** Returns the options of a command that take the names of fields. */
function fieldOptions({ options }: Command): readonly string[] {
  const own = ['sort', 'where'].filter((name) => Object.hasOwn(options, name));
  return ['--fields', ...own.map((name) => `--${name}`)];
}

/** Runs a command. A command that only reads shows a spinner until its first result. */
async function runWithSpinner(
  command: Command,
  context: Context,
  input: Input,
  prepared: unknown,
): Promise<ResultOf<Result>> {
  const { effect, needs, output } = command;
  // Other commands ask questions, open screens or show their own progress.
  const isQuiet = effect === 'reads' && needs === 'api' && ['list', 'record'].includes(output.kind);
  if (!isQuiet || !context.io.stderr.isTTY) return command.run(context, input, prepared);
  const stop = spinAfterDelay(context.terminal, 'Waiting');
  let goesOn = false;
  try {
    const returned = await command.run(quietWhileAsking(context, stop), input, prepared);
    const isWrapped = returned instanceof CommandResult;
    const result = isWrapped ? returned.result : returned;
    if (!isStreaming(result)) return returned;
    goesOn = true;
    const rows = onFirstRow(result, stop);
    return isWrapped ? new CommandResult(rows, returned.extras) : rows;
  } finally {
    if (!goesOn) stop();
  }
}

/** Returns the same context, which stops the spinner before a question. */
function quietWhileAsking(context: Context, stop: () => void): Context {
  const askWhich: Context['askWhich'] = (question) => {
    stop();
    return context.askWhich(question);
  };
  return { ...context, askWhich };
}

/** Returns where and how to present the result. Without -o, the command's own format is used if it has one. */
function presentOptionsFor(command: Command, input: Input, context: Context): PresentOptions {
  const { options } = context;
  const own = command.format?.(input, context.io.stdout.isTTY === true);
  const output = options.isOutputTyped ? options.output : (own ?? options.output);
  const { clock, redactResult } = context;
  const { stdout, env } = context.io;
  // A side effect is reported even after a signal: such a command ends its rows by itself.
  const io = command.effect === 'reads' ? context.io : { stdout, env };
  return { io, clock, redactResult, options: { ...options, output } };
}

/** Returns the context that a command needs. */
async function openFor({ needs }: Command, context: Context): Promise<AnyContext> {
  if (needs === 'nothing') return context;
  const identity = await context.settings.identity();
  const desk = openDesk({ ...context, identity });
  if (needs === 'identity') return { ...context, ...desk, identity };
  const opened = await context.openApi(identity);
  const api = identity.settings?.queryNames
    ? (await import('./stale-names.ts')).withStaleNameNotes(opened, identity, context.terminal)
    : opened;
  return { ...context, ...desk, identity, api };
}

/**
 * Returns the question of a protected profile, asked before anything else is asked or read. The runner asks it, so that
 * no command can forget it.
 */
function profileGuard({ effect }: Command, identity: Identity): NameQuestion | undefined {
  if (effect === 'reads' || effect === 'creates') return undefined;
  const { profile, baseUrl, settings } = identity;
  if (profile === undefined || !settings?.protected) return undefined;
  return protectedProfileQuestion({ name: profile, baseUrl });
}
