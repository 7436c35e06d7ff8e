import type { ResourceRow } from '../client/api.ts';
import { Failure } from '../lib/errors.ts';
import { asText, type JsonObject } from '../lib/json-object.ts';
import { command, joinRemarks, placeholder, remark } from '../lib/text/remark.ts';
import { type Named, namedBy } from './named.ts';
import type { ResourceContext } from './resource-context.ts';

/** A document. What the service doesn't show, or shows as something else, is absent. */
export interface Document extends Named {
  readonly teamId?: string | undefined;
  /** As the service shows it; JSON prints this. */
  readonly raw: ResourceRow;
}

/** Returns the typed members of a document. */
export function toDocument(raw: ResourceRow): Document {
  return { ...namedBy(raw.id, raw), teamId: asText(raw.team_id), raw };
}

/**
 * Returns the failure where documents may be that of a file, and nobody can tell whether they are.
 * @param otherwise what else there is to do than to rename them
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
      ? `${documents.length} documents of the team may be ${name}, by name, size and characters: ${ids}.`
      : `A document of the team may be ${name}: in which unit its size is shown, or how many characters it has, is not known: ${ids}.`;
  return new Failure('ambiguous', words, {
    hint: joinRemarks([remark`Give those that are not meant another name: ${rename}`, otherwise]),
  });
}

/** Renames a document, or says that it has the name. Returns it as it is afterwards, with `changes`. */
export async function renameDocument(
  { api, reporter }: Pick<ResourceContext, 'api' | 'reporter'>,
  before: Document,
  name: string,
): Promise<JsonObject> {
  if (before.name === name) {
    reporter.note(`Nothing to change: the document is called ${name} already.`);
    return { ...before.raw, changes: [] };
  }
  const { data, meta } = await api.call('updateDocument', { path: { id: before.id }, body: { name } });
  reporter.done(`Renamed ${before.label} to ${toDocument(data).name ?? name}.`);
  return { ...data, changes: meta?.changes };
}
