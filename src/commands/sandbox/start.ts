import { once } from 'node:events';
import { CommandResult, defineCommand } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { flag } from '../../cli/options.ts';
import { withSandboxHint } from '../../cli/sandbox-hints.ts';
import { databaseLabel } from '../../lib/database-address.ts';
import { Failure } from '../../lib/errors.ts';
import { type CommandLine, command, placeholder, type RemarkText, remark } from '../../lib/text/remark.ts';
import { shortDuration } from '../../lib/time.ts';
import type { Row } from '../../output/fields.ts';
import type { AnySandbox, SandboxOptions } from '../../sandbox/sandbox.ts';
import { checkProfileName } from '../../settings/profiles.ts';
import { dataDirectory } from '../../settings/sandbox-data.ts';
import type { Serving, Starter } from './background.ts';
import { serverOf, warnOfUnverified } from './database-options.ts';
import { profileFor, type SandboxProfile, storeProfile } from './own-profile.ts';
import { dataOption } from './running.ts';
import { portOption, serviceOptions, warnOfError } from './service-options.ts';

type Words = CommandLine['words'];

export const start = defineCommand({
  name: 'start',
  summary: 'Run the service on this machine',
  description:
    'Serves the whole API until Ctrl-C, or with --detach in the background until "sandbox stop". Only this machine can ' +
    'reach it, unless --host is given (see: botctl help sandbox). The data is stored with SQLite in the data directory, ' +
    'which must not be on a network file system; to copy it, stop the sandbox. The first API key is saved as the profile of ' +
    '--profile, else as "sandbox", or "sandbox-2" if another running sandbox has that profile. Its secret is also printed, ' +
    'unless --fields leaves it out.',
  options: {
    port: portOption(4010),
    data: dataOption,
    detach: flag('--detach', 'run in the background, with its log in sandbox.log in the data directory'),
    ...serviceOptions,
  },
  examples: [
    {
      line: 'botctl sandbox start --port 0 --data ./sandbox',
      does: 'Run a sandbox with its data in ./sandbox, on any free port',
    },
    { line: 'botctl sandbox start --phone manual', does: 'Scan the pairing codes yourself' },
    { line: 'botctl sandbox start --rate-limit 20/s', does: 'Limit the rate of requests' },
    {
      line: 'botctl sandbox start --database postgres://ana@db.example/rehearsal --files ./uploads',
      does: 'Share a PostgreSQL database with other sandboxes',
    },
    {
      line: 'botctl sandbox start --detach -o json',
      does: 'Start one in a script',
    },
    {
      line: 'botctl sandbox start --detach -o json --fields base_url,pid',
      does: 'Start one in CI without printing the secret',
    },
  ],
  needs: 'nothing',
  effect: 'creates',
  output: {
    kind: 'events',
    cards: true,
    fields: [
      { name: 'base_url', heading: 'Base address' },
      { name: 'key_id', kind: 'id' },
      { name: 'key_secret' },
      { name: 'pid', heading: 'Process', kind: 'id' },
      { name: 'data' },
    ],
  },
  async run(context, { port, data, detach, database, files, ...service }) {
    if (context.options.profile !== undefined) checkProfileName(context.options.profile);
    const { terminal } = context;
    const server = serverOf(context, { database, files });
    const directory = dataDirectory(context, data, server ? 'onServer' : 'here');
    const background = detach ? await import('./background.ts') : undefined;
    const starter = background?.starterOf(context.io.env);
    warnOfUnverified(server, terminal);
    const started: StartChoices = {
      phone: service.phone,
      server,
      profile: profileFor(context, directory),
      isOwnData: data !== undefined,
      log: background?.logOf(directory),
    };
    const hinted = (error: unknown): never => {
      throw withSandboxHint(error, context, true);
    };
    const starting = terminal.progress('Starting the sandbox');
    if (background && !starter) {
      const serving = await background
        .startInBackground(context, directory)
        .catch(hinted)
        .finally(() => starting.stop());
      return introduce(context, serving, started);
    }
    const { startSandbox } = await import('../../sandbox/start.ts');
    const sandbox = await startSandbox({
      ...service,
      insecureHttp: context.options.insecureHttp,
      port,
      data: directory,
      server,
      log: started.log,
      knownKey: started.profile.holder,
      onError: (error, call) => warnOfError(context, error, call),
    })
      .catch(async (error: unknown) => {
        await starter?.failed(error);
        return hinted(error);
      })
      .finally(() => starting.stop());
    return new CommandResult(serve(context, sandbox, started, starter), { isEndless: true });
  },
});

/** The properties of a started sandbox that its messages explain. */
interface StartChoices extends Pick<SandboxOptions, 'phone' | 'server'> {
  /** The profile in which its key is stored. */
  readonly profile: SandboxProfile;
  /** True if its data directory is not the default one. */
  readonly isOwnData: boolean;
  /** The file with its output, if it runs in the background. */
  readonly log: string | undefined;
}

/**
 * Prints the address of the sandbox, and serves until Ctrl-C, which is the usual way to stop it.
 * @param starter receives the address instead, if it is given
 * @throws the reason of the signal if it came before the sandbox was up
 */
async function* serve(
  context: Context,
  sandbox: AnySandbox,
  started: StartChoices,
  starter: Starter | undefined,
): AsyncGenerator<Row> {
  const { baseUrl, keyId, keySecret, data } = sandbox;
  const serving = { baseUrl, keyId, keySecret, data, pid: process.pid };
  let ending: string | undefined;
  try {
    // The address was not printed yet, so the signal interrupted the start and did not stop a server.
    context.signal.throwIfAborted();
    if (starter) {
      await starter.serves(serving);
      const time = new Date(context.clock.now()).toISOString();
      context.terminal.done(`${time} The sandbox listens at ${baseUrl} (process ${process.pid}).`);
    } else yield* introduce(context, serving, started);
    ending = await untilEnded(context, sandbox);
  } catch (error) {
    throw withSandboxHint(error, context, true);
  } finally {
    await sandbox.stop();
  }
  if (ending !== undefined) context.terminal.note(ending);
}

/** Prints the address of a sandbox, stores its key as a profile, and suggests the next commands. */
async function* introduce(context: Context, serving: Serving, started: StartChoices): AsyncGenerator<Row> {
  const { terminal } = context;
  terminal.done(`The sandbox listens at ${serving.baseUrl}.`);
  const { keySecret } = serving;
  const storedAs =
    keySecret && (await storeProfile(context, { ...serving, keySecret }, started.profile, terminal));
  yield {
    base_url: serving.baseUrl,
    key_id: serving.keyId,
    ...(keySecret && { key_secret: context.reveal(keySecret) }),
    pid: serving.pid,
    data: serving.data,
  };
  for (const line of guide(serving, started, storedAs)) terminal.note(line);
}

/** Waits until a sandbox is stopped or this process must end. Returns what to report after it has stopped. */
async function untilEnded(
  { io, signal, terminal }: Context,
  sandbox: AnySandbox,
): Promise<string | undefined> {
  if (!signal.aborted) await Promise.race([once(signal, 'abort'), sandbox.stopped]);
  if (!signal.aborted) return 'Stopped by "sandbox stop".';
  // The terminal has shown ^C, and the shell's prompt comes next.
  if (io.stderr.isTTY) io.stderr.write('\n');
  if (sandbox.drainDelay > 0)
    terminal.note(`Stopping in ${shortDuration(sandbox.drainDelay)}; a second signal stops it at once.`);
  // A server that a supervisor stops in an orderly way has not failed.
  return signal.reason instanceof Failure && signal.reason.kind === 'terminated' ? 'Stopped.' : undefined;
}

/** Returns the lines below the address. Each command is on its own line, short enough for 80 columns. */
function guide(
  { baseUrl, keySecret, data }: Serving,
  { phone, server, isOwnData, log }: StartChoices,
  storedAs: string | undefined,
): readonly RemarkText[] {
  // The name of the profile is shorter than the directory.
  const at = (...words: Words): CommandLine => {
    // BOTCTL_PROFILE may name the profile of another sandbox.
    if (!isOwnData && (storedAs ?? 'sandbox') === 'sandbox') return command('sandbox', ...words);
    return storedAs
      ? command('--profile', storedAs, 'sandbox', ...words)
      : command('sandbox', ...words, '--data', data);
  };
  const login = keySecret && command('login', '--base-url', baseUrl);
  const first = storedAs ? command('--profile', storedAs, 'teams', 'list') : login;
  return [
    ...(phone === 'auto'
      ? ['Phone: simulated; it scans each code after a few seconds.']
      : [
          'Phone: scans the pictures that you give it:',
          remark`  ${at('phone', 'scan', placeholder('<picture>'))}`,
        ]),
    server
      ? `Data: ${databaseLabel(server.url)}, files: ${server.files}`
      : `Data: ${data} (kept for the next start)`,
    ...(log === undefined ? [] : [`Log: ${log}`]),
    ...(keySecret
      ? []
      : ['Callers: other machines can reach it over plain http, with keys of "sandbox key create".']),
    log === undefined ? 'Try, in another terminal:' : 'Try:',
    ...(first ? [remark`  ${first}`] : []),
    remark`  ${at('seed')}`,
    log === undefined ? 'Press Ctrl-C to stop.' : remark`  ${at('stop')}`,
  ];
}
