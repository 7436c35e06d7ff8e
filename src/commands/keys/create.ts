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
import { command, remark } from '../../lib/text/remark.ts';
import { createKey } from '../../resources/keys/create-key.ts';
import { serviceTime } from '../../resources/service-time.ts';

export const create = defineCommand({
  name: 'create',
  summary: 'Create an API key',
  description:
    'The service tells the secret of a key once, now. On a terminal it is shown; elsewhere say where it goes: ' +
    '--secret-file (readable only by you) or --show-secret.',
  options: newKeyOptions,
  examples: [
    {
      line: 'botctl keys create laptop --secret-file laptop.secret',
      does: 'Create a key, its secret in a file that only you can read',
    },
    {
      line: 'botctl keys create laptop --expires 90d',
      does: 'Create a key that ends, and read its secret off the screen',
    },
  ],
  needs: 'api',
  effect: 'creates',
  output: { kind: 'record', fields: createdKeyFields },
  async prepare(session, input) {
    const file = secretFileFor(session, input);
    return { expiresAt: input.expires && expiryTime(input.expires, await serviceTime(session)), file };
  },
  confirm: async (_session, _input, { file }) => confirmReplacing(file),
  undelivered: (session, input, key, why) => undeliveredKey(apiKeys(session), input, key, why),
  run: (session, { name, showSecret }, prepared) =>
    makeKey(session, apiKeys(session), { name, showSecret, ...prepared }),
});

/** The keys of the API. */
function apiKeys(session: Session): KeyMaker {
  const { api } = session;
  return {
    create: (body) => createKey(session, body),
    delete: (keyId) => api.call('deleteKey', { path: { keyId } }),
    remedy: (keyId) => remark`Delete the key: ${command('keys', 'delete', keyId)}`,
  };
}
