import type { ResourceRow } from '../../client/api.ts';
import { isSameId } from '../../lib/ids.ts';
import { asText, type JsonObject } from '../../lib/json-object.ts';
import { nameLikeness } from '../../once/likeness.ts';
import { settleInterrupted } from '../../once/settle.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import { hasChanged } from '../local-file.ts';
import { sendDocument } from '../upload/send-document.ts';
import { interruptedUpload, isSentAs, type SendOnceOptions } from '../upload/upload-intent.ts';
import { lineBefore } from './earlier-uploads.ts';
import type { LedgerLine } from './ledger-text.ts';
import type { PlannedFile } from './planned-file.ts';
import { renameDocument } from './rename.ts';
import { changingFailure } from './sync-files.ts';
import { type ListedDocument, storedLine } from './sync-plan.ts';

/** The destination of a file, and its documents. */
export interface Destination {
  readonly teamId: string;
  /** The documents of the team; new ones are added. */
  readonly documents: ListedDocument[];
  /** The number of the file in the run, if there are several: `22 of 60`. */
  readonly place?: string | undefined;
  /**
   * Records the line of the file, which has no time yet, and returns once it is on the disk.
   * @param onKept is called once it is on the disk; with it, the function may return before that
   */
  keep(line: LedgerLine, onKept?: () => void): Promise<void>;
}

/**
 * Sends a file whose bytes the ledger doesn't have, so that its document is stored once. Returns the document; former
 * documents of the file are earlier ones in its line.
 * @throws Failure as `sendDocument` and `settleInterrupted`, and `invalidInput` if the file has changed since it was
 *   counted
 */
export async function sendFile(
  context: ResourceContext,
  planned: PlannedFile,
  once: SendOnceOptions,
  destination: Destination,
): Promise<JsonObject> {
  const { file, counted } = planned;
  const { path, name, size, modified, key } = file;
  const { teamId, documents, place, keep } = destination;
  if (hasChanged(file)) throw changingFailure(key);
  const chars = counted?.chars ?? 0;
  const source = { typed: path, path, name, size, modified, chars, sha256: file.sha256 };
  const before = await settleEarlier(context, planned, once, destination);
  // All documents that may have the name. If this run is interrupted, the next one must not take one of them for the
  // result of this upload.
  const namesakes = documents.flatMap(({ id, name: other }) =>
    nameLikeness(other, name) === 'other' ? [] : [{ id }],
  );
  const document = { source, namesakes, isLookedUp: true, place };
  const { row, intent } = await sendDocument(context, document, teamId, once);
  const id = String(row.id);
  const called = asText(row.name) ?? name;
  documents.push({ id, name: called, size: row.size, chars: row.chars });
  // The upload may or may not include the change: the next run sends it again.
  const sha256 = hasChanged(file) ? undefined : file.sha256;
  if (sha256 === undefined)
    context.reporter.warn(`${key} changed during the upload. Run it again to send its current content.`);
  const line = storedLine({ ...file, name: called, sha256 }, id, counted ?? {}, [before]);
  await keep(line, () => intent && once.log.end(intent));
  if (called !== name) {
    await renameDocument(documents, context, id, name);
    await keep({ ...line, name });
  }
  return row;
}

/**
 * Finds out the outcomes of interrupted uploads of earlier runs with former contents of a file. Their documents are
 * earlier ones of the file.
 * @returns the line of the file before it is sent
 * @throws Failure as `settleInterrupted`
 */
async function settleEarlier(
  context: ResourceContext,
  { file, line, counted }: PlannedFile,
  once: SendOnceOptions,
  { teamId, documents, keep }: Destination,
): Promise<LedgerLine | undefined> {
  const now = { ...file, chars: counted?.chars ?? 0 };
  let before = line;
  for (const left of once.log.unresolved) {
    const { name } = left.details;
    if (name !== file.name || !isSameId(left.details.teamId, teamId) || isSentAs(left.details, now)) continue;
    const end = async (found: ResourceRow | undefined): Promise<void> => {
      if (found) {
        before = lineBefore(file.key, before, found.id);
        await keep(before);
        const { id, size, chars } = found;
        if (!documents.some((document) => document.id === id)) documents.push({ id, name, size, chars });
      }
      once.log.end(left);
    };
    await settleInterrupted(context, interruptedUpload(context, left, once, end), once.deadline);
  }
  return before;
}
