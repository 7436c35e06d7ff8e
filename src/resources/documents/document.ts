import type { Reply } from '../../client/api.ts';

/** A document, as the service shows it. */
export type RawDocument = Reply<'getDocument'>['data'];

/** A document. What the service doesn't show, or shows as something else, is absent. */
export interface Document {
  readonly id: string;
  readonly name?: string | undefined;
  /** What it is called in a sentence: its name or, if the service doesn't show one, its id. */
  readonly label: string;
  /** As the service shows it; JSON prints this. */
  readonly raw: RawDocument;
}

/** Returns the typed members of a document. */
export function toDocument(raw: RawDocument): Document {
  const name = typeof raw.name === 'string' && raw.name !== '' ? raw.name : undefined;
  return { id: raw.id, name, label: name ?? raw.id, raw };
}
