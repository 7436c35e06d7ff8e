import type { Fields } from '../../terminal/fields.ts';

/** An API key, as lists and reads show it. */
export const keyFields: Fields = [
  { name: 'key_id', heading: 'Key id', kind: 'id' },
  { name: 'name' },
  { name: 'scope', importance: 3 },
  {
    name: 'is_active',
    heading: 'Active',
    kind: 'flag',
    tone: (value) => (value === false ? 'bad' : undefined),
  },
  { name: 'expires_at', heading: 'Expires', kind: 'time' },
  { name: 'last_used', heading: 'Last used', kind: 'time' },
  { name: 'created_at', heading: 'Created', kind: 'time', importance: 3 },
];

/** A key as its creation answers it. */
export const createdKeyFields: Fields = [
  { name: 'key_id', heading: 'Key id', kind: 'id' },
  { name: 'name' },
  { name: 'key_secret', heading: 'Key secret' },
  { name: 'created_at', heading: 'Created', kind: 'time' },
];

/** A key that took the place of another one. */
export const rotatedKeyFields: Fields = [
  { name: 'key_id', heading: 'Key id', kind: 'id' },
  { name: 'name' },
  { name: 'key_secret', heading: 'Key secret' },
  { name: 'expires_at', heading: 'Expires', kind: 'time' },
  { name: 'replaced_key_id', heading: 'Replaced key' },
  { name: 'replaced_last_used', heading: 'Last used', kind: 'time' },
  { name: 'profiles' },
  { name: 'secret_file', heading: 'Secret file' },
];
