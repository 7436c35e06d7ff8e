import { defineCommand } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { expiryTime } from '../../cli/new-key/expiry.ts';
import {
  confirmReplacing,
  createdKeyFields,
  type KeyMaker,
  makeKey,
  newKeyOptions,
  secretFileFor,
  undeliveredKey,
} from '../../cli/new-key/new-key.ts';
import { option } from '../../cli/options.ts';
import { sandboxCommands } from '../../cli/sandbox-hints.ts';
import { Failure } from '../../lib/errors.ts';
import { command, remark } from '../../lib/text/remark.ts';
import type { KeyPlace } from '../../sandbox/key-in-database.ts';
import { hasData, isRunningOn } from '../../sandbox/store/ownership.ts';
import { configuredDataDirectory } from '../../settings/sandbox-data.ts';
import { addressOf, publicUrl, warnOfUnverified } from './database-options.ts';
import { callSandbox, dataOption, runningSandbox } from './running.ts';

export const keyCreate = defineCommand({
  name: 'key create',
  summary: 'Create an API key without the API',
  description:
    'Creates a key as the operator of a platform does: the API needs a key to create one. The secret is shown only once, ' +
    'when the key is created. botctl prints it on a terminal. A script needs --secret-file or --show-secret. A duration ' +
    "in --expires counts from the sandbox's clock.",
  options: {
    ...newKeyOptions,
    data: dataOption,
    database: option('--database <url>', 'database to create the key in; no sandbox has to run', publicUrl),
  },
  examples: [
    {
      line: 'botctl sandbox key create --name ci --secret-file ci.secret',
      does: 'Create a key for a caller',
    },
    {
      line: 'botctl sandbox key create --name ci --expires 1h --show-secret -o json',
      does: 'Create a key that expires',
    },
    {
      line: 'botctl sandbox key create --database postgres://ana@db.example/rehearsal --name team --secret-file team.secret',
      does: 'Create a key before the first start of a public sandbox',
    },
    {
      line: 'botctl sandbox key create --data ./sandbox --name ci --secret-file ci.secret',
      does: 'Create a key in a data directory, such as that of a container',
    },
  ],
  needs: 'nothing',
  effect: 'creates',
  output: { kind: 'record', fields: createdKeyFields },
  async prepare(context, input) {
    const place = await placeFor(context, input);
    if (place && 'url' in place) warnOfUnverified(place, context.terminal);
    const file = secretFileFor(context, input);
    if (place && 'data' in place && !hasData(place.data))
      context.terminal.note(`${place.data} has no sandbox data yet. This creates it.`);
    const now = place ? () => timeAt(place) : await timeOfRunning(context, input.data);
    return { expiresAt: input.expires && expiryTime(input.expires, await now()), file };
  },
  confirm: async (_context, _input, { file }) => confirmReplacing(file),
  undeliveredFailure: async (context, input, key, why) =>
    undeliveredKey(await keysFor(context, input), input, key, why),
  run: async (context, input, prepared) =>
    makeKey(context, await keysFor(context, input), { ...input, ...prepared }),
});

/** The options that select where the keys are. */
interface Place {
  readonly data: string | undefined;
  readonly database: URL | undefined;
}

/**
 * Returns the database of the keys, or the data directory if one is named and no sandbox runs on it. Returns undefined
 * if the keys are those of a running sandbox.
 */
async function placeFor(context: Context, { data, database }: Place): Promise<KeyPlace | undefined> {
  if (data !== undefined && database !== undefined) {
    throw new Failure('usage', "--data and --database can't be used together.", {
      hint: 'Give one of them.',
    });
  }
  const named = configuredDataDirectory(context, data);
  if (database || named === undefined) return addressOf(context, database);
  return isRunningOn(named) ? undefined : { data: named };
}

async function timeAt(place: KeyPlace): Promise<number> {
  const { timeIn } = await import('../../sandbox/key-in-database.ts');
  return (await timeIn(place)).getTime();
}

/** Returns a function that reads the clock of the running sandbox. @throws Failure `invalidInput` if none is running */
async function timeOfRunning(context: Context, data: string | undefined): Promise<() => Promise<number>> {
  const control = await runningSandbox(context, data);
  return async () => {
    const { callControl } = await import('../../sandbox/control/client.ts');
    return Date.parse((await callControl(control, '/status', {})).now);
  };
}

/** Returns the object that creates keys: the running sandbox, or this process itself. */
async function keysFor(context: Context, { data, database }: Place): Promise<KeyMaker> {
  const place = await placeFor(context, { data, database });
  return place ? keysIn(context, place) : sandboxKeys(context, data);
}

function keysIn({ reporter }: Context, place: KeyPlace): KeyMaker {
  return {
    async create(body) {
      const { createKeyIn } = await import('../../sandbox/key-in-database.ts');
      const key = await createKeyIn(place, body);
      if ('data' in place)
        reporter.note(`No sandbox is running on ${place.data}. The key was written to its data.`);
      return key;
    },
    async delete(keyId) {
      const { deleteKeyIn } = await import('../../sandbox/key-in-database.ts');
      return deleteKeyIn(place, keyId);
    },
    remedy: (keyId) =>
      remark`When a sandbox runs on it, deactivate the key: ${command('sandbox', 'key', 'deactivate', keyId)}`,
  };
}

function sandboxKeys(context: Context, data: string | undefined): KeyMaker {
  return {
    create: (body) => callSandbox(context, data, '/key/create', body),
    delete: (keyId) => callSandbox(context, data, '/key/delete', { key_id: keyId }),
    remedy: (keyId) =>
      remark`Deactivate the key: ${sandboxCommands(context).running('key', 'deactivate', keyId)}`,
  };
}
