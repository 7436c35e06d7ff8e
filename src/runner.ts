import {
  type Command as Commander,
  Argument as CommanderArgument,
  Option as CommanderOption,
} from 'commander';
import type { Command, Confirmation, OutputShape, Results } from './command.ts';
import type { Context, Session } from './context.ts';
import { Failure } from './errors.ts';
import { argumentLabel, checkInput, type Input, type Missing, type RawInput } from './input/check.ts';
import { type Option, oppositeOf } from './input/options.ts';
import { protectedProfileQuestion } from './settings/profile-changes.ts';
import type { Fields } from './terminal/fields.ts';
import { showLife, whenFirstCame } from './terminal/life.ts';
import { checkFields, describeFields, leftOutNote, present, type Stage } from './terminal/present.ts';
import { shellWord } from './text/shell-word.ts';

/** Declares a command's arguments and options to commander. */
export function addInput(node: Commander, command: Command): void {
  const usage = ['[options]'];
  for (const [name, { summary, optional, variadic }] of Object.entries(command.arguments)) {
    const words = argumentLabel(name).slice(1, -1) + (variadic ? '...' : '');
    // Optional for commander, so that a person can be asked for the one that is missing.
    node.addArgument(new CommanderArgument(`[${words}]`, summary));
    usage.push(optional ? `[${words}]` : `<${words}>`);
  }
  node.usage(usage.join(' '));
  for (const option of Object.values(command.options)) {
    const [declared, negative] = commanderOptions(option);
    node.addOption(declared);
    if (negative) {
      node.addOption(negative);
      watch(node, declared.name());
    }
  }
  if (command.effect === 'destroys') {
    node.option('--confirm <name>', 'confirm by the name or id of what is destroyed');
  }
}

/** The options and `--no-` forms that were typed, by their names: commander itself keeps the last one only. */
const typedNames = new WeakMap<Commander, Set<string>>();

function watch(node: Commander, name: string): void {
  const typed = typedNames.get(node) ?? new Set();
  typedNames.set(node, typed);
  for (const one of [name, `no-${name}`]) node.on(`option:${one}`, () => void typed.add(one));
}

function contradictions(node: Commander): readonly string[] {
  const typed = typedNames.get(node) ?? new Set();
  return [...typed].filter((name) => typed.has(`no-${name}`));
}

function commanderOptions(option: Option<unknown>): readonly [CommanderOption, CommanderOption?] {
  const declared = new CommanderOption(option.flags, describe(option)).hideHelp(option.hidden === true);
  if (option.kind === 'many') {
    declared.argParser<readonly string[]>((value, earlier) => [...(earlier ?? []), value]);
  }
  const opposite = oppositeOf(option);
  return opposite ? [declared, new CommanderOption(`--no-${declared.name()}`, opposite)] : [declared];
}

function describe({ summary, required, fallback, choices, kind }: Option<unknown>): string {
  const notes = [
    required && 'required',
    choices && `one of ${choices.join(', ')}`,
    kind === 'many' && 'may be given several times',
    kind === 'value' && fallback !== undefined && `default ${String(fallback)}`,
  ].filter(Boolean);
  return notes.length > 0 ? `${summary} (${notes.join('; ')})` : summary;
}

/** Takes what was typed out of commander. */
export function rawInput(node: Commander, command: Command): RawInput {
  const typed: Record<string, unknown> = node.opts();
  const given: Record<string, RawInput['options'][string]> = {};
  for (const [name, option] of Object.entries(command.options)) {
    const value = typed[new CommanderOption(option.flags).attributeName()];
    if (typeof value === 'string' || typeof value === 'boolean') given[name] = value;
    else if (Array.isArray(value)) given[name] = value.map(String);
  }
  const positional: Record<string, string | readonly string[] | undefined> = {};
  Object.keys(command.arguments).forEach((name, index) => {
    const value: unknown = node.processedArgs[index];
    if (typeof value === 'string') positional[name] = value;
    else if (Array.isArray(value)) positional[name] = value.map(String);
  });
  return {
    arguments: positional,
    options: given,
    contradictions: contradictions(node),
    confirm: typeof typed.confirm === 'string' ? typed.confirm : undefined,
    help: `${pathOf(node)} --help`,
  };
}

function pathOf(node: Commander): string {
  return node.parent ? `${pathOf(node.parent)} ${node.name()}` : node.name();
}

/**
 * Runs a command, the same way for all: check the input, open the session, confirm by effect, run,
 * present.
 * @throws Failure
 */
export async function runCommand(command: Command, raw: RawInput, context: Context): Promise<void> {
  if (context.options.output === 'help') {
    context.io.stdout.write(describeFields(command.output, fieldOptions(command)));
    return;
  }
  checkFields(command.output, context);
  const { values, missing } = checkInput(command, raw, context.prompts.available);
  command.checkInput?.(values);
  const session = await openSession(command, context);
  try {
    const guard = command.readsOnly?.(values) ? undefined : guardOf(command, session);
    if (guard) await confirm(guard, raw.confirm, context);
    const input = missing.length === 0 ? values : await ask(session, command, values, missing);
    const prepared = await command.prepare?.(session, input);
    const confirmation = await command.confirm?.(session, input, prepared);
    if (confirmation) await confirm(confirmation, raw.confirm, context);
    const result = await runWithLife(command, session, input, prepared);
    let leftOut: Fields = [];
    const stage = stageFor(command, input, context);
    const { rows } = await present(result, command.output, {
      ...stage,
      onLeftOut: (fields) => {
        leftOut = fields;
      },
    });
    if (leftOut.length > 0 && context.io.stderr.isTTY) context.terminal.note(leftOutNote(leftOut));
    if (rows === 0 && command.output.kind === 'list' && !command.output.draw && context.io.stdout.isTTY)
      context.terminal.note('There are none.');
    const verdict = command.verdict?.(result, prepared);
    if (verdict) throw verdict;
  } finally {
    await session.close();
  }
}

/** The options of a command that take the names of fields. */
function fieldOptions({ options }: Command): readonly string[] {
  const own = ['sort', 'where'].filter((name) => name in options);
  return ['--fields', ...own.map((name) => `--${name}`)];
}

/** Runs a command. While one that reads has nothing to show yet, a person sees that it goes on. */
async function runWithLife(
  command: Command,
  session: Session,
  input: Input,
  prepared: unknown,
): Promise<Results[OutputShape['kind']]> {
  const { effect, needs, output } = command;
  // Others ask, open screens, or say themselves what goes on.
  const isQuiet = effect === 'reads' && needs === 'session' && ['list', 'record'].includes(output.kind);
  if (!isQuiet || !session.io.stderr.isTTY) return command.run(session, input, prepared);
  const stop = showLife(session.terminal, 'Asking the service');
  let goesOn = false;
  try {
    const result = await command.run(session, input, prepared);
    if (typeof result !== 'object' || !(Symbol.asyncIterator in result)) return result;
    goesOn = true;
    return whenFirstCame(result, stop);
  } finally {
    if (!goesOn) stop();
  }
}

/** Where the result goes, in the format that the command prefers if none was asked for. */
function stageFor(command: Command, input: Input, context: Context): Stage {
  const { options } = context;
  const output = options.output ?? command.format?.(input);
  const { io, clock, redactResult } = context;
  return { io, clock, redactResult, options: { ...options, output } };
}

async function ask(
  session: Session,
  command: Command,
  values: Input,
  missing: readonly Missing[],
): Promise<Input> {
  const { askForMissing } = await import('./input/questions.ts');
  return askForMissing(session, command, values, missing);
}

interface ClosableSession extends Session {
  close(): Promise<void>;
}

async function openSession(command: Command, context: Context): Promise<ClosableSession> {
  if (command.needs === 'session') {
    const identity = context.settings.identity();
    const api = await context.openApi(identity);
    return { ...context, identity, api, close: () => api.close() };
  }
  const undeclared = (): never => {
    throw new TypeError(`${command.name} uses the API but doesn't declare that it needs a session`);
  };
  return {
    ...context,
    get api() {
      return undeclared();
    },
    get identity() {
      return undeclared();
    },
    close: async () => undefined,
  };
}

/**
 * What a protected profile asks, before anything else is asked or read. It stands here, so that no command
 * can forget it.
 */
function guardOf({ needs, effect, guarded = false }: Command, session: Session): Confirmation | undefined {
  if (needs !== 'session') return undefined;
  if (!guarded && effect !== 'changes' && effect !== 'destroys') return undefined;
  const { profile, baseUrl, settings } = session.identity;
  if (profile === undefined || !settings?.protected) return undefined;
  return protectedProfileQuestion({ name: profile, baseUrl });
}

/**
 * Asks before something is changed or destroyed.
 * @throws Failure `declined` when a person says no, `usage` when nobody is there to ask.
 */
async function confirm(
  confirmation: Confirmation,
  typed: string | undefined,
  context: Context,
): Promise<void> {
  const { prompts, options } = context;
  if (confirmation.level === 'yes') {
    if (options.yes) return;
    if (!(await prompts.yes({ message: confirmation.question, option: '--yes' }))) throw declined();
    return;
  }
  const { question } = confirmation;
  const isProfile = confirmation.level === 'profile';
  const names = isProfile ? [confirmation.profile] : confirmation.names;
  const option = isProfile ? '--confirm-profile' : '--confirm';
  const answer = isProfile ? options.confirmProfile : typed;
  const [name = ''] = names;
  if (answer === undefined) {
    const message = `${question} Type ${name} to confirm:`;
    if (!(await prompts.typedName({ message, option: `${option} "${name}"`, names }))) throw declined();
  } else if (!names.includes(answer)) {
    throw new Failure(
      'usage',
      `${option} "${answer}" names something else than "${name}". Nothing was done.`,
      { hint: `If "${name}" is what you mean, add: ${option} ${shellWord(name)}` },
    );
  }
}

function declined(): Failure {
  return new Failure('declined', 'Nothing was done.');
}
