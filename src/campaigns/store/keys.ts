import { hash } from 'node:crypto';

/** Returns 128 bits of the digest of a key, as hexadecimal digits: a key may be longer than an index takes. */
export function keyDigest(key: string): string {
  // 004_one_store.sql computes the same from rows as they are stored.
  return hash('sha256', JSON.stringify(key)).slice(0, 32);
}
