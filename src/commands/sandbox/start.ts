import { once } from 'node:events';
import { defineCommand } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { flag, option, optionOr } from '../../cli/options.ts';
import { shownDatabase } from '../../lib/database-address.ts';
import { Failure } from '../../lib/errors.ts';
import { duration, integer, someText } from '../../lib/parse.ts';
import { command, placeholder, type RemarkText, remark } from '../../lib/text/remark.ts';
import { span } from '../../lib/time.ts';
import type { Row } from '../../output/fields.ts';
import type { AnySandbox, SandboxOptions } from '../../sandbox/sandbox.ts';
import { checkProfileName } from '../../settings/profiles.ts';
import { dataDirectory } from '../../settings/sandbox-data.ts';
import type { Serving, Starter } from './background.ts';
import { databaseOptions, serverOf, warnOfUnverified } from './database-options.ts';
import { latencyText } from './limits.ts';
import { noteSandbox } from './noted-sandboxes.ts';
import { profileFor, type SandboxProfile, storeProfile } from './own-profile.ts';
import { dataOption, exampleCounts } from './running.ts';
import { serviceOptions, type Told, toldBy } from './service-options.ts';

export const start = defineCommand({
  name: 'start',
  summary: 'Run the whole service on this machine until Ctrl-C, or in the background',
  description:
    'The sandbox serves every call of the API and stores its data with SQLite in its data directory, which is copied while the ' +
    'sandbox is stopped (botctl help rehearsing) and must not be on a network file system. It listens ' +
    'on this machine only, unless --host says otherwise (botctl help operating). Its first API key is stored as the profile "sandbox", or the one that --profile ' +
    'names; while another sandbox that runs has the profile "sandbox", as "sandbox-2". It prints the secret of that key ' +
    'too, in a pipe as on a terminal: with --fields base_url,pid it is in the profile alone. With --detach it goes on in the ' +
    'background until "sandbox stop", and logs to sandbox.log in its data directory. With --database ' +
    'and --files the rows and the uploaded files are there, and the data directory has only the key and the log of this process.',
  options: {
    port: optionOr(
      '--port <port>',
      'port to listen on; 0 takes a free one',
      4010,
      integer({ min: 0, max: 65_535 }),
    ),
    data: dataOption,
    ...databaseOptions,
    detach: flag('--detach', 'return once it is ready, and let it run in the background'),
    ...serviceOptions,
    host: optionOr(
      '--host <host>',
      'address to listen on; one that other machines reach needs --behind-proxy or --insecure-http, and a key',
      '127.0.0.1',
      someText,
    ),
    behindProxy: flag(
      '--behind-proxy',
      'calls come through a proxy that ends TLS; its Host and X-Forwarded-Proto tell the address',
    ),
    drainDelay: option(
      '--drain-delay <duration>',
      'how long to keep serving once it is to stop, while /readyz answers 503 (5s if other machines reach it, else 0s)',
      duration,
    ),
  },
  examples: [
    { line: 'botctl sandbox start --port 0 --data ./sandbox', does: 'Run one of its own for this directory' },
    { line: 'botctl sandbox start --phone manual', does: 'Run it, and scan the codes yourself' },
    {
      line: 'botctl sandbox start --phone manual --qr-delay 3s --blink --qr-style mixed',
      does: 'Rehearse pairing with slow codes of many looks, and restarts',
    },
    {
      line: 'botctl sandbox start --rate-limit 20/s --latency 40ms..120ms',
      does: 'Run it as far away and as strict as a service may be',
    },
    {
      line: 'botctl sandbox start --database postgres://ana@db.example/rehearsal --files ./uploads',
      does: 'Serve what a PostgreSQL has, beside others who do',
    },
    {
      line: 'botctl sandbox start --detach -o json',
      does: 'Have one for the rest of a script, which reads where it is',
    },
    {
      line: 'botctl sandbox start --detach -o json --fields base_url,pid',
      does: 'The same in a job whose output is kept, without the secret',
    },
  ],
  needs: 'nothing',
  effect: 'creates',
  endsOnInterrupt: ({ detach }) => !detach,
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
  async run(context, { port, data, detach, database, files, log: format, ...service }) {
    if (context.options.profile !== undefined) checkProfileName(context.options.profile);
    const server = serverOf(context, { database, files });
    const directory = dataDirectory(context, data, server ? 'onServer' : 'here');
    const background = detach ? await import('./background.ts') : undefined;
    const starter = background?.starterOf(context.io.env);
    const told = await toldBy(context, format);
    warnOfUnverified(server, told.reporter);
    const started = {
      ...service,
      told,
      server,
      profile: profileFor(context, directory),
      isOwnData: data !== undefined,
    };
    const starting = told.reporter.progress('Starting the sandbox');
    if (background && !starter) {
      const serving = await background
        .startInBackground(context, directory)
        .catch((error: unknown) => {
          throw told.lastWords(error);
        })
        .finally(() => starting.stop());
      return introduce(context, serving, { ...started, log: background.logOf(directory) });
    }
    const { startSandbox } = await import('../../sandbox/start.ts');
    const options: SandboxOptions = {
      ...service,
      insecureHttp: context.options.insecureHttp,
      port,
      data: directory,
      server,
      log: background?.logOf(directory),
      knownKey: started.profile.holder,
      onError: told.onError,
      onRequest: told.onRequest,
    };
    const sandbox = await startSandbox(options)
      .catch(async (error: unknown) => {
        await starter?.failed(error);
        throw told.lastWords(error);
      })
      .finally(() => starting.stop());
    return serve(context, sandbox, started, starter);
  },
});

/** The options of a started sandbox that its messages explain. */
interface Started
  extends Required<Pick<SandboxOptions, 'phone' | 'qrDelay' | 'blink' | 'qrStyle' | 'behindProxy'>>,
    Pick<SandboxOptions, 'rateLimit' | 'latency' | 'server'> {
  /** The profile that its key is to be stored as. */
  readonly profile: SandboxProfile;
  readonly told: Told;
  /** True if it keeps its data elsewhere than other sandboxes of this user. */
  readonly isOwnData: boolean;
  /** The file with what it says, if it is in the background. */
  readonly log?: string;
}

/**
 * Prints the address of the sandbox, and serves until Ctrl-C, which is the usual way to end it.
 * @param starter gets the address instead, if there is one
 * @throws the reason of the signal if that came before the sandbox was up
 */
async function* serve(
  context: Context,
  sandbox: AnySandbox,
  started: Started,
  starter: Starter | undefined,
): AsyncGenerator<Row> {
  const forget = noteSandbox(context, sandbox.data);
  let ending: string | undefined;
  try {
    // Its address was not printed yet, so the signal interrupted the start and did not end a server.
    context.signal.throwIfAborted();
    if (starter) await tell(context, servingHere(sandbox), started, starter);
    else yield* introduce(context, servingHere(sandbox), started);
    ending = await untilEnded(context, sandbox, started);
  } catch (error) {
    throw started.told.lastWords(error);
  } finally {
    await sandbox.stop().finally(forget);
  }
  if (ending !== undefined) started.told.reporter.note(ending);
}

async function tell(
  { clock }: Context,
  serving: Serving,
  { told: { reporter, isForPeople } }: Started,
  starter: Starter,
): Promise<void> {
  await starter.serves(serving);
  const time = new Date(clock.now()).toISOString();
  reporter.done(
    `${isForPeople ? `${time} ` : ''}The sandbox listens at ${serving.baseUrl} (process ${serving.pid}).`,
  );
}

function servingHere({ baseUrl, keyId, keySecret, data, metrics }: AnySandbox): Serving {
  return { baseUrl, keyId, keySecret, data, metrics, pid: process.pid };
}

/** Prints where a sandbox is, stores its key as a profile, and says what to do with it. */
async function* introduce(context: Context, serving: Serving, started: Started): AsyncGenerator<Row> {
  const { reporter, isForPeople } = started.told;
  reporter.done(`The sandbox listens at ${serving.baseUrl}.`);
  if (serving.metrics !== undefined) reporter.note(`Its metrics are at ${serving.metrics}.`);
  const { keySecret } = serving;
  const storedAs =
    keySecret && (await storeProfile(context, { ...serving, keySecret }, started.profile, reporter));
  yield {
    base_url: serving.baseUrl,
    key_id: serving.keyId,
    ...(keySecret && { key_secret: context.reveal(keySecret) }),
    pid: serving.pid,
    data: serving.data,
  };
  if (!isForPeople) return;
  for (const line of guide(serving, started, storedAs)) reporter.note(line);
}

/** Waits until a sandbox was stopped, or this process is to end. Returns what to report once it has stopped. */
async function untilEnded(
  { io, signal }: Context,
  sandbox: AnySandbox,
  { told: { reporter, isForPeople } }: Started,
): Promise<string | undefined> {
  if (!signal.aborted) await Promise.race([once(signal, 'abort'), sandbox.stopped]);
  if (!signal.aborted) return stoppedNote;
  // The terminal has shown ^C, and the shell's prompt comes next.
  if (isForPeople && io.stderr.isTTY) io.stderr.write('\n');
  if (sandbox.drainDelay > 0)
    reporter.note(`Stopping in ${span(sandbox.drainDelay)}; a second signal stops it at once.`);
  // A supervisor that ends a server in order has not met a failure.
  return signal.reason instanceof Failure && signal.reason.kind === 'terminated' ? 'Stopped.' : undefined;
}

/** What a process that serves says when another one has ended it. */
const stoppedNote = 'Stopped by "sandbox stop".';

function guide(
  { baseUrl, keyId, keySecret, data }: Serving,
  { phone, qrDelay, blink, qrStyle, rateLimit, latency, server, behindProxy, isOwnData, log }: Started,
  storedAs: string | undefined,
): readonly RemarkText[] {
  const pairing = [
    qrDelay > 0 && `the first code comes ${qrDelay / 1000} s after a connect`,
    qrStyle !== 'plain' && `codes are drawn in the style ${qrStyle}`,
    blink && 'each session restarts after its scan',
  ].filter((part) => part !== false);
  const limits = [
    rateLimit && `${rateLimit.requests} requests a ${rateLimit.per} for each key`,
    latency && `each request waits ${latencyText(latency)}`,
  ].filter((part) => part !== undefined);
  const withData = isOwnData ? ['--data', data] : [];
  const scan = command('sandbox', 'phone', 'scan', placeholder('<picture>'), ...withData);
  const login = keySecret && command('login', '--base-url', baseUrl, '--key-id', keyId);
  const first = storedAs ? command('--profile', storedAs, 'teams', 'list') : login;
  return [
    phone === 'auto'
      ? 'Phone: a simulated one scans each code a few seconds after it was shown.'
      : remark`Phone: scans only what you show it: ${scan}`,
    ...(pairing.length > 0 ? [`Pairing: ${pairing.join('; ')}.`] : []),
    ...(limits.length > 0 ? [`Limits: ${limits.join('; ')}.`] : []),
    server
      ? `Data: kept in ${shownDatabase(server.url)}, its files in ${server.files}.`
      : `Data: kept in ${data}, and there again at the next start.`,
    ...(log === undefined ? [] : [`Log: ${log}`]),
    ...(behindProxy
      ? ['Callers: come through the proxy, which ends TLS, with keys of "sandbox key create".']
      : keySecret
        ? []
        : [
            'Callers: other machines reach it over plain http, with --insecure-http and keys of "sandbox key create".',
          ]),
    log === undefined ? 'Try, in another terminal:' : 'Try:',
    ...(first ? [remark`  ${first}`] : []),
    remark`  ${command('sandbox', 'seed', ...exampleCounts, ...withData)}`,
    log === undefined ? 'Press Ctrl-C to stop.' : remark`  ${command('sandbox', 'stop', ...withData)}`,
  ];
}
