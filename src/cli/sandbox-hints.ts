import { resolve } from 'node:path';
import {
  type CommandLine,
  command,
  externalCommand,
  placeholder,
  type RemarkText,
  remark,
} from '../lib/text/remark.ts';
import { SandboxProblem } from '../sandbox/problem.ts';
import type { Problem, ProblemCode, ProblemFacts } from '../sandbox/problem-facts.ts';
import { dataDirectory } from '../settings/sandbox-data.ts';
import type { Context } from './context.ts';

type Words = CommandLine['words'];

/** The parts of a context that identify the sandbox of a command. */
type SandboxContext = Pick<Context, 'typed' | 'settings'> & {
  readonly io: Pick<Context['io'], 'env'>;
  readonly options: Pick<Context['options'], 'profile'>;
};

/** The options of a start that name the database on a server. */
const serverOptions = ['--database', placeholder('<url>'), '--files', placeholder('<directory>')];

/** The options that choose a sandbox. */
const sandboxOptions: ReadonlySet<string | undefined> = new Set(['--data', '--database', '--files']);

/**
 * Returns commands for the sandbox of the current command.
 * @param isStart true if the current command starts the sandbox; `start` then repeats all its options
 */
export function sandboxCommands(context: SandboxContext, isStart = false) {
  const { typed, options, settings } = context;
  const optionOf = (name: string): readonly string[] => typed.find(([flag]) => flag === name) ?? [];
  const [dataOption, database] = [optionOf('--data'), optionOf('--database')];
  const repeated = isStart ? typed : typed.filter(([flag]) => sandboxOptions.has(flag));
  /** Returns `sandbox start` with some options. */
  const start = (...words: Words): CommandLine => {
    const others = repeated.filter(([flag = '']) => !words.includes(flag));
    return command('sandbox', 'start', ...words, ...others.flat());
  };
  return {
    start,
    /** Returns the command that starts it again, with --data if that was typed or the directory is not the default one. */
    startAgain({ onServer, data }: ProblemFacts['notRunning']): CommandLine {
      const usual = dataDirectory(context, undefined, onServer ? 'onServer' : 'here');
      const isFound = data === undefined || data === usual || dataOption.length > 0;
      return start(...(isFound ? [] : ['--data', data]), ...(onServer ? serverOptions : []));
    },
    /** Starts it with another data directory. */
    otherData: start('--data', placeholder('<directory>')),
    /** The option that names its database. A URL from the environment, which may hold a password, is not repeated. */
    database: (url: string): readonly string[] => (isStart ? database : ['--database', url]),
    /** Returns a command of the running sandbox: `running('fault', 'list')`. */
    running: (...words: Words): CommandLine => command('sandbox', ...words, ...dataOption),
    /**
     * Returns a command of the API: `api('bots', 'list')`. If --data was typed, and --profile was not, the command names
     * the profile of that sandbox unless it is the current one.
     */
    api(...words: Words): CommandLine {
      const [, data] = dataOption;
      if (data === undefined || options.profile !== undefined) return command(...words);
      const { profiles } = settings;
      const profile = profiles.list().find(({ sandboxData }) => sandboxData === resolve(data))?.name;
      const isInUse = profile === undefined || profile === profiles.current();
      return isInUse ? command(...words) : command('--profile', profile, ...words);
    },
  };
}

type SandboxCommands = ReturnType<typeof sandboxCommands>;

const anyDevice = placeholder('<device>');

function savedCode({ api }: SandboxCommands, device: Words[number] = anyDevice): CommandLine {
  return api('device', 'connect', device, '--qr-file', 'pair.png');
}

/** The hint for each problem. */
const hints: {
  readonly [C in ProblemCode]: (facts: ProblemFacts[C], commands: SandboxCommands) => RemarkText;
} = {
  dataInUse: (_, { otherData }) => remark`Stop that sandbox, or use another directory: ${otherData}`,
  dataUnusable: (_, { otherData }) => remark`Use another directory: ${otherData}`,
  dataDamaged: (_, { otherData }) =>
    remark`Restore the directory from a copy, or use another directory: ${otherData}`,
  dataOfEarlierVersion: ({ directory }, { start }) =>
    remark`Use another directory: ${start('--data', `${directory}-new`)}. The earlier botctl can still use this one.`,
  dataOfNewerVersion: (_, { otherData }) => remark`Use that botctl, or another directory: ${otherData}`,
  dataIsOnServer: (_, { otherData }) =>
    remark`Start it with --database as before, or use another directory: ${otherData}`,
  directoryOccupied: (_, { otherData }) => remark`Use another directory: ${otherData}`,

  databaseOfEarlierVersion: ({ url }, { database }) =>
    remark`Stop all sandboxes that use it, make a backup, and migrate it: ${command('sandbox', 'migrate', ...database(url))}`,
  filesOfOtherDatabase({ database }) {
    const own = 'Each database needs its own directory: --files.';
    if (!database) return `${own} This database has no documents, so an empty directory will do.`;
    const marking = externalCommand(['echo', database.id], database.mark);
    return remark`${own} If these are its files, because both were moved or copied, run: ${marking}`;
  },
  filesMissing: () => 'Use the directory that the database had before: --files.',
  notFilesDirectory: () => 'Use an empty directory, or the one that the database had before: --files.',

  portInUse: ({ port }, { start }) =>
    remark`Use another port: ${start('--port', String(port < 65_535 ? port + 1 : 0))}`,
  portForbidden: (_, { start }) => remark`Use one above 1023: ${start('--port', '4010')}`,
  hostUnknown: () => 'Leave --host out.',
  hostIsPublic: ({ host, isTemporary }, { start }) =>
    isTemporary
      ? remark`This command serves this machine only. To serve other machines: ${start('--host', host)}`
      : remark`On a trusted network, or behind a proxy that terminates TLS: ${start('--host', host, '--insecure-http')}`,
  publicKeyMissing(facts, { database }) {
    const place = 'data' in facts ? ['--data', facts.data] : database(facts.database);
    const made = ['--name', placeholder('NAME'), '--secret-file', placeholder('FILE')];
    return remark`Create one: ${command('sandbox', 'key', 'create', ...place, ...made)}`;
  },
  sharedEmailsContradicted: ({ sharedEmails }) =>
    `${sharedEmails ? 'Leave out' : 'Add'} --shared-emails: the first start on a database decides it.`,
  sharedEmailsNeeded: ({ data }, { start }) =>
    remark`Start it as before: ${start('--data', data, '--shared-emails')}`,

  notRunning: (facts, { startAgain }) => remark`Start one in another terminal: ${startAgain(facts)}`,
  nameUnknown({ noun }, { api, running }) {
    if (noun === 'device') return remark`List your devices: ${api('device', 'list')}`;
    return remark`List them: ${noun === 'fault' ? running('fault', 'list') : api(`${noun}s`, 'list')}`;
  },
  seedUsed: (_, { running }) => remark`Use another seed, or empty the sandbox first: ${running('reset')}`,

  pictureIsDataUrl: (_, commands) => remark`Let botctl save the PNG: ${savedCode(commands)}`,
  pictureIsText: () => 'If it was captured from a terminal, add --text.',
  screenIsPicture: () => 'Leave out --text.',
  screenHasNoCode(_, { running }) {
    const scan = running('phone', 'scan', '--text');
    return remark`Capture the whole code, with its colours and spaces: tmux capture-pane -p -e -N -t <pane> | ${scan}`;
  },
  codeIsNegative: (_, { api }) =>
    remark`Press s on the pairing screen, or draw the code in its own colours: ${api('device', 'connect', anyDevice, '--qr', 'half')}`,
  codeInvalid: ({ device }, commands) =>
    remark`Save the current code, and scan it: ${savedCode(commands, device)}`,
  codeUsed: ({ device }, { api }) =>
    remark`To pair it again, disconnect it first: ${api('device', 'disconnect', device)}`,
  deviceNotPaired: ({ device }, { api }) => remark`Pair it: ${api('device', 'connect', device)}`,
  deviceBlocked: ({ device }, { running }) =>
    remark`Unblock it first: ${running('phone', 'unblock', device)}`,
  deviceReplaced: ({ device }, { api }) =>
    remark`Pair it again: ${api('device', 'disconnect', device)}, then ${api('device', 'connect', device)}`,
  scanNotConfirmed: ({ device }, { running }) => remark`Confirm it: ${running('phone', 'online', device)}`,
};

function hintFor<C extends ProblemCode>(problem: Problem<C>, commands: SandboxCommands): RemarkText {
  return hints[problem.code](problem, commands);
}

/**
 * Returns a problem of a sandbox as a failure with a hint. Returns anything else unchanged.
 * @param isStart true if the command that failed starts a sandbox
 */
export function withSandboxHint(thrown: unknown, context: SandboxContext, isStart?: boolean): unknown {
  if (!(thrown instanceof SandboxProblem)) return thrown;
  return thrown.withHint(hintFor(thrown.problem, sandboxCommands(context, isStart)));
}
