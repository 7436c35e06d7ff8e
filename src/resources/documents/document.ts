import type { ResourceRow } from '../../client/api.ts';
import { type Named, namedBy } from '../named.ts';

/** A document. What the service doesn't show, or shows as something else, is absent. */
export interface Document extends Named {
  /** As the service shows it; JSON prints this. */
  readonly raw: ResourceRow;
}

/** Returns the typed members of a document. */
export function toDocument(raw: ResourceRow): Document {
  return { ...namedBy(raw.id, raw), raw };
}
