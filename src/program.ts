import { Command as Commander, CommanderError, Option as CommanderOption } from 'commander';
import { Redactor } from './client/redact.ts';
import type { Command } from './command.ts';
import { createContext } from './context.ts';
import { asFailure, exitCodes, Failure } from './errors.ts';
import { globalOptions, parseGlobalOptions, wantsJson } from './global-options.ts';
import type { Io } from './io.ts';
import { redactedIo } from './redacted-io.ts';
import { addInput, rawInput, runCommand } from './runner.ts';
import { colorLevel, loadPaint } from './terminal/colour.ts';
import { renderFailure } from './terminal/failure.ts';
import { version } from './version.ts';

/** A noun with its verbs, or a command that stands alone. Loaded when it is asked for. */
interface Branch {
  readonly name: string;
  readonly summary: string;
  readonly heading: 'Start' | 'Work' | 'Devices and messages' | 'Rehearse';
  /** Its commands: one named like the branch itself, or one for each verb. */
  load(): Promise<readonly Command[]>;
}

const branches: readonly Branch[] = [
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
    name: 'keys',
    summary: 'Create, list, read and delete API keys',
    heading: 'Work',
    load: async () => (await import('./commands/keys/index.ts')).commands,
  },
  {
    name: 'teams',
    summary: 'Create, list, read and update teams',
    heading: 'Work',
    load: async () => (await import('./commands/teams/index.ts')).commands,
  },
  {
    name: 'bots',
    summary: 'Create, list, read, update and delete bots',
    heading: 'Work',
    load: async () => (await import('./commands/bots/index.ts')).commands,
  },
  {
    name: 'docs',
    summary: 'Upload, list, read and rename knowledge documents',
    heading: 'Work',
    load: async () => (await import('./commands/docs/index.ts')).commands,
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
    load: async () => (await import('./commands/sandbox/index.ts')).commands,
  },
  {
    name: 'tour',
    summary: 'See the main job done from start to end on a sandbox',
    heading: 'Rehearse',
    load: async () => [(await import('./commands/tour.ts')).tour],
  },
];

/** Verbs that people look for and the API doesn't have: why, and what to do instead. */
const absentVerbs: Readonly<Record<string, { readonly why: string; readonly instead: string }>> = {
  'teams delete': {
    why: 'The API has no way to delete a team.',
    instead: 'Ban it instead: botctl teams update <team> --ban',
  },
  'docs delete': {
    why: 'The API has no way to delete a document.',
    instead: 'Unlink it from its bots: botctl bots update <bot> --document <the ones to keep>',
  },
  'docs update': {
    why: 'Only the name of a document can change; its file cannot.',
    instead:
      'Rename it with botctl docs rename <document> <name>, or upload the new file with botctl docs upload.',
  },
  'device update': {
    why: 'The API has no way to change a device.',
    instead: 'Create another one: botctl device create --team <team> --bot <bot> --name <name>',
  },
  'device delete': {
    why: 'The API has no way to delete a device.',
    instead: 'Stop it instead: botctl device disconnect <device>',
  },
  'bots publish': {
    why: 'The API has no way to publish a bot.',
    instead: 'Publish it in the platform itself; on a sandbox, run botctl sandbox publish <bot>.',
  },
};

/**
 * Runs one command line. Gives its exit code; never throws. Nothing that it learns to be a secret is
 * written to the streams, but for what is its result.
 */
export async function run(
  args: readonly string[],
  io: Io,
  redactor: Redactor = new Redactor(),
): Promise<number> {
  const redacted = redactedIo(io, redactor);
  if (io.env.BOTCTL_KEY_SECRET) redactor.learn(io.env.BOTCTL_KEY_SECRET);
  try {
    const program = await createProgram(args, redacted.io, redactor);
    await program.parseAsync([...args], { from: 'user' });
    return exitCodes.done;
  } catch (thrown) {
    return await tell(thrown, args, redacted.io);
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
    return await tell(thrown, args, redacted.io);
  } finally {
    redacted.end();
  }
}

/** Says on stderr why a command line failed. Gives its exit code. */
async function tell(thrown: unknown, args: readonly string[], io: Io): Promise<number> {
  if (thrown instanceof CommanderError) {
    if (thrown.exitCode === 0) return exitCodes.done;
    // A noun without a verb has printed its help; that is the best answer there is.
    if (thrown.code === 'commander.help') return exitCodes.usage;
  }
  const failure = thrown instanceof CommanderError ? await fromCommander(thrown, args) : asFailure(thrown);
  await renderFailure(failure, io, {
    json: wantsJson(args),
    debug: args.includes('--debug'),
    color: !args.includes('--no-color'),
  });
  return failure.exitCode;
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
 * The command tree. Only the branch that the line names gets its commands; the others are there for
 * help and for suggestions.
 */
export async function createProgram(args: readonly string[], io: Io, redactor: Redactor): Promise<Commander> {
  const program = new Commander('botctl');
  program
    .description('The command line for partners of a conversational-bot platform.')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText(
      'after',
      '\nStart with:\n  botctl tour          the whole job on a sandbox\n  botctl login         your own service',
    );
  for (const { flags, summary, choices } of globalOptions) {
    const option = new CommanderOption(flags, summary);
    program.addOption(choices ? option.choices(choices) : option);
  }
  const asked = askedBranch(args);
  for (const branch of branches) {
    const commands = branch === asked ? await branch.load() : [];
    addBranch(program, branch, commands, { io, redactor });
  }
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
  const words = args.filter((arg, index) => !arg.startsWith('-') && !takesValue.has(args[index - 1] ?? ''));
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
}

function addBranch(program: Commander, branch: Branch, commands: readonly Command[], sink: Sink): void {
  const alone = commands.length === 1 ? commands[0] : undefined;
  const node = program.command(branch.name).helpGroup(`${branch.heading}:`);
  node.summary(branch.summary).description(branch.summary);
  if (alone?.name === branch.name) {
    addCommand(node, alone, sink);
    return;
  }
  for (const command of commands) {
    const words = command.name.split(' ');
    const parent = words.slice(0, -1).reduce(childNamed, node);
    addCommand(parent.command(words.at(-1) ?? command.name), command, sink);
  }
}

function childNamed(parent: Commander, name: string): Commander {
  const found = parent.commands.find((candidate) => candidate.name() === name);
  return found ?? parent.command(name).description(`Commands of ${parent.name()} ${name}`);
}

function addCommand(node: Commander, command: Command, { io, redactor }: Sink): void {
  node.summary(command.summary).description(describe(command));
  addInput(node, command);
  node.addHelpText('after', () => helpExamples(command));
  node.action(async () => {
    const globals = parseGlobalOptions(node.optsWithGlobals(), io.env);
    await loadPaint(colorLevel(io.stderr, io.env, globals.color));
    const context = createContext(io, globals, run, redactor);
    await runCommand(command, rawInput(node, command), context);
  });
}

function describe(command: Command): string {
  const summary = `${command.summary}.`;
  return command.description ? `${summary}\n\n${command.description}` : summary;
}

function helpExamples(command: Command): string {
  const lines = command.examples.map(({ line, does }) => `  ${does}\n    $ ${line}`);
  return lines.length > 0 ? `\nExamples:\n${lines.join('\n')}` : '';
}

/** Commander prints and exits by itself, with codes of its own; here it throws, and `run` speaks. */
function overrideExits(node: Commander, io: Io): void {
  node
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: false })
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: () => undefined,
      getOutHelpWidth: () => io.stdout.columns ?? 80,
      getErrHelpWidth: () => io.stderr.columns ?? 80,
    });
  for (const child of node.commands) overrideExits(child, io);
}

/** As many of the words as name a branch or a command of it: what follows are arguments. */
async function namedWords(words: readonly string[]): Promise<readonly string[]> {
  const branch = branches.find(({ name }) => name === words[0]);
  if (!branch) return [];
  const typed = words.slice(1).join(' ');
  const command = (await branch.load()).find(({ name }) => `${typed} `.startsWith(`${name} `));
  return command ? [branch.name, command.name] : [branch.name];
}

/** What commander found wrong with the line. */
async function fromCommander(error: CommanderError, args: readonly string[]): Promise<Failure> {
  const words = commandWords(args);
  const absent = absentVerbs[words.slice(0, 2).join(' ')];
  if (error.code === 'commander.unknownCommand' && absent) {
    return new Failure('usage', absent.why, { hint: absent.instead });
  }
  // What was given to an option that isn't there may be a secret.
  const said = error.message
    .replace(/^error: /, '')
    .replace(/^(unknown option '[^=']*)=[\s\S]*'(?=\n|$)/, "$1'");
  const [message = '', suggestion] = said.split('\n');
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1).replace(/\.+$/, '')}.`;
  const help = ['botctl', ...(await namedWords(words)), '--help'].join(' ');
  const didYouMean = suggestion?.replace(/^\(|\)$/g, '');
  return new Failure('usage', sentence, { hint: [didYouMean, `See ${help}`].filter(Boolean).join(' ') });
}
