import type { Fields } from '../../output/fields.ts';

/** Fields of a fault. */
export const faultFields: Fields = [
  { name: 'id', kind: 'id' },
  { name: 'target' },
  { name: 'effect', importance: 6 },
  { name: 'when', importance: 3 },
  // Whether a fault was met is what its list is looked at for.
  { name: 'seen', kind: 'number', importance: 8 },
  { name: 'met', kind: 'number', importance: 9 },
];
