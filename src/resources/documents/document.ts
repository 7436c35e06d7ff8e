import type { ResourceRow } from '../../client/api.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { type Named, namedBy } from '../named.ts';
import type { ResourceContext } from '../resource-context.ts';

/** A document. What the service doesn't show, or shows as something else, is absent. */
export interface Document extends Named {
  /** As the service shows it; JSON prints this. */
  readonly raw: ResourceRow;
}

/** Returns the typed members of a document. */
export function toDocument(raw: ResourceRow): Document {
  return { ...namedBy(raw.id, raw), raw };
}

/** Renames a document, or says that it has the name. Returns it as it is afterwards, with `changes`, and the name it had. */
export async function renameDocument(
  { api, reporter }: Pick<ResourceContext, 'api' | 'reporter'>,
  id: string,
  name: string,
): Promise<{ readonly document: JsonObject; readonly before: string | undefined }> {
  const before = toDocument((await api.call('getDocument', { path: { id } })).data);
  if (before.name === name) {
    reporter.note(`Nothing to change: the document is called ${name} already.`);
    return { document: { ...before.raw, changes: [] }, before: before.name };
  }
  const { data, meta } = await api.call('updateDocument', { path: { id }, body: { name } });
  reporter.done(`Renamed ${before.label} to ${toDocument(data).name ?? name}.`);
  return { document: { ...data, changes: meta?.changes }, before: before.name };
}
