import type { ExpressionBuilder, ExpressionWrapper, Insertable, Kysely, SqlBool } from 'kysely';
import type { SandboxClock } from './clock.ts';
import { type Credentials, hashSecret } from './credentials.ts';
import { readOrMakeKey, replaceKey } from './key-file.ts';
import { keyScope } from './routes/keys.ts';
import type { SandboxOptions } from './sandbox.ts';
import { changeRows, locks } from './store/locks.ts';
import type { ApiKeysTable, Store, Tables } from './store/tables.ts';

/** Name of the first key of every data directory. */
export const firstKeyName = 'First key';

/** Returns the condition that a key is the first key of a data directory that shares the database. */
export function isFirstKey({
  exists,
  selectFrom,
}: ExpressionBuilder<Tables, 'api_keys'>): ExpressionWrapper<Tables, 'api_keys', SqlBool> {
  return exists(
    selectFrom('first_keys')
      .select(({ val }) => val(1).as('one'))
      .whereRef('first_keys.key_id', '=', 'api_keys.key_id'),
  );
}

/**
 * Returns the first key of the data directory, creating it in a new database. A deleted key stays deleted: it is
 * replaced by the key known to the caller, as after a rotation, or by a new one, so that the directory's owner keeps
 * access.
 */
export async function ensureFirstKey(
  store: Store,
  clock: SandboxClock,
  directory: string,
  { knownKey, hasPassingKey }: Pick<SandboxOptions, 'knownKey' | 'hasPassingKey'>,
): Promise<Credentials> {
  if (!store.isShared) return findFirstKey(store.db, clock, directory, knownKey);
  // Under this lock, a concurrent reset runs either before the key exists or once it is marked.
  return changeRows(store, async (db) => {
    const key = await findFirstKey(db, clock, directory, knownKey);
    if (!hasPassingKey) await markFirstKeys(db, [key.keyId]);
    return key;
  });
}

async function findFirstKey(
  db: Kysely<Tables>,
  clock: SandboxClock,
  directory: string,
  known: Credentials | undefined,
): Promise<Credentials> {
  const stored = readOrMakeKey(directory);
  if (known && (await isValid(db, clock, known))) {
    return known.keyId === stored.keyId ? stored : replaceKey(directory, known);
  }
  const keys = await db.selectFrom('api_keys').select('key_id').execute();
  if (keys.some(({ key_id }) => key_id === stored.keyId)) return stored;
  const firstKey = keys.length === 0 ? stored : replaceKey(directory);
  await db.insertInto('api_keys').values(firstKeyRow(clock.now(), firstKey)).execute();
  return firstKey;
}

async function isValid(
  db: Kysely<Tables>,
  clock: SandboxClock,
  { keyId, keySecret }: Credentials,
): Promise<boolean> {
  const key = await db
    .selectFrom('api_keys')
    .select(['is_active', 'expires_at'])
    .where('key_id', '=', keyId)
    .where('secret_hash', '=', hashSecret(keySecret.reveal()))
    .executeTakeFirst();
  return key?.is_active === true && (key.expires_at === null || key.expires_at > clock.now());
}

/** Marks keys as first keys, so that a reset from another data directory keeps them. */
async function markFirstKeys(db: Kysely<Tables>, keyIds: readonly string[]): Promise<void> {
  await db
    .insertInto('first_keys')
    .columns(['key_id'])
    .expression((eb) => eb.selectFrom('api_keys').select('key_id').where('key_id', 'in', keyIds))
    .onConflict((same) => same.doNothing())
    .execute();
}

/** Returns the row of a data directory's first key. */
export function firstKeyRow(
  createdAt: Date,
  { keyId, keySecret }: Credentials,
): Insertable<ApiKeysTable> & { readonly key_id: string } {
  return {
    key_id: keyId,
    secret_hash: hashSecret(keySecret.reveal()),
    name: firstKeyName,
    scope: keyScope,
    is_active: true,
    created_at: createdAt,
  };
}

/** Rows deleted per statement: 100,000 at once would block SQLite's only thread for a second. */
const deletedAtOnce = 5000;

async function emptyTable(
  db: Kysely<Tables>,
  table: 'messages' | 'devices' | 'bots' | 'documents' | 'users' | 'teams',
): Promise<void> {
  const some = db.selectFrom(table).select('id').limit(deletedAtOnce);
  for (;;) {
    const { numDeletedRows } = await db.deleteFrom(table).where('id', 'in', some).executeTakeFirst();
    if (numDeletedRows === 0n) return;
  }
}

/**
 * Deletes everything except one key, which gets its initial values, and the first keys of other data directories.
 * @param isFirst true if the key is the first key of a data directory too, and stays marked
 */
export async function deleteAllBut(
  { db, isShared, lock }: Store,
  key: Insertable<ApiKeysTable> & { readonly key_id: string },
  isFirst: boolean,
): Promise<void> {
  await db.transaction().execute(async (step) => {
    await lock(step, locks.rows);
    // Deletes referring rows first: otherwise the database would search for them at each deletion.
    for (const table of ['messages', 'devices', 'bots', 'documents', 'users', 'teams'] as const)
      await emptyTable(step, table);
    await step.deleteFrom('state').execute();
    await step
      .deleteFrom('api_keys')
      .where('key_id', '<>', key.key_id)
      .where((eb) => eb.not(isFirstKey(eb)))
      .execute();
    await step
      .insertInto('api_keys')
      .values(key)
      .onConflict((same) => same.column('key_id').doUpdateSet({ expires_at: null, last_used: null, ...key }))
      .execute();
    if (isShared && isFirst) await markFirstKeys(step, [key.key_id]);
  });
}
