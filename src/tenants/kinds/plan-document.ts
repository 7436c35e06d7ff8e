import type { PlannedFile } from '../../documents/sync/planned-file.ts';
import { isSameId } from '../../lib/ids.ts';
import { asText } from '../../lib/json-object.ts';
import type { DeclaredDocument, DocumentFile } from '../declared-documents.ts';
import type { Reason } from '../reasons.ts';
import { documentAt, type StateEntry } from '../state-file.ts';
import { keyChanged } from './key-changed.ts';
import {
  elsewhere,
  foundOf,
  idOf,
  isElsewhere,
  type Known,
  nothingToDo,
  type ObjectPlan,
  reasonOfUpdate,
  rowFound,
} from './kind.ts';

type Planned = Pick<ObjectPlan, 'action' | 'reason'> & Partial<ObjectPlan>;

/** Plans a document of a tenant. One that is only attached has to be there, and nothing is done about it. */
export function planDocument(known: Known, document: DeclaredDocument): ObjectPlan {
  const { address, name, file } = document;
  const plan = nothingToDo('document', address, name, [known.tenant.address]);
  if (!file) return { ...plan, ...attached(known, document) };
  const row = rowFound(known, address);
  if (row && isElsewhere(row, idOf(known, known.tenant.address))) return elsewhere(plan, row);
  const { planned, unread, before = [] } = known.live.files.get(address) ?? {};
  const id = row && { id: row.id };
  const problem = file.problem ?? unread ?? planned?.refused?.error;
  if (problem !== undefined || !planned) {
    const stays = row ? ' The existing document stays.' : '';
    return { ...plan, ...id, impossible: [`It can't be uploaded: ${problem}${stays}`] };
  }
  const done = { ...plan, ...id, ...byFile(known, document, file, planned) };
  if (before.length === 0) return done;
  const documents = before.map((one) => ({ id: one.id, name: one.name ?? name }));
  return {
    ...done,
    ...(done.action === 'none' && ({ action: 'update', reason: 'replaced' } as const)),
    retires: { documents, after: [] },
  };
}

/** Says what is to be done about a document by what the sync of folders makes of its file. */
function byFile(known: Known, document: DeclaredDocument, file: DocumentFile, planned: PlannedFile): Planned {
  const { address, name } = document;
  const found = foundOf(known, address);
  const { change, there, line, displaced } = planned;
  if (there) {
    const isKnown = isSameId(there.id, known.lock.entries.get(address)?.id);
    return isKnown
      ? recorded(renamed(known, document), 'matched')
      : { action: 'adopt', reason: 'found', id: there.id };
  }
  if (change === 'same text') return recorded(renamed(known, document), 'same-text');
  if (change === 'renamed' && (line?.path !== address || displaced)) {
    const differences = renamed(known, document).differences ?? [];
    return differences.length > 0
      ? {
          ...{ action: 'update', reason: 'renamed' },
          differences: differences.map((one) => ({ ...one, moved: 'files' })),
        }
      : { action: 'adopt', reason: 'moved' };
  }
  if (change !== 'new' && change !== 'changed') return renamed(known, document);
  const asNew = [{ field: 'name', from: undefined, to: name, moved: 'files' }] as const;
  if (found.state === 'gone') {
    const says = 'The document no longer exists in the service. Its file would be uploaded again.';
    return { action: 'create', reason: 'gone', differences: asNew, risks: [{ risk: 'recreate', says }] };
  }
  if (found.state === 'locked') {
    const chars = { field: 'chars', from: line?.chars ?? found.row.chars, to: planned.counted?.chars };
    return {
      ...{ action: 'replace', reason: 'content' },
      differences: [{ ...chars, moved: 'files' }, ...(renamed(known, document).differences ?? [])],
    };
  }
  const isIt = (entry: StateEntry): boolean =>
    'path' in entry && entry.name === name && entry.sha256 === file.sha256;
  return { action: 'create', reason: 'new', differences: asNew, ...keyChanged(known, address, isIt) };
}

/** Returns the plan of a document about which only the state file learns something, unless it gets another name too. */
function recorded(plan: Planned, reason: Reason): Planned {
  return plan.action === 'none' ? { ...plan, action: 'adopt', reason } : plan;
}

/** A document goes by the name of its file. */
function renamed(known: Known, { address, name }: DeclaredDocument): Planned {
  const shown = asText(rowFound(known, address)?.name)?.normalize('NFC');
  const applied = documentAt(known.lock, address)?.name;
  if (shown === name) return { action: 'none', reason: 'as-declared' };
  if (shown === undefined) return { action: 'none', reason: 'unverifiable', unverifiable: ['name'] };
  const moved =
    applied === undefined ? 'unknown' : applied === shown ? 'files' : applied === name ? 'service' : 'both';
  const wasMoved = moved === 'service' || moved === 'both';
  const difference = { field: 'name', from: shown, to: name, moved, ...(wasMoved && { applied }) } as const;
  const reason = moved === 'files' ? 'renamed' : reasonOfUpdate([difference]);
  return { action: 'update', reason, differences: [difference] };
}

function attached(known: Known, { address, name }: DeclaredDocument): Partial<ObjectPlan> {
  const found = foundOf(known, address);
  if (found.state === 'locked') return { id: found.row.id };
  if (found.state === 'alike') {
    // Of what is only attached the lock needn't know; what it knows otherwise is set right.
    const isOther = known.lock.entries.get(address)?.id !== undefined;
    return { id: found.row.id, ...(isOther && ({ action: 'adopt', reason: 'found' } as const)) };
  }
  const says = `The team has no document ${JSON.stringify(name)}. Upload it, or declare its file here.`;
  return { impossible: [says] };
}
