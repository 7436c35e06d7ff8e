import { defineCommand } from '../../cli/command.ts';
import type { Session } from '../../cli/context.ts';
import { flag, option, path, requiredOption } from '../../cli/options.ts';
import type { Reply } from '../../client/api.ts';
import { Failure } from '../../lib/errors.ts';
import { isObject } from '../../lib/json-object.ts';
import { someText } from '../../lib/parse.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { mask, Secret } from '../../secrets/secret.ts';
import { NewSecretFile } from '../../settings/new-secret-file.ts';
import { expiry, expiryTime } from './expiry.ts';
import { createdKeyFields } from './fields.ts';

export const create = defineCommand({
  name: 'create',
  summary: 'Create an API key',
  description:
    'The service tells the secret of a key once, now. On a terminal it is shown; elsewhere say where it goes: ' +
    '--secret-file (readable only by you) or --show-secret.',
  options: {
    name: requiredOption('--name <name>', 'name of the key', someText),
    expires: option(
      '--expires <when>',
      'when it ends: a date (from its first moment, UTC), a time, or a duration such as 90d',
      expiry,
    ),
    secretFile: option('--secret-file <file>', 'write the secret to this file, mode 0600', path),
    showSecret: flag('--show-secret', 'print the secret with the result'),
  },
  examples: [
    {
      line: 'botctl keys create --name "laptop" --secret-file laptop.secret',
      does: 'Create a key, its secret in a file that only you can read',
    },
    {
      line: 'botctl keys create --name "laptop" --expires 90d',
      does: 'Create a key that ends, and read its secret off the screen',
    },
  ],
  needs: 'session',
  effect: 'creates',
  output: { kind: 'record', fields: createdKeyFields },
  async prepare({ io, clock }, { expires, secretFile, showSecret }) {
    if (!io.stdout.isTTY && secretFile === undefined && !showSecret) {
      throw new Failure(
        'usage',
        'The secret of the new key would be lost: it is told only once, and stdout is no terminal.',
        {
          hint: 'Add --secret-file FILE, or --show-secret to print it. Nothing was created.',
        },
      );
    }
    return {
      expiresAt: expires && expiryTime(expires, clock.now()),
      file: secretFile === undefined ? undefined : new NewSecretFile(secretFile),
    };
  },
  async confirm(_session, _input, { file }) {
    return file?.exists
      ? { level: 'yes', question: `${file.path} exists. Replace it with the new secret?` }
      : undefined;
  },
  async undelivered(session, { secretFile }, key, why) {
    return secretFile === undefined && isObject(key)
      ? deleteAgain(session, String(key.key_id), why)
      : undefined;
  },
  async run(session, { name, showSecret }, { expiresAt: expires, file }) {
    const { api, io, terminal } = session;
    file?.open();
    try {
      const body = { name, ...(expires !== undefined && { expires_at: expires }) };
      const { data } = await api.call('createKey', { body });
      const secret = secretOf(data);
      if (file) await keepSecret(session, file, secret, data.key_id);
      const end = expires === undefined ? '' : `, which expires ${expires}`;
      terminal.done(`Created key ${name} (${data.key_id})${end}.`);
      terminal.note(
        file ? `Its secret is in ${file.path}.` : 'Keep its secret now: it is never shown again.',
      );
      const isShown = showSecret || (io.stdout.isTTY === true && !file);
      return { ...data, key_secret: isShown ? session.reveal(secret) : mask };
    } finally {
      file?.abandon();
    }
  },
});

/** A key whose secret nobody has is only a risk: it is deleted again. @throws Failure `partlyDone` if it can't be */
async function deleteAgain({ api }: Session, keyId: string, why: string, cause?: unknown): Promise<Failure> {
  await api.call('deleteKey', { path: { keyId } }).catch(() => {
    throw new Failure(
      'partlyDone',
      `Key ${keyId} was created, but its secret could not be written and is lost: ${why}.`,
      { hint: remark`Delete the key: ${command('keys', 'delete', keyId)}`, cause },
    );
  });
  const message = `The secret could not be written: ${why}. The new key ${keyId} was deleted again.`;
  // A file that somebody else has made meanwhile: nothing is left of this line.
  if (cause instanceof Failure && cause.kind === 'invalidInput')
    return new Failure('invalidInput', message, { hint: 'Give --secret-file another file.', cause });
  return new Failure('outputFailed', message, { cause });
}

/** @throws Failure `partlyDone` where the service kept the secret to itself */
function secretOf(key: Reply<'createKey'>['data']): Secret {
  if (typeof key.key_secret === 'string' && key.key_secret !== '') return new Secret(key.key_secret);
  throw new Failure('partlyDone', `Key ${key.key_id} was created, but the service told no secret.`, {
    hint: remark`The key can't be used. Delete it: ${command('keys', 'delete', key.key_id)}`,
  });
}

/** @throws Failure `outputFailed` where the file can't be written, and as `deleteAgain` */
async function keepSecret(
  session: Session,
  file: NewSecretFile,
  secret: Secret,
  keyId: string,
): Promise<void> {
  try {
    file.keep(secret);
  } catch (cause) {
    throw await deleteAgain(session, keyId, cause instanceof Error ? cause.message : String(cause), cause);
  }
}
