import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Selectable } from 'kysely';
import { isDiskFull } from '../database/error.ts';
import { Secret } from '../secrets/secret.ts';
import { readToken } from './issued-tokens.ts';
import { Refusal, type Service } from './service.ts';
import type { ApiKeysTable } from './store/tables.ts';

/** A key pair with its secret. */
export interface Credentials {
  readonly keyId: string;
  readonly keySecret: Secret;
}

/** Creates a new pair. The prefixes let people and secret scanners recognise it. */
export function newCredentials(): Credentials {
  return {
    keyId: `key_${randomBytes(12).toString('hex')}`,
    keySecret: new Secret(`botsecret_${randomBytes(32).toString('base64url')}`),
  };
}

/**
 * Returns the stored form of a secret. A fast hash suffices: the secret has 256 random bits, so it can't be guessed
 * from the hash.
 */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Maximum lag of `last_used` in milliseconds: not every call is worth a write. */
const lastUsedLagMs = 60_000;

/** No key has this hash: comparing with it makes refusing an unknown key take as long as refusing a wrong secret. */
const unknownKeyHash = Buffer.alloc(32);

type Key = Selectable<ApiKeysTable>;

/**
 * Checks a pair and records the use of the key.
 * @throws Refusal UNAUTHORIZED for an unknown, deleted, inactive or expired key, or a wrong secret
 */
export async function checkCredentials(service: Service, keyId: string, secret: string): Promise<void> {
  const key = await findKey(service, keyId);
  const matches = timingSafeEqual(hashSecret(secret), key ? Buffer.from(key.secret_hash) : unknownKeyHash);
  if (!key || !matches) throw new Refusal('UNAUTHORIZED', 'The key id or the key secret is wrong.');
  await useKey(service, key);
}

/**
 * Returns the id of the key that a call is made with.
 * @param authorization the header `Authorization`
 * @throws Refusal UNAUTHORIZED without a valid token, and for a key that was deleted, deactivated or has expired since
 * the token was issued
 */
export async function authenticate(service: Service, authorization: string | undefined): Promise<string> {
  const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) {
    throw new Refusal('UNAUTHORIZED', 'This call needs a header Authorization: Bearer <ACCESS_TOKEN>.');
  }
  const keyId = await readToken(service.tokenSecret, token, service.clock.now());
  if (keyId === undefined) throw new Refusal('UNAUTHORIZED', 'The access token is invalid or has expired.');
  const key = await findKey(service, keyId);
  if (!key) throw new Refusal('UNAUTHORIZED', 'The key of this access token was deleted.');
  await useKey(service, key);
  return keyId;
}

async function findKey({ store }: Service, keyId: string): Promise<Key | undefined> {
  // PostgreSQL rejects NUL in text, so no key id contains it.
  if (keyId.includes('\0')) return undefined;
  return store.db.selectFrom('api_keys').selectAll().where('key_id', '=', keyId).executeTakeFirst();
}

async function useKey({ store, clock }: Service, key: Key): Promise<void> {
  const now = clock.now();
  if (!key.is_active) throw new Refusal('UNAUTHORIZED', 'The key is not active.');
  if (key.expires_at !== null && key.expires_at <= now)
    throw new Refusal('UNAUTHORIZED', 'The key has expired.');
  if (key.last_used !== null && now.getTime() - key.last_used.getTime() < lastUsedLagMs) return;
  // Skips a key that another session has locked, as an import does for its whole duration.
  const noting = store.db
    .updateTable('api_keys')
    .set({ last_used: now })
    .where('key_id', 'in', (free) =>
      free
        .selectFrom('api_keys')
        .select('key_id')
        .where('key_id', '=', key.key_id)
        .forNoKeyUpdate()
        .skipLocked(),
    )
    .execute();
  await noting.catch((error: unknown) => {
    // A full disk must not prevent reads.
    if (!isDiskFull(error)) throw error;
  });
}
