import { defineCommand } from '../../cli/command.ts';
import type { Session } from '../../cli/context.ts';
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
import { allowFailure } from '../../lib/errors.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { createKey } from '../../resources/keys/create-key.ts';
import { listKeys } from '../../resources/keys/find-key.ts';
import { serviceTime } from '../../resources/service-time.ts';

export const create = defineCommand({
  name: 'create',
  summary: 'Create an API key',
  description:
    'The service shows the secret of a key only once, when the key is created. botctl prints it on a terminal. ' +
    'A script needs --secret-file or --show-secret.',
  options: newKeyOptions,
  examples: [
    {
      line: 'botctl keys create laptop --secret-file laptop.secret',
      does: 'Create a key and save its secret to a file that only you can read',
    },
    {
      line: 'botctl keys create laptop --expires 90d',
      does: 'Create a key that expires, and show its secret',
    },
  ],
  needs: 'api',
  effect: 'creates',
  output: { kind: 'record', fields: createdKeyFields },
  async prepare(session, input) {
    const file = secretFileFor(session, input);
    await noteNamesakes(session, input.name);
    return { expiresAt: input.expires && expiryTime(input.expires, await serviceTime(session)), file };
  },
  confirm: async (_session, _input, { file }) => confirmReplacing(file),
  undeliveredFailure: (session, input, key, why) => undeliveredKey(apiKeys(session), input, key, why),
  run: (session, { name, showSecret }, prepared) =>
    makeKey(session, apiKeys(session), { name, showSecret, ...prepared }),
});

/** Other commands accept a name instead of an id, unless two keys have it. */
async function noteNamesakes({ api, terminal }: Session, name: string): Promise<void> {
  const keys = await allowFailure(listKeys(api), ['notFound', 'rejected', 'network']);
  if (keys?.some((key) => key.name === name))
    terminal.note(`A key named ${name} already exists. Use ids to tell the two apart.`);
}

function apiKeys(session: Session): KeyMaker {
  const { api } = session;
  return {
    create: (body) => createKey(session, body),
    delete: (keyId) => api.call('deleteKey', { path: { keyId } }),
    remedy: (keyId) => remark`Delete the key: ${command('keys', 'delete', keyId)}`,
  };
}
