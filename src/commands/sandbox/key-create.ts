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
import { namedData } from '../../settings/sandbox-data.ts';
import { addressOf, publicUrl, warnOfUnverified } from './database-options.ts';
import { callSandbox, dataOption, runningSandbox } from './running.ts';

export const keyCreate = defineCommand({
  name: 'key create',
  summary: 'Create an API key, as the platform does outside the API',
  description:
    'The API itself needs a key to create one. The secret is told once, now: on a terminal it is shown; elsewhere say where it ' +
    "goes, --secret-file (readable only by you) or --show-secret. A duration in --expires counts from the time of the sandbox's clock.",
  options: {
    ...newKeyOptions,
    data: dataOption,
    database: option(
      '--database <url>',
      'make it in this database, whether or not a sandbox runs on it',
      publicUrl,
    ),
  },
  examples: [
    {
      line: 'botctl sandbox key create --name ci --secret-file ci.secret',
      does: 'Rehearse with a fresh key, as a support desk hands it out',
    },
    {
      line: 'botctl sandbox key create --name ci --expires 1h --show-secret -o json',
      does: 'Make one that sandbox clock advance lets expire',
    },
    {
      line: 'botctl sandbox key create --database postgres://ana@db.example/rehearsal --name team --secret-file team.secret',
      does: 'Make one before the first start of a sandbox that other machines reach',
    },
    {
      line: 'botctl sandbox key create --data ./sandbox --name ci --secret-file ci.secret',
      does: 'The same for a sandbox that keeps everything in a data directory, as in a container',
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
      context.terminal.note(`No sandbox has used ${place.data} yet. This creates its data there.`);
    const now = place ? () => timeAt(place) : await timeOfRunning(context, input.data);
    return { expiresAt: input.expires && expiryTime(input.expires, await now()), file };
  },
  confirm: async (_context, _input, { file }) => confirmReplacing(file),
  undelivered: async (context, input, key, why) =>
    undeliveredKey(await keysFor(context, input), input, key, why),
  run: async (context, input, prepared) =>
    makeKey(context, await keysFor(context, input), { ...input, ...prepared }),
});

/** What names the place of the keys. */
interface Place {
  readonly data: string | undefined;
  readonly database: URL | undefined;
}

/**
 * Returns the database that the keys are in, or the data directory if one is named and no sandbox runs on it. Undefined if
 * they are those of a sandbox that runs.
 */
async function placeFor(context: Context, { data, database }: Place): Promise<KeyPlace | undefined> {
  if (data !== undefined && database !== undefined) {
    throw new Failure('usage', '--data and --database each name a place for the key.', {
      hint: 'Give one of them.',
    });
  }
  const named = namedData(context, data);
  if (database || named === undefined) return addressOf(context, database);
  return isRunningOn(named) ? undefined : { data: named };
}

async function timeAt(place: KeyPlace): Promise<number> {
  const { timeIn } = await import('../../sandbox/key-in-database.ts');
  return (await timeIn(place)).getTime();
}

/** Returns what reads the time of the sandbox that runs. @throws Failure `invalidInput` if none does */
async function timeOfRunning(context: Context, data: string | undefined): Promise<() => Promise<number>> {
  const control = await runningSandbox(context, data);
  return async () => {
    const { callControl } = await import('../../sandbox/control/client.ts');
    return Date.parse((await callControl(control, '/status', {})).now);
  };
}

/** Returns what makes the keys: the sandbox that runs, or nobody but this process. */
async function keysFor(context: Context, { data, database }: Place): Promise<KeyMaker> {
  const place = await placeFor(context, { data, database });
  return place ? keysIn(context, place) : sandboxKeys(context, data);
}

function keysIn({ reporter }: Context, place: KeyPlace): KeyMaker {
  return {
    async create(body) {
      const { createKeyIn } = await import('../../sandbox/key-in-database.ts');
      const key = await createKeyIn(place, body);
      if ('data' in place) reporter.note(`No sandbox runs on ${place.data}: the key is in its data.`);
      return key;
    },
    async delete(keyId) {
      const { deleteKeyIn } = await import('../../sandbox/key-in-database.ts');
      return deleteKeyIn(place, keyId);
    },
    remedy: (keyId) =>
      remark`Once a sandbox serves it, deactivate the key: ${command('sandbox', 'key', 'deactivate', keyId)}`,
  };
}

/** The keys of the sandbox that runs. */
function sandboxKeys(context: Context, data: string | undefined): KeyMaker {
  return {
    create: (body) => callSandbox(context, data, '/key/create', body),
    delete: (keyId) => callSandbox(context, data, '/key/delete', { key_id: keyId }),
    remedy: (keyId) =>
      remark`Deactivate the key: ${sandboxCommands(context).running('key', 'deactivate', keyId)}`,
  };
}
