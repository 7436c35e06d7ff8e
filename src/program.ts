import { Command as Commander, CommanderError, Option as CommanderOption } from 'commander';
import { type Argv, isNamed, namesOf, readArgv } from './cli/argv.ts';
import type { Branch, Command } from './cli/command.ts';
import { addArguments, addOptions, pathOf, rawInput } from './cli/commander-input.ts';
import { globalOptions, parseGlobalOptions } from './cli/global-options.ts';
import { belowOptions, helpLayout } from './cli/help/layout.ts';
import { helpColumns } from './cli/help/text.ts';
import { commandsOfVerb, isVerb, suggestNoun } from './cli/usage/did-you-mean.ts';
import { allCommands, branches } from './commands/branches.ts';
import type { Clock } from './lib/clock.ts';
import { asFailure, CommandEnded, exitCodes, Failure } from './lib/errors.ts';
import type { Io } from './lib/io.ts';
import { own } from './lib/json-object.ts';
import { command, joinRemarks, remark } from './lib/text/remark.ts';
import { version } from './lib/version.ts';
import { redactedIo } from './secrets/redacted-io.ts';
import { Redactor } from './secrets/redactor.ts';

/**
 * Runs one command line. Returns its exit code; never throws. Nothing that it learns to be a secret is
 * written to the streams, but for what is its result.
 */
export async function run(
  args: readonly string[],
  io: Io,
  redactor: Redactor = new Redactor(),
  clock?: Clock,
): Promise<number> {
  const argv = readArgv(args, io.env);
  const redacted = redactedIo(io, redactor);
  if (io.env.BOTCTL_KEY_SECRET) redactor.learn(io.env.BOTCTL_KEY_SECRET);
  let program: Commander | undefined;
  try {
    if (args[0] === '__complete') {
      const { completionLines } = await import('./cli/completion/complete.ts');
      // A shell that has gone on needs no report.
      io.keepOnWriteError?.();
      redacted.io.stdout.write(await completionLines(args.slice(1), branches, io.env));
      return exitCodes.done;
    }
    program = await createProgram(argv, redacted.io, redactor, clock);
    await program.parseAsync([...args], { from: 'user' });
    return exitCodes.done;
  } catch (thrown) {
    return await tell(thrown, argv, redacted.io, redactor, program);
  } finally {
    redacted.end();
  }
}

/**
 * Says on stderr what was thrown outside of a command, as any other failure of that command line.
 * Returns the exit code.
 */
export async function tellCrash(
  thrown: unknown,
  args: readonly string[],
  io: Io,
  redactor: Redactor,
): Promise<number> {
  const redacted = redactedIo(io, redactor);
  try {
    return await tell(thrown, readArgv(args, io.env), redacted.io, redactor);
  } finally {
    redacted.end();
  }
}

/** Says on stderr why a command line failed. Returns its exit code. */
async function tell(
  thrown: unknown,
  argv: Argv,
  io: Io,
  redactor: Redactor,
  program?: Commander,
): Promise<number> {
  if (thrown instanceof CommandEnded) return thrown.exitCode;
  const { jsonErrors: json, debug, color, profile, baseUrl, caFile, insecureHttp, database } = argv;
  if (thrown instanceof CommanderError) {
    if (thrown.exitCode === 0) return exitCodes.done;
    // A noun without a verb has printed its help; that is the best answer there is, but for a script.
    if (thrown.code === 'commander.help' && !json) return exitCodes.usage;
  }
  const own =
    thrown instanceof CommanderError ? await usageFailure(thrown, argv, program) : asFailure(thrown);
  // A usage error did nothing that a signal could end, and asking for the signal would start to catch it.
  const isUsage = thrown instanceof CommanderError;
  const ended: unknown = !isUsage && io.signal.aborted ? io.signal.reason : undefined;
  const failure = ended instanceof Failure && !own.isInterruption ? own.afterSignal(ended) : own;
  if (io.isStep && (failure.isInterruption || failure.kind === 'declined')) return failure.exitCode;
  const { renderFailure } = await import('./output/failure.ts');
  await renderFailure(failure, io, {
    json,
    debug,
    color,
    profile,
    baseUrl,
    caFile,
    insecureHttp,
    database,
    redact: (text) => redactor.text(text),
  });
  return failure.exitCode;
}

/**
 * The command tree: the branch that the line names, with its commands; of these, the ones whose words stand on
 * the line have their options. Where it names none, all branches are there, without commands, for help and for
 * suggestions.
 */
export async function createProgram(
  argv: Argv,
  io: Io,
  redactor: Redactor,
  clock?: Clock,
): Promise<Commander> {
  const program = new Commander('botctl');
  program
    .description('The command line for partners of a conversational-bot platform.')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false);
  for (const { flags, summary, choices, words } of globalOptions) {
    const option = new CommanderOption(flags, summary);
    if (words) option.argParser<readonly string[]>((value, earlier = []) => [...earlier, value]);
    // Help shows the choices; the value is checked where it is read.
    program.addOption(choices ? option.choices(choices).argParser((value) => value) : option);
  }
  const asked = branches.find(({ name }) => name === argv.words[0]);
  const sink = { args: argv.args, io, redactor, clock };
  if (asked) addBranch(program, asked, await asked.load(), argv, sink);
  else for (const branch of branches) addBranch(program, branch, [], argv, sink);
  program
    .command('help [words...]', { hidden: true })
    .summary('Show help')
    .description('Show help for a command or a topic.')
    .action(async (words: readonly string[]) => {
      const { showHelp } = await import('./cli/help/show.ts');
      await showHelp(program, words, io, allCommands);
    });
  overrideExits(program, io);
  return program;
}

/** A command line, its streams, and the redactor that keeps its secrets out of them. */
interface Sink {
  readonly args: readonly string[];
  readonly io: Io;
  readonly redactor: Redactor;
  /** The machine's if not given. */
  readonly clock: Clock | undefined;
}

function addBranch(
  program: Commander,
  branch: Branch,
  commands: readonly Command[],
  { words }: Argv,
  sink: Sink,
): void {
  const alone = commands.length === 1 ? commands[0] : undefined;
  const node = program.command(branch.name).helpGroup(`${branch.heading}:`);
  node.summary(branch.summary).description(branch.summary);
  if (alone?.name === branch.name) {
    addCommand(node, alone, true, sink);
    return;
  }
  for (const command of commands) {
    const path = command.name.split(' ');
    const parent = path.slice(0, -1).reduce((above, name) => groupNamed(above, name, branch), node);
    const verb = parent.command(path.at(-1) ?? command.name).aliases(command.aliases ?? []);
    addCommand(verb, command, isNamed(words, command), sink);
  }
}

function groupNamed(parent: Commander, name: string, { groups = {} }: Branch): Commander {
  const found = parent.commands.find((candidate) => candidate.name() === name);
  return found ?? parent.command(name).description(own(groups, name) ?? '');
}

function addCommand(
  node: Commander,
  command: Command,
  isOnLine: boolean,
  { args, io, redactor, clock }: Sink,
): void {
  node.summary(command.summary).description(describe(command));
  addArguments(node, command);
  // Only a command on the line shows its options.
  if (!isOnLine) return;
  addOptions(node, command);
  node.addHelpText('after', () => belowOptions(command.examples, columnsOf(io)));
  // Looked at here, where the words of the line are known.
  node.allowExcessArguments();
  node.action(async () => {
    checkValues(node, args);
    checkCount(node);
    const globals = parseGlobalOptions(node.optsWithGlobals(), io.env);
    const { runCommand } = await import('./cli/runner.ts');
    await runCommand(command, rawInput(node, command), {
      io,
      globals,
      redactor,
      run: (line, streams) => run(line, streams, undefined, clock),
      clock,
    });
  });
}

/** @throws Failure `usage` where an option stands in the place of another one's value, as commander takes it */
function checkValues(node: Commander, args: readonly string[]): void {
  const options = [...node.options, ...rootOf(node).options];
  const named = (word: string | undefined): CommanderOption | undefined =>
    options.find(({ long, short }) => word !== undefined && (word === long || word === short));
  for (let at = 0; at < args.length && args[at] !== '--'; at += 1) {
    const option = named(args[at]);
    if (!option?.required) continue;
    at += 1;
    const [typed = ''] = args[at]?.split('=') ?? [];
    if (!named(typed)) continue;
    const { long, flags, argChoices } = option;
    const joined = argChoices ? undefined : `If ${typed} is its value, write ${long}=${typed}.`;
    const value = flags.slice(flags.indexOf('<'));
    throw new Failure('usage', `${long} needs a value: ${long} ${value}. Behind it comes ${typed}.`, {
      hint: joinRemarks([joined, remark`See ${command(...pathOf(node).slice(1), '--help')}`], ' '),
    });
  }
}

function rootOf(node: Commander): Commander {
  return node.parent ? rootOf(node.parent) : node;
}

/** @throws Failure `usage` where more words stand on the line than the command takes */
function checkCount(node: Commander): void {
  const { args, registeredArguments } = node;
  const extra = registeredArguments.at(-1)?.variadic ? undefined : args[registeredArguments.length];
  if (extra === undefined) return;
  const [botctl, ...path] = pathOf(node);
  const wanted = node.usage().replace(/^\[options\] ?/, '');
  const takes = wanted === '' ? 'no words after its name' : wanted;
  const quotes = wanted !== '' && 'What has spaces needs quotes.';
  const typed = [botctl, ...path].join(' ');
  throw new Failure('usage', `"${extra}" is one word too many: ${typed} takes ${takes}.`, {
    hint: joinRemarks([quotes, remark`See ${command(...path, '--help')}`], ' '),
  });
}

function describe(command: Command): string {
  const summary = `${command.summary}.`;
  return command.description ? `${summary}\n\n${command.description}` : summary;
}

function columnsOf(io: Io): number {
  return helpColumns(io.stdout);
}

/** Commander prints and exits by itself, with codes of its own; here it throws, and `run` speaks. */
function overrideExits(node: Commander, io: Io): void {
  node
    .exitOverride()
    .showSuggestionAfterError(false)
    .configureHelp(helpLayout)
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: () => undefined,
      getOutHelpWidth: () => columnsOf(io),
      getErrHelpWidth: () => helpColumns(io.stderr),
      // Help has no colours. Asked for them, Node would open a stream that the line may not need.
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  for (const child of node.commands) overrideExits(child, io);
}

/** Returns the failure for a usage error of commander. */
async function usageFailure(
  error: CommanderError,
  { args, words }: Argv,
  program: Commander | undefined,
): Promise<Failure> {
  const meant = suggestNoun(words, branches);
  const named = await namedWords(words);
  const branch = branches.find(({ name }) => name === meant[0]);
  const commands = (await branch?.load()) ?? [];
  const paths = commands.map(({ name }) =>
    name === meant[0] ? [name] : [...meant.slice(0, 1), ...name.split(' ')],
  );
  const command = commands.find((one) => namesOf(one).includes(named.slice(1).join(' ')));
  const isList = command?.output.kind === 'list' && 'where' in command.options;
  const runsAnother = Object.values(command?.arguments ?? {}).some(({ isCommand }) => isCommand);
  const whereFields = isList ? command.output.fields : [];
  const { usageFailureOf } = await import('./cli/usage/usage-failure.ts');
  const verbs = isVerb(words, meant, branches) ? commandsOfVerb(words[0] ?? '', await allCommands()) : [];
  return usageFailureOf(error, {
    args,
    words,
    named,
    meant,
    commands: paths,
    verbs,
    runsAnother,
    flags: program ? flagsOf(program, named) : [],
    whereFields,
  });
}

/** Returns the long forms of the options that a command takes, those of every command included. */
function flagsOf(program: Commander, path: readonly string[]): readonly string[] {
  let node = program;
  for (const word of path)
    node = node.commands.find((one) => [one.name(), ...one.aliases()].includes(word)) ?? node;
  const options = new Set([...node.options, ...program.options].filter(({ hidden }) => !hidden));
  return [...options].flatMap(({ long }) => long ?? []).concat('--help');
}

/** Returns as many of the words as name a noun or a command: the others are arguments. */
async function namedWords(words: readonly string[]): Promise<readonly string[]> {
  const branch = branches.find(({ name }) => name === words[0]);
  if (!branch) return [];
  const names = (await branch.load()).flatMap(namesOf).map((name) => `${name} `);
  const isNamed = (verb: readonly string[]): boolean =>
    names.some((name) => name.startsWith(`${verb.join(' ')} `));
  for (let length = words.length; length > 1; length -= 1) {
    if (isNamed(words.slice(1, length))) return words.slice(0, length);
  }
  return [branch.name];
}
