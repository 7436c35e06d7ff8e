import type { LedgerLine } from '../documents/sync/ledger-text.ts';
import { isSentAs, type UploadIntent } from '../documents/upload/send-once.ts';
import type { Address } from './desired.ts';
import type { StateEntry } from './state-file.ts';

/**
 * Returns what the lock has of a document as a line of a ledger, of which the address is the path.
 * @param name the one that the document has
 */
export function lineOf(path: Address, entry: StateEntry, name: string | undefined): LedgerLine {
  const { id, sha256, text, size, chars, earlier, held, refused } = entry;
  return {
    path,
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    ...(sha256 !== undefined && { sha256 }),
    ...(text !== undefined && { text }),
    ...(size !== undefined && { size }),
    ...(chars !== undefined && { chars }),
    at: '',
    ...(earlier && { earlier: [...earlier] }),
    ...(held && { held: [...held] }),
    ...(refused && { refused }),
  };
}

/** Returns a line as the lock keeps it: no time, since nobody needs it there and branches are to merge. */
export function entryOf({ id, name, ...line }: LedgerLine): StateEntry {
  const { sha256, text, size, chars, earlier, held, refused } = line;
  return {
    ...(id !== undefined && { id }),
    applied: name === undefined ? {} : { name },
    ...{ sha256, text, size, chars, earlier, held, refused },
  };
}

/** True if an upload sent what the lock has of a document, as far as that is known. */
export function isSentAsKept(
  details: UploadIntent,
  { size = details.size, chars = details.chars, sha256 }: StateEntry,
): boolean {
  return isSentAs(details, { name: details.name, size, chars, ...(sha256 !== undefined && { sha256 }) });
}
