import type { ResourceRow } from '../../client/api.ts';
import { Failure } from '../../lib/errors.ts';
import { asText } from '../../lib/json-object.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import { type ListedDocument, retiredName } from './sync-plan.ts';

/**
 * Renames a document that was replaced, so that names stay unique. It is read right before: a document that was deleted,
 * or that another user has renamed, is not changed.
 * @param documents those of the team
 * @param check gets the current document, and throws if it must not be changed
 * @returns false if nothing was renamed
 * @throws Failure as `Api.call` and `check`
 */
export async function retireDocument(
  context: Pick<ResourceContext, 'api' | 'clock' | 'reporter'>,
  documents: ListedDocument[],
  { id, name }: { readonly id: string; readonly name: string },
  check?: (latest: ResourceRow) => void,
): Promise<boolean> {
  const { api, clock, reporter } = context;
  const latest = await api.call('getDocument', { path: { id } }).catch((thrown: unknown) => {
    if (thrown instanceof Failure && thrown.kind === 'notFound') return undefined;
    throw thrown;
  });
  if (!latest || asText(latest.data.name)?.normalize('NFC') !== name) return false;
  check?.(latest.data);
  const isTaken = (wanted: string) => documents.some((document) => document.name === wanted);
  const retired = retiredName(name, new Date(clock.now()).toISOString(), isTaken);
  await renameDocument(documents, context, id, retired);
  reporter.note(`Renamed the old document ${name} to "${retired}".`);
  return true;
}

/** Renames a document of a team. */
export async function renameDocument(
  documents: ListedDocument[],
  { api }: Pick<ResourceContext, 'api'>,
  id: string,
  name: string,
): Promise<void> {
  await api.call('updateDocument', { path: { id }, body: { name } });
  const at = documents.findIndex((document) => document.id === id);
  const known = documents[at];
  if (known) documents[at] = { ...known, name };
}
