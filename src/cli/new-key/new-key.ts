import type { BodyOf } from '../../contract/endpoints.ts';
import { Failure, messageOf } from '../../lib/errors.ts';
import { isObject } from '../../lib/json-object.ts';
import { nonEmptyText } from '../../lib/parse.ts';
import type { Remark } from '../../lib/text/remark.ts';
import type { Fields, Row } from '../../output/fields.ts';
import { mask, Secret } from '../../secrets/secret.ts';
import { NewSecretFile } from '../../settings/new-secret-file.ts';
import type { Confirmation } from '../command.ts';
import type { Context } from '../context.ts';
import { flag, option, path, positional, requiredOption } from '../options.ts';
import { expiry } from './expiry.ts';

/** Options of every command that creates a key. */
export const newKeyOptions = {
  name: positional(requiredOption('--name <name>', 'name of the key', nonEmptyText)),
  expires: option(
    '--expires <when>',
    'expiry: a duration such as 90d, a date (the start of that day, UTC) or a time such as 2027-01-31T18:00:00Z',
    expiry,
  ),
  secretFile: option('--secret-file <file>', 'write the secret to this file, mode 0600', path),
  showSecret: flag('--show-secret', 'print the secret with the result'),
};

/** The fields of a created key. */
export const createdKeyFields: Fields = [
  { name: 'key_id', heading: 'Key id', kind: 'id' },
  { name: 'name' },
  { name: 'key_secret', heading: 'Key secret' },
  { name: 'created_at', heading: 'Created', kind: 'time' },
];

/** Creates and deletes keys, in the API or in the data of a sandbox. */
export interface KeyMaker {
  create(body: BodyOf<'createKey'>): Promise<Row & { readonly key_id: string }>;
  delete(keyId: string): Promise<unknown>;
  /** Returns the hint for a key that is left over and whose secret is lost. */
  remedy(keyId: string): Remark;
}

/** The options for the place of a new key's secret. */
interface SecretPlace {
  readonly secretFile: string | undefined;
  readonly showSecret: boolean;
}

/**
 * Returns the file for the secret, or undefined if the secret is shown.
 * @throws Failure `usage` if the secret would be lost
 */
export function secretFileFor({ io }: Context, { secretFile, showSecret }: SecretPlace) {
  if (io.stdout.isTTY || secretFile !== undefined || showSecret)
    return secretFile === undefined ? undefined : new NewSecretFile(secretFile);
  throw new Failure(
    'usage',
    'The secret of the new key would be lost: it is shown only once, and stdout is not a terminal.',
    { hint: 'Add --secret-file FILE, or --show-secret to print it. Nothing was created.' },
  );
}

/** Returns the question to ask before the secret replaces an existing file. */
export function confirmReplacing(file: NewSecretFile | undefined): Confirmation | undefined {
  return file?.exists
    ? { level: 'yes', statement: `${file.path} exists.`, question: 'Replace it with the new secret?' }
    : undefined;
}

/** The key to create. */
interface NewKeyInput {
  readonly name: string;
  readonly expiresAt: string | undefined;
  readonly showSecret: boolean;
  readonly file: NewSecretFile | undefined;
}

/**
 * Creates a key, and stores its secret. Returns the key, with its secret masked unless it is to be shown.
 * @throws Failure `outputFailed` or `invalidInput` if the secret could not be stored and the key was deleted again;
 *   `partlyDone` if the key could not be deleted
 */
export async function makeKey(
  { io, terminal, reveal }: Context,
  maker: KeyMaker,
  { name, expiresAt, showSecret, file }: NewKeyInput,
): Promise<Row> {
  file?.open();
  try {
    const key = await maker.create({ name, ...(expiresAt !== undefined && { expires_at: expiresAt }) });
    const secret = secretOf(maker, key);
    if (file) await storeSecret(maker, file, secret, key.key_id);
    const end = expiresAt === undefined ? '' : `, which expires ${expiresAt}`;
    terminal.done(`Created key ${name} (${key.key_id})${end}.`);
    terminal.note(file ? `Its secret is in ${file.path}.` : 'Save its secret now: it is never shown again.');
    const isShown = showSecret || (io.stdout.isTTY === true && !file);
    return { ...key, key_secret: isShown ? reveal(secret) : mask };
  } finally {
    file?.discard();
  }
}

/**
 * Deletes a new key whose secret could not be printed, and returns the failure; returns undefined if the secret is in a
 * file.
 */
export async function undeliveredKey(
  maker: KeyMaker,
  { secretFile }: Pick<SecretPlace, 'secretFile'>,
  key: unknown,
  why: string,
): Promise<Failure | undefined> {
  return secretFile === undefined && isObject(key) ? deleteAgain(maker, String(key.key_id), why) : undefined;
}

/**
 * Deletes a key whose secret is lost, since it is only a risk, and returns the failure.
 * @throws Failure `partlyDone` if it can't be deleted
 */
async function deleteAgain(maker: KeyMaker, keyId: string, why: string, cause?: unknown): Promise<Failure> {
  await maker.delete(keyId).catch(() => {
    throw new Failure(
      'partlyDone',
      `Key ${keyId} was created, but its secret could not be written and is lost: ${why}.`,
      { hint: maker.remedy(keyId), cause },
    );
  });
  const message = `The secret could not be written: ${why}. The new key ${keyId} was deleted again.`;
  // Another process created the file meanwhile. Nothing of this command is left.
  if (cause instanceof Failure && cause.kind === 'invalidInput')
    return new Failure('invalidInput', message, { hint: 'Give --secret-file another file.', cause });
  return new Failure('outputFailed', message, { cause });
}

/** @throws Failure `partlyDone` if the service did not return the secret */
function secretOf(maker: KeyMaker, key: Row & { readonly key_id: string }): Secret {
  if (typeof key.key_secret === 'string' && key.key_secret !== '') return new Secret(key.key_secret);
  throw new Failure(
    'partlyDone',
    `Key ${key.key_id} was created, but the service returned no secret, so the key cannot be used.`,
    { hint: maker.remedy(key.key_id) },
  );
}

/** @throws Failure `outputFailed` if the file can't be written, and as `deleteAgain` */
async function storeSecret(
  maker: KeyMaker,
  file: NewSecretFile,
  secret: Secret,
  keyId: string,
): Promise<void> {
  try {
    file.commit(secret);
  } catch (cause) {
    throw await deleteAgain(maker, keyId, messageOf(cause), cause);
  }
}
