import { outcomeFields } from '../../cli/several.ts';
import type { Fields } from '../../output/fields.ts';

/** A document. */
export const documentFields: Fields = [
  { name: 'id', kind: 'id', importance: 9, namedBy: 'name' },
  { name: 'name', importance: 8 },
  { name: 'type', usualWidth: 4, importance: 6 },
  { name: 'size', kind: 'bytes', importance: 5 },
  { name: 'chars', kind: 'number', importance: 5 },
  { name: 'team_id', heading: 'team', kind: 'id', shownAs: 'team_name', importance: 4 },
  { name: 'created_at', heading: 'created', kind: 'time', importance: 2 },
  { name: 'updated_at', heading: 'updated', kind: 'time', detail: true },
  { name: 'provider_id', heading: 'provider id', detail: true },
  { name: 'file_url', detail: true },
];

/** A document, and what a rename changed about it. */
export const renamedDocumentFields: Fields = [...documentFields, { name: 'changes', detail: true }];

/** A document, and what became of the file: it was uploaded, is already there, or why it is not. */
export const uploadedDocumentFields: Fields = [
  ...documentFields,
  ...outcomeFields,
  { name: 'reason', detail: true },
];
