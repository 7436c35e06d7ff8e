import { Command as Commander, CommanderError, Option as CommanderOption } from 'commander';
import { Redactor } from './client/redact.ts';
import type { Command } from './command.ts';
import { asFailure, exitCodes, Failure } from './errors.ts';
import { belowOptions, helpLayout } from './help/layout.ts';
import { helpColumns } from './help/text.ts';
import { addArguments, addOptions, rawInput } from './input/commander-input.ts';
import { globalOptions, parseGlobalOptions, wantsJson } from './input/global-options.ts';
import type { Clock, Io } from './io.ts';
import { withNounMeant } from './line-meant.ts';
import { redactedIo } from './redacted-io.ts';
import { version } from './version.ts';

/** A noun with its verbs, or a command that stands alone. Loaded when it is asked for. */
interface Branch {
  readonly name: string;
  readonly summary: string;
  readonly heading: 'Start' | 'Work' | 'Devices and messages' | 'Rehearse';
  /** What the nouns below it are for, where a command has two words: `questions add`. */
  readonly groups?: Readonly<Record<string, string>>;
  /** Its commands: one named like the branch itself, or one for each verb. */
  load(): Promise<readonly Command[]>;
}

/** Everything that may follow `botctl`. */
export const branches: readonly Branch[] = [
  {
    name: 'login',
    summary: 'Store an API key as a profile',
    heading: 'Start',
    load: async () => [(await import('./commands/login.ts')).login],
  },
  {
    name: 'logout',
    summary: 'Forget the API key of a profile',
    heading: 'Start',
    load: async () => [(await import('./commands/logout.ts')).logout],
  },
  {
    name: 'whoami',
    summary: 'Show who you are, and where that came from',
    heading: 'Start',
    load: async () => [(await import('./commands/whoami.ts')).whoami],
  },
  {
    name: 'profiles',
    summary: 'List, choose, change, rename and remove profiles',
    heading: 'Start',
    load: async () => (await import('./commands/profiles/index.ts')).commands,
  },
  {
    name: 'token',
    summary: 'Print a valid access token for a script',
    heading: 'Start',
    load: async () => [(await import('./commands/token.ts')).token],
  },
  {
    name: 'doctor',
    summary: 'Look for what is wrong, and say what to do about it',
    heading: 'Start',
    load: async () => [(await import('./commands/doctor/doctor.ts')).doctor],
  },
  {
    name: 'completion',
    summary: 'Print the completion script of a shell',
    heading: 'Start',
    load: async () => [(await import('./commands/completion.ts')).completion],
  },
  {
    name: 'keys',
    summary: 'Create, list, show and delete API keys',
    heading: 'Work',
    load: async () => (await import('./commands/keys/index.ts')).commands,
  },
  {
    name: 'teams',
    summary: 'Create, list, show and update teams',
    heading: 'Work',
    load: async () => (await import('./commands/teams/index.ts')).commands,
  },
  {
    name: 'bots',
    summary: 'Create, list, show, update and delete bots',
    heading: 'Work',
    groups: {
      questions: 'Add, list and remove the questions that a bot answers',
      actions: 'Add, list and remove the HTTP actions of a bot',
      documents: 'Add, list and remove the documents that a bot knows',
    },
    load: async () => (await import('./commands/bots/index.ts')).commands,
  },
  {
    name: 'docs',
    summary: 'Upload, list, show and rename knowledge documents',
    heading: 'Work',
    load: async () => (await import('./commands/docs/index.ts')).commands,
  },
  {
    name: 'api',
    summary: 'Call any endpoint, and print its answer as it comes',
    heading: 'Work',
    load: async () => [(await import('./commands/api/api.ts')).api],
  },
  {
    name: 'device',
    summary: 'Create, pair, watch and disconnect messaging devices',
    heading: 'Devices and messages',
    load: async () => (await import('./commands/device/index.ts')).commands,
  },
  {
    name: 'send',
    summary: 'Send a message through a paired device',
    heading: 'Devices and messages',
    load: async () => [(await import('./commands/send.ts')).send],
  },
  {
    name: 'sandbox',
    summary: 'Run the whole service on this machine',
    heading: 'Rehearse',
    groups: {
      phone: 'Scan codes with the simulated phone, and see what may happen to a device',
      clock: 'Set the clock of the sandbox',
    },
    load: async () => (await import('./commands/sandbox/index.ts')).commands,
  },
  {
    name: 'tour',
    summary: 'See the main job done from start to end on a sandbox',
    heading: 'Rehearse',
    load: async () => [(await import('./commands/tour.ts')).tour],
  },
];

/**
 * Runs one command line. Gives its exit code; never throws. Nothing that it learns to be a secret is
 * written to the streams, but for what is its result.
 */
export async function run(
  args: readonly string[],
  io: Io,
  redactor: Redactor = new Redactor(),
  clock?: Clock,
): Promise<number> {
  const redacted = redactedIo(io, redactor);
  if (io.env.BOTCTL_KEY_SECRET) redactor.learn(io.env.BOTCTL_KEY_SECRET);
  try {
    const program = await createProgram(args, redacted.io, redactor, clock);
    await program.parseAsync([...args], { from: 'user' });
    return exitCodes.done;
  } catch (thrown) {
    return await tell(thrown, args, redacted.io, redactor);
  } finally {
    redacted.end();
  }
}

/**
 * Says on stderr what was thrown where nobody could catch it, as any other failure of that command line.
 * Gives the exit code.
 */
export async function tellCrash(
  thrown: unknown,
  args: readonly string[],
  io: Io,
  redactor: Redactor,
): Promise<number> {
  const redacted = redactedIo(io, redactor);
  try {
    return await tell(thrown, args, redacted.io, redactor);
  } finally {
    redacted.end();
  }
}

/** Says on stderr why a command line failed. Gives its exit code. */
async function tell(thrown: unknown, args: readonly string[], io: Io, redactor: Redactor): Promise<number> {
  if (thrown instanceof CommanderError) {
    if (thrown.exitCode === 0) return exitCodes.done;
    // A noun without a verb has printed its help; that is the best answer there is, but for a script.
    if (thrown.code === 'commander.help' && !wantsJson(args)) return exitCodes.usage;
  }
  const failure = thrown instanceof CommanderError ? await usageFailure(thrown, args) : asFailure(thrown);
  const { renderFailure } = await import('./terminal/failure.ts');
  await renderFailure(failure, io, {
    json: wantsJson(args),
    debug: args.includes('--debug'),
    color: !args.includes('--no-color'),
    profile: typedProfile(args),
    redact: (text) => redactor.text(text),
  });
  return failure.exitCode;
}

/** What `--profile` was given, also where the line can't be read otherwise. */
function typedProfile(args: readonly string[]): string | undefined {
  const end = args.indexOf('--');
  const options = end < 0 ? args : args.slice(0, end);
  const at = options.lastIndexOf('--profile');
  const joined = options.findLast((arg) => arg.startsWith('--profile='))?.slice('--profile='.length);
  return (at < 0 ? undefined : options[at + 1]) ?? joined;
}

/** Every command with the words that name it: `teams list`. Loads them all; for tests and generated texts. */
export async function allCommands(): Promise<
  readonly { readonly path: string; readonly command: Command }[]
> {
  const loaded = branches.map(async ({ name, load }) =>
    (await load()).map((command) => ({
      path: command.name === name ? name : `${name} ${command.name}`,
      command,
    })),
  );
  return (await Promise.all(loaded)).flat();
}

/**
 * The command tree: the branch that the line names, with its commands; of these, the ones whose words stand on
 * the line have their options. Where it names none, all branches are there, without commands, for help and for
 * suggestions.
 */
export async function createProgram(
  args: readonly string[],
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
  for (const { flags, summary, choices } of globalOptions) {
    const option = new CommanderOption(flags, summary);
    // Help shows the choices; whoever reads the value checks it.
    program.addOption(choices ? option.choices(choices).argParser((value) => value) : option);
  }
  const asked = askedBranch(args);
  const sink = { io, redactor, clock };
  if (asked) addBranch(program, asked, await asked.load(), args, sink);
  else for (const branch of branches) addBranch(program, branch, [], args, sink);
  program
    .command('help [words...]', { hidden: true })
    .summary('Show help')
    .description('Show help for a command or a topic.')
    .action(async (words: readonly string[]) => {
      const { showHelp } = await import('./help/show.ts');
      await showHelp(program, words, io);
    });
  overrideExits(program, io);
  return program;
}

/** The words of a line that are neither options nor the value of a global one, without a leading `help`. */
function commandWords(args: readonly string[]): readonly string[] {
  const takesValue = new Set(
    globalOptions
      .filter(({ flags }) => flags.includes('<'))
      .flatMap(({ flags }) => flags.match(/--?[\w-]+/g) ?? []),
  );
  // Of short options written as one, `-yo json`, the last takes the value.
  const isBeforeValue = (arg = ''): boolean => takesValue.has(/^-[a-z]+$/.test(arg) ? `-${arg.at(-1)}` : arg);
  const words = args.filter((arg, index) => !arg.startsWith('-') && !isBeforeValue(args[index - 1]));
  return words[0] === 'help' ? words.slice(1) : words;
}

function askedBranch(args: readonly string[]): Branch | undefined {
  const [name] = commandWords(args);
  return branches.find((branch) => branch.name === name);
}

/** What a command line writes to, and what keeps its secrets out of that. */
interface Sink {
  readonly io: Io;
  readonly redactor: Redactor;
  /** The machine's where not given. */
  readonly clock: Clock | undefined;
}

function addBranch(
  program: Commander,
  branch: Branch,
  commands: readonly Command[],
  args: readonly string[],
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
    const words = command.name.split(' ');
    const parent = words.slice(0, -1).reduce((above, name) => groupNamed(above, name, branch), node);
    const isOnLine = words.every((word) => args.includes(word));
    addCommand(parent.command(words.at(-1) ?? command.name), command, isOnLine, sink);
  }
}

function groupNamed(parent: Commander, name: string, { groups = {} }: Branch): Commander {
  const found = parent.commands.find((candidate) => candidate.name() === name);
  return found ?? parent.command(name).description(groups[name] ?? '');
}

function addCommand(
  node: Commander,
  command: Command,
  isOnLine: boolean,
  { io, redactor, clock }: Sink,
): void {
  node.summary(command.summary).description(describe(command));
  addArguments(node, command);
  // Nobody else would see them.
  if (!isOnLine) return;
  addOptions(node, command);
  node.addHelpText('after', () => belowOptions(command.examples, columnsOf(io)));
  // Looked at here, where the words of the line are known.
  node.allowExcessArguments();
  node.action(async () => {
    checkCount(node);
    const globals = parseGlobalOptions(node.optsWithGlobals(), io.env);
    const { runCommand } = await import('./runner.ts');
    await runCommand(command, rawInput(node, command), { io, globals, redactor, run, clock });
  });
}

/** @throws Failure `usage` where more words stand on the line than the command takes */
function checkCount(node: Commander): void {
  const { args, registeredArguments } = node;
  const extra = registeredArguments.at(-1)?.variadic ? undefined : args[registeredArguments.length];
  if (extra === undefined) return;
  const path = pathOf(node);
  const wanted = node.usage().replace(/^\[options\] ?/, '');
  const takes = wanted === '' ? 'no words after its name' : wanted;
  const quotes = wanted === '' ? '' : ' What has spaces needs quotes.';
  throw new Failure('usage', `"${extra}" is one word too many: ${path} takes ${takes}.`, {
    hint: `${quotes.trimStart()} See ${path} --help`.trimStart(),
  });
}

function pathOf(node: Commander): string {
  return node.parent ? `${pathOf(node.parent)} ${node.name()}` : node.name();
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
    .showSuggestionAfterError()
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

/** What commander found wrong with the line. */
async function usageFailure(error: CommanderError, args: readonly string[]): Promise<Failure> {
  const words = commandWords(args);
  const meant = withNounMeant(
    words,
    branches.map(({ name }) => name),
  );
  const named = await namedWords(words);
  const branch = branches.find(({ name }) => name === meant[0]);
  const commands = (await branch?.load()) ?? [];
  const paths = commands.map(({ name }) =>
    name === meant[0] ? [name] : [...meant.slice(0, 1), ...name.split(' ')],
  );
  const command = commands.find(({ name }) => name === named.slice(1).join(' '));
  const isList = command?.output.kind === 'list' && 'where' in command.options;
  const whereFields = isList ? command.output.fields : [];
  const { usageFailureOf } = await import('./usage-failure.ts');
  return usageFailureOf(error, { args, words, named, meant, commands: paths, whereFields });
}

/** As many of the words as name a noun or a command: what follows are arguments. */
async function namedWords(words: readonly string[]): Promise<readonly string[]> {
  const branch = branches.find(({ name }) => name === words[0]);
  if (!branch) return [];
  const names = (await branch.load()).map(({ name }) => `${name} `);
  const isNamed = (verb: readonly string[]): boolean =>
    names.some((name) => name.startsWith(`${verb.join(' ')} `));
  for (let length = words.length; length > 1; length -= 1) {
    if (isNamed(words.slice(1, length))) return words.slice(0, length);
  }
  return [branch.name];
}
