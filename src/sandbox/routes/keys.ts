import type { Selectable } from 'kysely';
import type { DataOf } from '../../contract/endpoints.ts';
import { hashSecret, newCredentials } from '../credentials.ts';
import { type Handlers, Refusal } from '../service.ts';
import type { ApiKeysTable } from '../store/tables.ts';
import { checkNames } from './names.ts';

/** The last year that a date of four digits can say. */
const lastYear = 9999;

/** The one scope there is. */
export const keyScope = 'global';

/** API keys. Secrets are shown once, by the creation; only their hash is kept. */
export const keyHandlers: Handlers<'createKey' | 'listKeys' | 'getKey' | 'deleteKey'> = {
  async createKey({ store, clock }, { body }) {
    checkNames({ name: body.name });
    const now = clock.now();
    const expiresAt = body.expires_at === undefined ? null : new Date(body.expires_at);
    if (expiresAt && expiresAt <= now) throw new Refusal('BAD_REQUEST', 'expires_at must be in the future.');
    if (expiresAt && expiresAt.getUTCFullYear() > lastYear)
      throw new Refusal('BAD_REQUEST', `expires_at must be before the year ${lastYear + 1} in UTC.`);
    const { keyId, keySecret } = newCredentials();
    await store.db
      .insertInto('api_keys')
      .values({
        key_id: keyId,
        secret_hash: hashSecret(keySecret.reveal()),
        name: body.name,
        scope: keyScope,
        is_active: true,
        expires_at: expiresAt,
        created_at: now,
      })
      .execute();
    return {
      data: { key_id: keyId, key_secret: keySecret.reveal(), name: body.name, created_at: now.toISOString() },
    };
  },

  async listKeys({ store }) {
    const rows = await store.db
      .selectFrom('api_keys')
      .selectAll()
      .orderBy('created_at')
      .orderBy('key_id')
      .execute();
    return { data: rows.map(keyOf) };
  },

  async getKey({ store }, { path }) {
    const row = await store.db
      .selectFrom('api_keys')
      .selectAll()
      .where('key_id', '=', path.keyId)
      .executeTakeFirstOrThrow(() => new Refusal('NOT_FOUND', `There is no key ${path.keyId}.`));
    return { data: keyOf(row) };
  },

  async deleteKey({ store }, { path, keyId }) {
    if (path.keyId === keyId) {
      throw new Refusal('BAD_REQUEST', 'The key that authenticates this call cannot be deleted.');
    }
    const deleted = await store.db
      .deleteFrom('api_keys')
      .where('key_id', '=', path.keyId)
      .returning('key_id')
      .executeTakeFirstOrThrow(() => new Refusal('NOT_FOUND', `There is no key ${path.keyId}.`));
    return { data: { message: `The key ${deleted.key_id} is deleted.` } };
  },
};

function keyOf(row: Selectable<ApiKeysTable>): DataOf<'getKey'> {
  return {
    key_id: row.key_id,
    name: row.name,
    scope: row.scope,
    is_active: row.is_active,
    ...(row.expires_at !== null && { expires_at: row.expires_at.toISOString() }),
    ...(row.last_used !== null && { last_used: row.last_used.toISOString() }),
    created_at: row.created_at.toISOString(),
  };
}
