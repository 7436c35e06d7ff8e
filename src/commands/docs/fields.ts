import { outcomeFields } from '../../cli/several.ts';
import type { Fields } from '../../output/fields.ts';

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

/** A document, and the changes of a rename. */
export const renamedDocumentFields: Fields = [...documentFields, { name: 'changes', detail: true }];

/** A document, and the result for its file: uploaded, already there, or the reason why it was not uploaded. */
export const uploadedDocumentFields: Fields = [
  ...documentFields,
  ...outcomeFields,
  { name: 'reason', detail: true },
];
