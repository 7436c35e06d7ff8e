import { once } from 'node:events';
import { defineCommand, type Row } from '../../command.ts';
import type { Context } from '../../context.ts';
import { Failure } from '../../errors.ts';
import { choice, integer, optionOr, someText } from '../../options.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { dataDirectory, dataOption } from './running.ts';

const profileName = 'sandbox';

export const start = defineCommand({
  name: 'start',
  summary: 'Run the whole service on this machine until Ctrl-C',
  description:
    'The sandbox serves every call of the API and keeps what it is given in its data directory. It listens ' +
    'on this machine only. Its first API key is stored as the profile "sandbox".',
  options: {
    port: optionOr(
      '--port <port>',
      'port to listen on; 0 takes a free one',
      4010,
      integer({ min: 0, max: 65_535 }),
    ),
    host: optionOr('--host <host>', 'address to listen on, of this machine only', '127.0.0.1', someText),
    data: dataOption,
    phone: optionOr(
      '--phone <mode>',
      'auto: a simulated phone scans each code that is shown; manual: only with "sandbox phone scan"',
      'auto' as const,
      choice('auto', 'manual'),
    ),
  },
  examples: [
    { line: 'botctl sandbox start', does: 'Run it in the foreground' },
    {
      line: 'botctl sandbox start --port 0 --data ./sandbox -o json',
      does: 'Run one for a script, which reads the first line',
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
      { name: 'pid', heading: 'Process' },
      { name: 'data' },
    ],
  },
  async run(context, { port, host, data, phone }) {
    const { startSandbox } = await import('../../sandbox/start.ts');
    const starting = context.terminal.progress('Starting the sandbox');
    const options = { port, host, phone, data: dataDirectory(context, data) };
    const sandbox = await startSandbox(options).finally(() => starting.stop());
    return serve(context, sandbox, data);
  },
});

/** Says where the sandbox is, and stays until Ctrl-C, which is the usual way to end it. */
async function* serve(
  context: Context,
  sandbox: Sandbox,
  givenData: string | undefined,
): AsyncGenerator<Row> {
  const { terminal, signal } = context;
  try {
    const stored = await storeProfile(context, sandbox);
    yield {
      base_url: sandbox.baseUrl,
      key_id: sandbox.keyId,
      key_secret: context.reveal(sandbox.keySecret),
      pid: process.pid,
      data: sandbox.data,
    };
    terminal.note('Try, in another terminal:');
    const signIn = `botctl login --base-url ${sandbox.baseUrl} --key-id ${sandbox.keyId}`;
    terminal.note(`  ${stored ? `botctl --profile ${profileName} teams list` : signIn}`);
    terminal.note(
      `  botctl sandbox seed --teams 3 --bots 5 --docs 5${givenData ? ` --data ${sandbox.data}` : ''}`,
    );
    terminal.note('Press Ctrl-C to stop.');
    if (!signal.aborted) await once(signal, 'abort');
    if (signal.reason instanceof Failure && signal.reason.kind === 'terminated') throw signal.reason;
  } finally {
    await sandbox.stop();
  }
}

/** Stores the sandbox's key, unless a profile of that name is the user's own. Gives whether it is stored. */
async function storeProfile(
  { settings, terminal }: Context,
  { baseUrl, keyId, keySecret }: Sandbox,
): Promise<boolean> {
  try {
    const existing = settings.profiles.get(profileName);
    if (existing && existing.writtenBy !== 'sandbox') {
      terminal.warn(`There is a profile "${profileName}" of your own; it was left as it is.`);
      return false;
    }
    await settings.profiles.save({ name: profileName, baseUrl, keyId, keySecret, writtenBy: 'sandbox' });
    return true;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    terminal.warn(`The profile "${profileName}" could not be stored: ${reason}`);
    return false;
  }
}
