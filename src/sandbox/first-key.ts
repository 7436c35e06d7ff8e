import type { ExpressionBuilder, ExpressionWrapper, Insertable, Kysely, SqlBool } from 'kysely';
import type { SandboxClock } from './clock.ts';
import { type Credentials, hashSecret } from './credentials.ts';
import { readOrMakeKey, replaceKey } from './key-file.ts';
import { keyScope } from './routes/keys.ts';
import type { SandboxOptions } from './sandbox.ts';
import { changeRows, locks } from './store/locks.ts';
import type { ApiKeysTable, Store, Tables } from './store/tables.ts';

/** Name of the keys that data directories begin with, wherever their rows came to be. */
export const firstKeyName = 'First key';

/** Returns the condition that a key is one that data directories began with whose processes share the database. */
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
 * Returns the key that the data directory begins with; a new database is given it. A key that was deleted
 * stays deleted: the one that the caller has takes its place, as after a rotation, or a new one, so that
 * the directory's owner still gets in.
 */
export async function ensureFirstKey(
  store: Store,
  clock: SandboxClock,
  directory: string,
  { knownKey, hasPassingKey }: Pick<SandboxOptions, 'knownKey' | 'hasPassingKey'>,
): Promise<Credentials> {
  if (!store.isShared) return findFirstKey(store.db, clock, directory, knownKey);
  // What empties the database comes before the key is there, or once it is marked.
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

/** Keeps what empties the database for one data directory from taking the keys of others, for as long as they are there. */
async function markFirstKeys(db: Kysely<Tables>, keyIds: readonly string[]): Promise<void> {
  await db
    .insertInto('first_keys')
    .columns(['key_id'])
    .expression((eb) => eb.selectFrom('api_keys').select('key_id').where('key_id', 'in', keyIds))
    .onConflict((same) => same.doNothing())
    .execute();
}

/** Returns the row of the key that a data directory begins with. */
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

/** Rows that one statement deletes: 100,000 at once would block SQLite's only thread for a second. */
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
 * Deletes everything but a key, which becomes as it was first, and the keys that other data directories began with.
 * @param isFirst true if a data directory began with the key as well, and keeps it
 */
export async function deleteAllBut(
  { db, isShared, lock }: Store,
  key: Insertable<ApiKeysTable> & { readonly key_id: string },
  isFirst: boolean,
): Promise<void> {
  await db.transaction().execute(async (step) => {
    await lock(step, locks.rows);
    // Rows that refer to others come first: a database looks for them at each deletion of a row otherwise.
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
