import type { Intent } from '../../../batch/journal.ts';
import { isSentAs, type UploadIntent } from '../send-once.ts';
import { type LedgerLine, withEarlier } from './ledger-text.ts';
import type { PlannedFile } from './plan-sync.ts';

/** What the uploads that earlier runs were cut off at say of the documents that were found for files. */
export interface ComparedUploads {
  /** The keys of the files whose document holds what they held before. */
  readonly outdated: ReadonlySet<string>;
  /** Those of which it is known by this what came of them. */
  readonly settled: readonly Intent<UploadIntent>[];
}

/**
 * Compares the documents that were found for files with the uploads that earlier runs were cut off at: one that was sent with
 * other bytes of the same figures is no document of what the file holds now.
 */
export function compareFound(
  files: readonly PlannedFile[],
  left: readonly Intent<UploadIntent>[],
): ComparedUploads {
  const outdated = new Set<string>();
  const settled: Intent<UploadIntent>[] = [];
  if (left.length === 0) return { outdated, settled };
  for (const { file, counted, there } of files) {
    if (!there) continue;
    const now = { ...file, chars: counted?.chars ?? 0 };
    for (const intent of left) {
      // By its figures it may have been sent as the file is now.
      if (!isSentAs({ ...intent.details, sha256: now.sha256 }, now)) continue;
      const isSame = isSentAs(intent.details, now);
      if (!isSame && intent.details.before.includes(there.id)) continue;
      if (!isSame) outdated.add(file.key);
      settled.push(intent);
    }
  }
  return { outdated, settled };
}

/** Returns the line of a file before it is sent, of which one more document is an earlier one. */
export function lineBefore(
  { file, line }: Pick<PlannedFile, 'file' | 'line'>,
  id: string | undefined,
  at: string,
): LedgerLine {
  const earlier = [...(line?.earlier ?? []), ...(id === undefined ? [] : [id])];
  return { ...(line ?? { at }), path: file.key, ...withEarlier(earlier, line?.id) };
}
