import type { Reply } from '../../client/api.ts';

/** An API key, as the service shows it. */
export type RawKey = Reply<'getKey'>['data'];

/** An API key. What the service doesn't show, or shows as something else, is absent. */
export interface Key {
  readonly id: string;
  readonly name?: string | undefined;
  /** As sentences name it: `laptop (key_1)`. */
  readonly label: string;
  /** As the service writes the time. */
  readonly createdAt?: string | undefined;
  readonly expiresAt?: string | undefined;
  readonly isUsed: boolean;
  /** As the service shows it; JSON prints this. */
  readonly raw: RawKey;
}

/** Returns the typed members of a key. */
export function toKey(raw: RawKey): Key {
  const { key_id: id, created_at: createdAt, expires_at: expiresAt, last_used: lastUsed } = raw;
  const name = typeof raw.name === 'string' && raw.name !== '' ? raw.name : undefined;
  return {
    id,
    name,
    label: name === undefined ? id : `${name} (${id})`,
    createdAt: typeof createdAt === 'string' ? createdAt : undefined,
    expiresAt: typeof expiresAt === 'string' ? expiresAt : undefined,
    isUsed: lastUsed !== undefined && lastUsed !== null && lastUsed !== '',
    raw,
  };
}
