import type { Intent } from '../../batch/journal.ts';
import { FileCounter } from '../../documents/count.ts';
import { contentHash, hasChanged } from '../../documents/file.ts';
import { Failure } from '../../lib/errors.ts';
import { isSameId } from '../../lib/ids.ts';
import { textOf } from '../../lib/json-object.ts';
import { sendDocument } from '../../resources/documents/send-document.ts';
import type { UploadIntent } from '../../resources/documents/send-once.ts';
import type { UploadSource } from '../../resources/documents/upload-sources.ts';
import type { DeclaredDocument, DocumentFile } from '../declared-documents.ts';
import type { LockEntry } from '../lock.ts';
import type { Doing, Kind } from './carry-out.ts';
import { keyChanged } from './key-changed.ts';
import {
  checkTeam,
  elsewhere,
  foundOf,
  idOf,
  isElsewhere,
  type Known,
  type ObjectPlan,
  rowFound,
} from './kind.ts';

export const document: Kind<DeclaredDocument> = {
  plan: planDocument,

  async create(doing, document) {
    const { address, file } = document;
    if (!file) throw new TypeError(`${address} is only attached`);
    const { context, known } = doing;
    const teamId = doing.idOf(known.tenant.address);
    const source = await countedSource(context.signal, document, file);
    const journal = doing.uploads;
    const names = new Set(known.tenant.documents.map(({ name }) => name));
    const all = known.live.documents.get(known.tenant.address) ?? [];
    const namesakes = all.filter(({ name }) => name === document.name).map(({ id }) => id);
    const settled: Intent<UploadIntent>[] = [];
    const once = {
      ...{
        journal,
        isAlone: true,
        names,
        settleMs: doing.settleMs,
        sizes: doing.sizes,
        retriesUnknown: false,
      },
      onEnded: (intent: Intent<UploadIntent>) => void settled.push(intent),
    };
    const toSend = { source, namesakes: namesakes.map((id) => ({ id })), isLookedUp: true };
    try {
      const others = [...doing.lockedIds()];
      const row = await sendDocument(context, { ...toSend, others }, teamId, once);
      const called = textOf(row.name) ?? document.name;
      // What was written meanwhile may be in it or not.
      const sha256 = hasChanged(source) ? undefined : file.sha256;
      if (sha256 === undefined)
        context.reporter.warn(
          'Its file has changed while it was sent: nobody can tell which of it is there.',
        );
      await doing.keep(address, { id: String(row.id), applied: { name: called }, sha256 });
    } finally {
      // What the lock doesn't know yet the next run finds by its name and figures.
      for (const intent of settled) journal.end(intent);
    }
    endLeft(doing, document);
  },

  async adopt(doing, document, { id }) {
    const { address, name, file } = document;
    await doing.keep(address, { id, applied: { name }, sha256: file?.sha256 });
    endLeft(doing, document);
  },

  async update(doing, { address, name }) {
    const { context, known } = doing;
    const id = doing.idOf(address);
    const latest = (await context.api.call('getDocument', { path: { id } })).data;
    checkTeam(latest, doing.idOf(known.tenant.address));
    if (latest.name !== name) {
      if (latest.name !== rowFound(known, address)?.name)
        throw new Failure('rejected', 'Somebody else changed its name meanwhile. Nothing was sent.');
      await context.api.call('updateDocument', { path: { id }, body: { name } });
    }
    const before = doing.entryOf(address);
    await doing.keep(address, { ...before, id, applied: { ...before?.applied, name } });
  },
};

/** What earlier runs were cut off at is known once the document is there. */
function endLeft({ uploads, known, idOf }: Doing, { name }: DeclaredDocument): void {
  const teamId = idOf(known.tenant.address);
  for (const intent of uploads.left)
    if (isSameId(intent.details.teamId, teamId) && intent.details.name === name) uploads.end(intent);
}

/** Counts a file, which has to be as the plan has seen it. */
async function countedSource(
  signal: AbortSignal,
  { name }: DeclaredDocument,
  { path, size, sha256 }: DocumentFile,
): Promise<UploadSource> {
  const counter = new FileCounter({ signal });
  try {
    const { chars, modified, size: counted } = await counter.count(path, name);
    if (counted === size && (await contentHash(path, size, signal)) === sha256)
      return { typed: path, path, name, size, modified, chars, sha256 };
  } finally {
    await counter.close();
  }
  throw new Failure('rejected', `${path} has changed since the plan was made. Nothing was sent.`);
}

/** Plans a document of a tenant. One that is only attached has to be there, and nothing is done about it. */
function planDocument(known: Known, document: DeclaredDocument): ObjectPlan {
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
  if (found.state === 'absent') {
    const isIt = ({ applied, sha256 }: LockEntry): boolean => applied.name === name && sha256 === file.sha256;
    const changed = keyChanged(known, address, isIt);
    return { ...plan, action: 'create', differences: asNew, ...changed };
  }
  if (found.state === 'gone') {
    const says = 'The document of the lock is not there any more; its file would be uploaded again.';
    return { ...plan, action: 'recreate', differences: asNew, risks: [{ risk: 'recreate', says }] };
  }
  if (isElsewhere(found.row, idOf(known, known.tenant.address)))
    return { ...plan, ...elsewhere('document', found.row) };
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
  if (found.state === 'locked') return { id: found.row.id };
  if (found.state === 'alike') {
    // Of what is only attached the lock needn't know; what it knows otherwise is set right.
    const isOther = known.lock.entries.get(address)?.id !== undefined;
    return { id: found.row.id, action: isOther ? 'adopt' : 'none' };
  }
  const says = `The team has no document ${JSON.stringify(name)}: upload it there, or declare its file here.`;
  return { impossible: [says] };
}
