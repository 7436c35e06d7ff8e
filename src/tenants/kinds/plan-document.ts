import type { PlannedFile } from '../../documents/sync/planned-file.ts';
import { isSameId } from '../../lib/ids.ts';
import { asText } from '../../lib/json-object.ts';
import type { DeclaredDocument, DocumentFile } from '../declared-documents.ts';
import type { Reason } from '../reasons.ts';
import { documentAt, type StateEntry } from '../state-file.ts';
import { keyChanged } from './key-changed.ts';
import {
  elsewherePlan,
  emptyPlan,
  foundOf,
  foundRow,
  idOf,
  isElsewhere,
  type Known,
  type ObjectPlan,
  reasonOfUpdate,
} from './kind.ts';

type PlannedAction = Pick<ObjectPlan, 'action' | 'reason'> & Partial<ObjectPlan>;

/** Plans a document of a tenant. A document that is only attached must exist, and is not changed. */
export function planDocument(known: Known, document: DeclaredDocument): ObjectPlan {
  const { address, name, file } = document;
  const plan = emptyPlan('document', address, name, [known.tenant.address]);
  if (!file) return { ...plan, ...planAttached(known, document) };
  const row = foundRow(known, address);
  if (row && isElsewhere(row, idOf(known, known.tenant.address))) return elsewherePlan(plan, row);
  const { planned, unread, before = [] } = known.live.files.get(address) ?? {};
  const id = row && { id: row.id };
  const problem = file.problem ?? unread ?? planned?.refused?.error;
  if (problem !== undefined || !planned) {
    const stays = row ? ' The existing document stays.' : '';
    return { ...plan, ...id, impossible: [`It can't be uploaded: ${problem}${stays}`] };
  }
  const done = { ...plan, ...id, ...planFile(known, document, file, planned) };
  if (before.length === 0) return done;
  const documents = before.map((one) => ({ id: one.id, name: one.name ?? name }));
  return {
    ...done,
    ...(done.action === 'none' && ({ action: 'update', reason: 'replaced' } as const)),
    retires: { documents, after: [] },
  };
}

/** Plans a document by the change that the sync of folders finds for its file. */
function planFile(
  known: Known,
  document: DeclaredDocument,
  file: DocumentFile,
  planned: PlannedFile,
): PlannedAction {
  const { address, name } = document;
  const found = foundOf(known, address);
  const { change, existing, line, displaced } = planned;
  if (existing) {
    const isKnown = isSameId(existing.id, known.state.entries.get(address)?.id);
    return isKnown
      ? planRecord(planRename(known, document), 'matched')
      : { action: 'adopt', reason: 'found', id: existing.id };
  }
  if (change === 'same text') return planRecord(planRename(known, document), 'same-text');
  if (change === 'renamed' && (line?.path !== address || displaced)) {
    const differences = planRename(known, document).differences ?? [];
    return differences.length > 0
      ? {
          ...{ action: 'update', reason: 'renamed' },
          differences: differences.map((one) => ({ ...one, moved: 'files' })),
        }
      : { action: 'adopt', reason: 'moved' };
  }
  if (change !== 'new' && change !== 'changed') return planRename(known, document);
  const asNew = [{ field: 'name', from: undefined, to: name, moved: 'files' }] as const;
  if (found.state === 'gone') {
    const says = 'The document no longer exists in the service. Its file would be uploaded again.';
    return { action: 'create', reason: 'gone', differences: asNew, risks: [{ risk: 'recreate', says }] };
  }
  if (found.state === 'locked') {
    const chars = { field: 'chars', from: line?.chars ?? found.row.chars, to: planned.counted?.chars };
    return {
      ...{ action: 'replace', reason: 'content' },
      differences: [{ ...chars, moved: 'files' }, ...(planRename(known, document).differences ?? [])],
    };
  }
  const isIt = (entry: StateEntry): boolean =>
    'path' in entry && entry.name === name && entry.sha256 === file.sha256;
  return { action: 'create', reason: 'new', differences: asNew, ...keyChanged(known, address, isIt) };
}

/** Returns the plan of a document that only needs a record in the state file, unless its name changes too. */
function planRecord(plan: PlannedAction, reason: Reason): PlannedAction {
  return plan.action === 'none' ? { ...plan, action: 'adopt', reason } : plan;
}

/** The name of a document follows its file. */
function planRename(known: Known, { address, name }: DeclaredDocument): PlannedAction {
  const shown = asText(foundRow(known, address)?.name)?.normalize('NFC');
  const applied = documentAt(known.state, address)?.name;
  if (shown === name) return { action: 'none', reason: 'as-declared' };
  if (shown === undefined) return { action: 'none', reason: 'unverifiable', unverifiable: ['name'] };
  const moved =
    applied === undefined ? 'unknown' : applied === shown ? 'files' : applied === name ? 'service' : 'both';
  const wasMoved = moved === 'service' || moved === 'both';
  const difference = { field: 'name', from: shown, to: name, moved, ...(wasMoved && { applied }) } as const;
  const reason = moved === 'files' ? 'renamed' : reasonOfUpdate([difference]);
  return { action: 'update', reason, differences: [difference] };
}

function planAttached(known: Known, { address, name }: DeclaredDocument): Partial<ObjectPlan> {
  const found = foundOf(known, address);
  if (found.state === 'locked') return { id: found.row.id };
  if (found.state === 'alike') {
    // The state file may lack a document that is only attached; a wrong entry is corrected.
    const isOther = known.state.entries.get(address)?.id !== undefined;
    return { id: found.row.id, ...(isOther && ({ action: 'adopt', reason: 'found' } as const)) };
  }
  const says = `The team has no document ${JSON.stringify(name)}. Upload it, or declare its file here.`;
  return { impossible: [says] };
}
