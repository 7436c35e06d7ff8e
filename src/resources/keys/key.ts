import type { Reply } from '../../client/api.ts';
import { asText } from '../../lib/json-object.ts';
import { inSentence } from '../../lib/text/sentence.ts';
import { type Named, namedBy } from '../named.ts';

/** An API key, as the service shows it. */
export type RawKey = Reply<'getKey'>['data'];

/** An API key, labelled as `laptop (key_1)`. Members that the service doesn't show, or shows as another type, are absent. */
export interface Key extends Named {
  /** In the service's format. */
  readonly createdAt?: string | undefined;
  readonly expiresAt?: string | undefined;
  readonly isUsed: boolean;
  /** The response of the service; JSON prints this. */
  readonly raw: RawKey;
}

/** Returns the typed members of a key. */
export function toKey(raw: RawKey): Key {
  const { last_used: lastUsed } = raw;
  const { id, name, label } = namedBy(raw.key_id, raw);
  return {
    id,
    name,
    label: name === undefined ? label : `${label} (${inSentence(id)})`,
    createdAt: asText(raw.created_at),
    expiresAt: asText(raw.expires_at),
    isUsed: lastUsed !== undefined && lastUsed !== null && lastUsed !== '',
    raw,
  };
}
