import { once } from 'node:events';
import { defineCommand } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { optionOr } from '../../cli/options.ts';
import { Failure } from '../../lib/errors.ts';
import { integer } from '../../lib/parse.ts';
import { command, placeholder, type RemarkText, remark } from '../../lib/text/remark.ts';
import type { Row } from '../../output/row.ts';
import type { Sandbox, SandboxOptions } from '../../sandbox/sandbox.ts';
import { checkProfileName } from '../../settings/profiles.ts';
import { latencyText } from './limits.ts';
import { profileFor, type SandboxProfile, storeProfile } from './own-profile.ts';
import { dataDirectory, dataOption, dataWords, exampleCounts } from './running.ts';
import { serviceOptions, tellFailure } from './service-options.ts';

export const start = defineCommand({
  name: 'start',
  summary: 'Run the whole service on this machine until Ctrl-C',
  description:
    'The sandbox serves every call of the API and keeps what it is given in its data directory. It listens ' +
    'on this machine only. Its first API key is stored as the profile "sandbox", or the one that --profile ' +
    'names; while another sandbox that runs has the profile "sandbox", as "sandbox-2".',
  options: {
    port: optionOr(
      '--port <port>',
      'port to listen on; 0 takes a free one',
      4010,
      integer({ min: 0, max: 65_535 }),
    ),
    data: dataOption,
    ...serviceOptions,
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
      line: 'botctl sandbox start --port 0 -o json',
      does: 'Run it for a script, which reads the first line',
    },
  ],
  needs: 'nothing',
  effect: 'creates',
  endsOnInterrupt: () => true,
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
  async run(context, { port, data, ...service }) {
    if (context.options.profile !== undefined) checkProfileName(context.options.profile);
    const { startSandbox } = await import('../../sandbox/start.ts');
    const starting = context.terminal.progress('Starting the sandbox');
    const directory = dataDirectory(context, data);
    const profile = profileFor(context, directory);
    const options: SandboxOptions = {
      ...service,
      port,
      data: directory,
      knownKey: profile.holder,
      onError: (error, call) => tellFailure(context, error, call),
    };
    const sandbox = await startSandbox(options).finally(() => starting.stop());
    return serve(context, sandbox, { ...service, profile, isOwnData: data !== undefined });
  },
});

/** The options of a started sandbox that its messages explain. */
interface Started
  extends Required<Pick<SandboxOptions, 'phone' | 'qrDelay' | 'blink' | 'qrStyle'>>,
    Pick<SandboxOptions, 'rateLimit' | 'latency'> {
  /** The profile that its key is to be stored as. */
  readonly profile: SandboxProfile;
  /** True if it keeps its data elsewhere than other sandboxes of this user. */
  readonly isOwnData: boolean;
}

/** Prints the address of the sandbox, and serves until Ctrl-C, which is the usual way to end it. */
async function* serve(context: Context, sandbox: Sandbox, started: Started): AsyncGenerator<Row> {
  const { io, terminal, signal } = context;
  try {
    terminal.done(`The sandbox listens at ${sandbox.baseUrl}.`);
    const storedAs = await storeProfile(context, sandbox, started.profile);
    yield {
      base_url: sandbox.baseUrl,
      key_id: sandbox.keyId,
      key_secret: context.reveal(sandbox.keySecret),
      pid: process.pid,
      data: sandbox.data,
    };
    for (const line of guide(sandbox, started, storedAs)) terminal.note(line);
    if (!signal.aborted) await Promise.race([once(signal, 'abort'), sandbox.stopped]);
    if (!signal.aborted) return terminal.note(stoppedNote);
    // The terminal has shown ^C, and the shell's prompt comes next.
    if (io.stderr.isTTY) io.stderr.write('\n');
    if (signal.reason instanceof Failure && signal.reason.kind === 'terminated') throw signal.reason;
  } finally {
    await sandbox.stop();
  }
}

/** What a process that serves says when another one has ended it. */
const stoppedNote = 'Stopped by "sandbox stop".';

function guide(
  { baseUrl, keyId, data }: Sandbox,
  { phone, qrDelay, blink, qrStyle, rateLimit, latency, isOwnData }: Started,
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
  const withData = dataWords(isOwnData ? data : undefined);
  const scan = command('sandbox', 'phone', 'scan', placeholder('<picture>'), ...withData);
  const first = storedAs
    ? command('--profile', storedAs, 'teams', 'list')
    : command('login', '--base-url', baseUrl, '--key-id', keyId);
  return [
    phone === 'auto'
      ? 'Phone: a simulated one scans each code a few seconds after it was shown.'
      : remark`Phone: scans only what you show it: ${scan}`,
    ...(pairing.length > 0 ? [`Pairing: ${pairing.join('; ')}.`] : []),
    ...(limits.length > 0 ? [`Limits: ${limits.join('; ')}.`] : []),
    `Data: kept in ${data}, and there again at the next start.`,
    'Try, in another terminal:',
    remark`  ${first}`,
    remark`  ${command('sandbox', 'seed', ...exampleCounts, ...withData)}`,
    'Press Ctrl-C to stop.',
  ];
}
