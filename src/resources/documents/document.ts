import type { ResourceRow } from '../../client/api.ts';
import { type JsonObject, textOf } from '../../lib/json-object.ts';
import { type Named, namedBy } from '../named.ts';
import type { ResourceContext } from '../resource-context.ts';

/** A document. What the service doesn't show, or shows as something else, is absent. */
export interface Document extends Named {
  readonly teamId?: string | undefined;
  /** As the service shows it; JSON prints this. */
  readonly raw: ResourceRow;
}

/** Returns the typed members of a document. */
export function toDocument(raw: ResourceRow): Document {
  return { ...namedBy(raw.id, raw), teamId: textOf(raw.team_id), raw };
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
