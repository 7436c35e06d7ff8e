import type { OptOut } from '../../campaigns/opt-outs.ts';
import type { Fields } from '../../output/fields.ts';
import type { Row } from '../../output/row.ts';

/** Fields of a number that is not to be written to. */
export const optOutFields: Fields = [
  { name: 'number', kind: 'phone', importance: 9 },
  { name: 'note', importance: 6 },
  { name: 'added_at', heading: 'Added', kind: 'time', importance: 5 },
];

/** Returns an opt-out as a row. */
export function optOutRow({ number, added_at, note }: OptOut): Row {
  return { number: `+${number}`, note: note ?? null, added_at };
}
