import type { BodyOf, DataOf } from '../../contract/endpoints.ts';
import { key } from '../../contract/keys.ts';
import type { SandboxClock } from '../clock.ts';
import { hashSecret, newCredentials } from '../credentials.ts';
import { checkNames } from '../http/check.ts';
import { type Handlers, Refusal } from '../service.ts';
import { shownRow } from '../shown-row.ts';
import { locks } from '../store/locks.ts';
import type { Store } from '../store/tables.ts';

/** The last year with four digits. */
const lastYear = 9999;

/** The only scope. */
export const keyScope = 'global';

/** The store and clock that keys need. */
interface KeyPlace {
  readonly store: Pick<Store, 'db' | 'lock'>;
  readonly clock: Pick<SandboxClock, 'now'>;
}

/**
 * Creates a key. Returns it with its secret, which is never shown again.
 * @throws Refusal BAD_REQUEST for a name that can't be stored, and an expiry that is past or out of range
 */
export async function createKey(
  { store, clock }: KeyPlace,
  { name, expires_at }: BodyOf<'createKey'>,
): Promise<DataOf<'createKey'>> {
  checkNames({ name });
  const now = clock.now();
  const expiresAt = expires_at === undefined ? null : new Date(expires_at);
  if (expiresAt && expiresAt <= now) throw new Refusal('BAD_REQUEST', 'expires_at must be in the future.');
  if (expiresAt && expiresAt.getUTCFullYear() > lastYear)
    throw new Refusal('BAD_REQUEST', `expires_at must be before the year ${lastYear + 1} in UTC.`);
  const { keyId, keySecret } = newCredentials();
  const secret = keySecret.reveal();
  await store.db
    .insertInto('api_keys')
    .values({
      key_id: keyId,
      secret_hash: hashSecret(secret),
      name,
      scope: keyScope,
      is_active: true,
      expires_at: expiresAt,
      created_at: now,
    })
    .execute();
  return { key_id: keyId, key_secret: secret, name, created_at: now.toISOString() };
}

/**
 * Deletes a key.
 * @param caller the key that authorizes the deletion, if any: another instance may delete it meanwhile
 * @throws Refusal NOT_FOUND if the key does not exist, UNAUTHORIZED if the caller's was deleted
 */
export async function deleteKey(
  { store }: Pick<KeyPlace, 'store'>,
  keyId: string,
  caller?: string,
): Promise<void> {
  await store.db.transaction().execute(async (transaction) => {
    // Without the lock, two keys that delete each other would both be deleted.
    await store.lock(transaction, locks.keys);
    if (caller !== undefined) {
      await transaction
        .selectFrom('api_keys')
        .select('key_id')
        .where('key_id', '=', caller)
        .executeTakeFirstOrThrow(
          () => new Refusal('UNAUTHORIZED', 'The key of this access token was deleted.'),
        );
    }
    await transaction
      .deleteFrom('api_keys')
      .where('key_id', '=', keyId)
      .returning('key_id')
      .executeTakeFirstOrThrow(() => new Refusal('NOT_FOUND', `There is no key ${keyId}.`));
  });
}

/** The handlers of API keys. Secrets are shown once, at creation; only their hash is stored. */
export const keyHandlers: Handlers<'createKey' | 'listKeys' | 'getKey' | 'deleteKey'> = {
  createKey: async (service, { body }) => ({ data: await createKey(service, body) }),

  async listKeys({ store }) {
    const rows = await store.db
      .selectFrom('api_keys')
      .selectAll()
      .orderBy('created_at')
      .orderBy('key_id')
      .execute();
    return { data: rows.map((row) => shownRow(key, row)) };
  },

  async getKey({ store }, { path }) {
    const row = await store.db
      .selectFrom('api_keys')
      .selectAll()
      .where('key_id', '=', path.keyId)
      .executeTakeFirstOrThrow(() => new Refusal('NOT_FOUND', `There is no key ${path.keyId}.`));
    return { data: shownRow(key, row) };
  },

  async deleteKey(service, { path, keyId }) {
    if (path.keyId === keyId) {
      throw new Refusal('BAD_REQUEST', 'The key that authenticates this call cannot be deleted.');
    }
    await deleteKey(service, path.keyId, keyId);
    return { data: { message: `The key ${path.keyId} is deleted.` } };
  },
};
