import { parseTime } from '../../lib/time.ts';
import type { Fields, ToneContext } from '../../output/fields.ts';
import type { Tone } from '../../terminal/colour.ts';

/** A key that expires within this many milliseconds should be rotated now. */
const soonMs = 14 * 24 * 60 * 60 * 1000;

/** Returns the tone of an expiry time. */
function expiryTone(value: unknown, { now }: Pick<ToneContext, 'now'>): Tone | undefined {
  const moment = parseTime(value);
  if (moment === undefined) return undefined;
  if (moment <= now) return 'bad';
  return moment - now < soonMs ? 'warning' : undefined;
}

/** Fields of an API key. */
export const keyFields: Fields = [
  { name: 'key_id', heading: 'Key id', kind: 'id', usualWidth: 28, importance: 9 },
  { name: 'name', importance: 8 },
  { name: 'scope', usualWidth: 6, importance: 3 },
  {
    name: 'is_active',
    heading: 'Active',
    kind: 'flag',
    importance: 7,
    tone: (value) => (value === false ? 'bad' : undefined),
  },
  { name: 'expires_at', heading: 'Expires', kind: 'time', importance: 6, tone: expiryTone },
  { name: 'last_used', heading: 'Last used', kind: 'time' },
  { name: 'created_at', heading: 'Created', kind: 'time', importance: 3 },
];

/** Fields of a key that replaced another one. */
export const rotatedKeyFields: Fields = [
  { name: 'key_id', heading: 'Key id', kind: 'id' },
  { name: 'name' },
  { name: 'expires_at', heading: 'Expires', kind: 'time' },
  { name: 'replaced_key_id', heading: 'Replaced key' },
  { name: 'replaced_last_used', heading: 'Last used', kind: 'time' },
  { name: 'replaced_deleted', heading: 'Replaced deleted', kind: 'flag' },
  { name: 'profiles' },
  { name: 'secret_file', heading: 'Secret file' },
];
