import type { Fields } from '../output/fields.ts';

/** What came of one of several things. */
export const outcomeFields: Fields = [
  { name: 'outcome', usual: 7, importance: 7, tone: (outcome) => (outcome === 'failed' ? 'bad' : undefined) },
  { name: 'error', importance: 6 },
  { name: 'code', heading: 'Error code', detail: true },
  { name: 'given', detail: true },
];
