import { isSameId } from '../../lib/ids.ts';
import type { Intent, IntentLog } from '../../once/intent-log.ts';
import { isSentAs, type UploadIntent } from '../upload/upload-intent.ts';
import { earlierIds, type LedgerLine } from './ledger-text.ts';
import type { PlannedFile } from './planned-file.ts';

/** Returns whether an upload sent the content that a line records, as far as that is known. */
export function isSentAsLine(
  details: UploadIntent,
  { size = details.size, chars = details.chars, sha256 }: LedgerLine,
): boolean {
  return isSentAs(details, { name: details.name, size, chars, ...(sha256 !== undefined && { sha256 }) });
}

/** Files after the comparison with the interrupted uploads of earlier runs. */
export interface ComparedFiles {
  /** A file has no document any more if the found document has its former content. */
  readonly files: readonly PlannedFile[];
  /** The lines of those files, with that document as an earlier one. */
  readonly lines: readonly LedgerLine[];
  /** The uploads whose documents were found. */
  readonly settled: readonly Intent<UploadIntent>[];
}

/**
 * Compares the documents that were found for files with the interrupted uploads of earlier runs. A document with different
 * bytes, but the same size and characters, is not the document of the current file.
 * @param at the time for a new line
 */
export function compareFound(
  planned: readonly PlannedFile[],
  left: readonly Intent<UploadIntent>[],
  at?: string,
): ComparedFiles {
  const lines: LedgerLine[] = [];
  const settled: Intent<UploadIntent>[] = [];
  if (left.length === 0) return { files: planned, lines, settled };
  const files = planned.map((one): PlannedFile => {
    const { existing, ...rest } = one;
    if (!existing) return one;
    const now = { ...rest.file, chars: rest.counted?.chars ?? 0 };
    // By size and characters, each may have sent the current file.
    const alike = left.filter(({ details }) => isSentAs({ ...details, sha256: now.sha256 }, now));
    const same = alike.filter(({ details }) => isSentAs(details, now));
    const before = alike.filter((one) => !same.includes(one) && !one.details.before.includes(existing.id));
    settled.push(...same, ...before);
    if (before.length === 0) return one;
    const line = lineBefore(rest.file.key, rest.line, existing.id, at);
    lines.push(line);
    return { ...rest, line };
  });
  return { files, lines, settled };
}

/** Returns the line of a file before it is sent, with one more earlier document. */
export function lineBefore(path: string, line: LedgerLine | undefined, id: string, at?: string): LedgerLine {
  const earlier = [...(line?.earlier ?? []), id];
  return { ...(line ?? (at !== undefined && { at })), path, ...earlierIds(earlier, line?.id) };
}

/**
 * Ends the interrupted uploads of a document that is now recorded.
 * @param line the line of the document; an upload of other content stays in the log. Undefined to end all uploads of that name
 */
export function endUploads(
  log: Pick<IntentLog<UploadIntent>, 'unresolved' | 'end'>,
  { teamId, name }: Pick<UploadIntent, 'teamId' | 'name'>,
  line?: LedgerLine,
): void {
  for (const intent of log.unresolved) {
    const { details } = intent;
    const isOfIt = isSameId(details.teamId, teamId) && details.name === name;
    if (isOfIt && (!line || isSentAsLine(details, line))) log.end(intent);
  }
}
