import type { RefusedFile } from '../upload/refused-files.ts';
import type { LedgerLine, RefusedContent } from './ledger-text.ts';
import { type CountedText, type ListedDocument, type LocalFile, storedLine } from './sync-plan.ts';

/** The change that a file needs. */
export type Change = 'unchanged' | 'renamed' | 'same text' | 'new' | 'changed' | 'refused';

/** A file and its change. */
export interface PlannedFile {
  readonly file: LocalFile;
  readonly change: Change;
  /** The line of the ledger for its document, or for its path. */
  readonly line: LedgerLine | undefined;
  /** The line that the new path of a renamed file had before. */
  readonly displaced?: LedgerLine | undefined;
  readonly counted?: CountedText;
  /** The existing document for it that the ledger doesn't have. */
  readonly existing?: ListedDocument;
  readonly refused?: RefusedContent;
  /** The refusal, if it was found in this run. */
  readonly fresh?: RefusedFile;
}

/** Returns the id of a planned file's document, or undefined if it is yet to be sent. */
export function documentOf({ line, existing, change }: PlannedFile): string | undefined {
  if (existing) return existing.id;
  return change === 'new' || change === 'changed' ? undefined : line?.id;
}

/** Returns the files to send. */
export function filesToSend({ files }: { readonly files: readonly PlannedFile[] }): readonly PlannedFile[] {
  return files.filter(({ change, existing }) => (change === 'new' || change === 'changed') && !existing);
}

/** The changes of a plan to the lines of a ledger. */
interface LineChanges {
  readonly files: readonly PlannedFile[];
  /** The lines of files that no longer exist. */
  readonly removed: readonly LedgerLine[];
}

/** Returns the lines of a ledger after a sync without failures; a new document has a placeholder as its id. */
export function linesAfter(
  ledger: ReadonlyMap<string, LedgerLine>,
  { files, removed }: LineChanges,
): readonly LedgerLine[] {
  const lines = new Map(ledger);
  for (const { change, line } of files) if (change === 'renamed' && line) lines.delete(line.path);
  for (const line of removed) lines.set(line.path, { ...line, removed: line.removed ?? line.at ?? '' });
  for (const planned of files) {
    const { file, change, line, displaced } = planned;
    if (change === 'refused') continue;
    const id = documentOf(planned) ?? `the new ${file.key}`;
    lines.set(file.key, storedLine(file, id, {}, [line, displaced]));
  }
  return [...lines.values()];
}

/** Changes to a ledger. */
export interface LedgerUpdate {
  readonly puts: readonly LedgerLine[];
  /** The paths of lines to remove: first, since one may have moved to the path of another. */
  readonly dropped: readonly string[];
}

/**
 * Returns the changes of the ledger that are recorded before anything is sent. A document that is yet to be renamed keeps its
 * name there.
 * @param at the time for its lines, if they record it
 */
export function ledgerUpdate({ files, removed }: LineChanges, at?: string): LedgerUpdate {
  const puts: LedgerLine[] = [];
  const dropped: string[] = [];
  for (const { file, change, line, displaced, counted, existing, refused } of files) {
    // The size that was sent: the file may have been saved since, with the same text.
    const known = { ...file, size: line?.size ?? file.size };
    if (refused && line?.refused !== refused)
      puts.push({ ...(line ?? (at !== undefined && { at })), path: file.key, refused });
    else if (existing) puts.push(storedLine(file, existing.id, counted ?? {}, [line], at));
    // The file was removed and has come back unchanged.
    else if (change === 'unchanged' && line?.id !== undefined && line.removed !== undefined)
      puts.push(storedLine(known, line.id, line, [line], at));
    else if (change === 'same text' && line?.id !== undefined)
      puts.push(storedLine(known, line.id, counted ?? {}, [line], at));
    else if (change === 'renamed' && line?.id !== undefined) {
      const name = line.name ?? file.name;
      puts.push(storedLine({ ...known, name }, line.id, line, [line, displaced], at));
      if (line.path !== file.key) dropped.push(line.path);
    }
  }
  for (const line of removed) {
    if (line.id === undefined) dropped.push(line.path);
    else if (line.removed === undefined) puts.push({ ...line, removed: at });
  }
  return { puts, dropped };
}
