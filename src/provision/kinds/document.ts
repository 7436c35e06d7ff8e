import { textOf } from '../../lib/json-object.ts';
import type { DeclaredDocument } from '../declared-documents.ts';
import { foundOf, type Known, type ObjectPlan } from './kind.ts';

/** Plans a document of a tenant. One that is only attached has to be there, and nothing is done about it. */
export function planDocument(known: Known, document: DeclaredDocument): ObjectPlan {
  const { address, name, file } = document;
  const found = foundOf(known, address);
  const plan: ObjectPlan = {
    address,
    kind: 'document',
    name,
    action: 'none',
    differences: [],
    risks: [],
    unverifiable: [],
    impossible: [],
    needs: [known.tenant.address],
  };
  if (!file) return { ...plan, ...attached(known, document) };
  if (file.problem !== undefined) return { ...plan, impossible: [`It can't be uploaded: ${file.problem}`] };
  const asNew = [{ field: 'name', from: undefined, to: name, moved: 'files' as const }];
  if (found.state === 'absent') return { ...plan, action: 'create', differences: asNew };
  if (found.state === 'gone') {
    const says = 'The document of the lock is not there any more; its file would be uploaded again.';
    return { ...plan, action: 'recreate', differences: asNew, risks: [{ risk: 'recreate', says }] };
  }
  const { id } = found.row;
  if (found.state === 'alike') return { ...plan, action: 'adopt', id };
  const entry = known.lock.entries.get(address);
  const impossible =
    entry?.sha256 === undefined || entry.sha256 === file.sha256
      ? []
      : [
          `Its file has changed, and the API can't replace the file of a document: declare the new one under another key, and let the bots name that.`,
        ];
  return { ...plan, id, impossible, ...renamed(known, document, textOf(found.row.name)) };
}

/** A document goes by the name of its file. */
function renamed(
  { lock }: Known,
  { address, name }: DeclaredDocument,
  shown: string | undefined,
): Pick<ObjectPlan, 'action' | 'differences' | 'unverifiable'> {
  const applied = lock.entries.get(address)?.applied.name;
  if (shown === name) return { action: 'none', differences: [], unverifiable: [] };
  if (shown === undefined) return { action: 'none', differences: [], unverifiable: ['name'] };
  const moved =
    applied === undefined ? 'unknown' : applied === shown ? 'files' : applied === name ? 'service' : 'both';
  const wasMoved = moved === 'service' || moved === 'both';
  const difference = { field: 'name', from: shown, to: name, moved, ...(wasMoved && { applied }) } as const;
  return { action: 'update', differences: [difference], unverifiable: [] };
}

function attached(known: Known, { address, name }: DeclaredDocument): Partial<ObjectPlan> {
  const found = foundOf(known, address);
  if (found.state === 'locked' || found.state === 'alike') return { id: found.row.id };
  const says = `The team has no document ${JSON.stringify(name)}: upload it there, or declare its file here.`;
  return { impossible: [says] };
}
