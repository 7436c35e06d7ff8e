import type { ResourceRow } from '../client/api.ts';
import { Failure } from '../lib/errors.ts';
import { asText, type JsonObject } from '../lib/json-object.ts';
import { command, joinRemarks, placeholder, remark } from '../lib/text/remark.ts';
import { type Named, namedBy } from './named.ts';
import type { ResourceContext } from './resource-context.ts';

/** A document. Members that the service doesn't show, or shows as another type, are absent. */
export interface Document extends Named {
  readonly teamId?: string | undefined;
  /** The row from the service; JSON prints this. */
  readonly raw: ResourceRow;
}

/** Returns the typed members of a document. */
export function toDocument(raw: ResourceRow): Document {
  return { ...namedBy(raw.id, raw), teamId: asText(raw.team_id), raw };
}

/**
 * Returns the failure for documents that may or may not be that of a file.
 * @param otherwise alternatives to renaming them
 */
export function mayBeThere(
  name: string,
  documents: readonly Pick<ResourceRow, 'id'>[],
  otherwise?: string,
): Failure {
  const [first, ...others] = documents;
  const ids = documents.map(({ id }) => id).join(', ');
  const rename = command('docs', 'rename', first?.id ?? placeholder('ID'), placeholder('NAME'));
  const words =
    others.length > 0
      ? `${documents.length} documents of the team may be ${name}, judging by name, size and characters: ${ids}.`
      : `Document ${ids} of the team may be ${name}: its size or number of characters can't be compared.`;
  return new Failure('ambiguous', words, {
    hint: joinRemarks([remark`Rename each that is a different document: ${rename}`, otherwise]),
  });
}

/** Renames a document, or reports that it already has the name. Returns the updated document, with `changes`. */
export async function renameDocument(
  { api, reporter }: Pick<ResourceContext, 'api' | 'reporter'>,
  before: Document,
  name: string,
): Promise<JsonObject> {
  if (before.name === name) {
    reporter.note(`Nothing to change: the document already has the name ${name}.`);
    return { ...before.raw, changes: [] };
  }
  const { data, meta } = await api.call('updateDocument', { path: { id: before.id }, body: { name } });
  reporter.done(`Renamed ${before.label} to ${toDocument(data).name ?? name}.`);
  return { ...data, changes: meta?.changes };
}
