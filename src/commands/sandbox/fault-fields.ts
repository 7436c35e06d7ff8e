import type { Fields } from '../../output/fields.ts';

/** Fields of a fault. */
export const faultFields: Fields = [
  { name: 'id', kind: 'id' },
  { name: 'target' },
  { name: 'effect', importance: 6 },
  { name: 'when' },
  { name: 'seen', kind: 'number' },
  { name: 'met', kind: 'number' },
];
