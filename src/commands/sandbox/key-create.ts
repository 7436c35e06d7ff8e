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
import { command, remark } from '../../lib/text/remark.ts';
import { dataOption, naming, runningSandbox } from './running.ts';

export const keyCreate = defineCommand({
  name: 'key create',
  summary: 'Create an API key, as the platform does outside the API',
  description:
    'The API itself needs a key to create one. The secret is told once, now: on a terminal it is shown; elsewhere say where it ' +
    "goes, --secret-file (readable only by you) or --show-secret. A duration in --expires counts from the time of the sandbox's clock.",
  options: { ...newKeyOptions, data: dataOption },
  examples: [
    {
      line: 'botctl sandbox key create --name ci --secret-file ci.secret',
      does: 'Rehearse with a fresh key, as a support desk hands it out',
    },
    {
      line: 'botctl sandbox key create --name ci --expires 1h --show-secret -o json',
      does: 'Make one that sandbox clock advance lets expire',
    },
  ],
  needs: 'nothing',
  effect: 'creates',
  output: { kind: 'record', fields: createdKeyFields },
  async prepare(context, input) {
    const file = secretFileFor(context, input);
    const control = await runningSandbox(context, input.data);
    if (!input.expires) return { expiresAt: undefined, file };
    const { readState } = await import('../../sandbox/control/client.ts');
    const { now } = await readState(control);
    return { expiresAt: expiryTime(input.expires, Date.parse(now)), file };
  },
  confirm: async (_context, _input, { file }) => confirmReplacing(file),
  undelivered: (context, input, key, why) =>
    undeliveredKey(sandboxKeys(context, input.data), input, key, why),
  run: (context, { name, showSecret, data }, prepared) =>
    makeKey(context, sandboxKeys(context, data), { name, showSecret, ...prepared }),
});

/** The keys of the sandbox that runs. */
function sandboxKeys(context: Context, data: string | undefined): KeyMaker {
  return {
    async create(body) {
      const { createKey } = await import('../../sandbox/control/client.ts');
      return createKey(await runningSandbox(context, data), body);
    },
    async delete(keyId) {
      const { deleteKey } = await import('../../sandbox/control/client.ts');
      return deleteKey(await runningSandbox(context, data), keyId);
    },
    remedy(keyId) {
      const line = naming(context, data)(['sandbox', 'key', 'deactivate', keyId]);
      return remark`Deactivate the key: ${command(...line)}`;
    },
  };
}
