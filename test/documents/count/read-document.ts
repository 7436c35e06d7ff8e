import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CharacterCounter } from '../../../src/documents/count/characters.ts';
import { type Reader, type ReadOptions, Unreadable } from '../../../src/documents/count/readers/reader.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** The result of a reader: the text and characters of a file and of each page, or the reason for a refusal. */
export type Outcome =
  | { readonly text: string; readonly chars: number; readonly pages: readonly number[] }
  | string;

/** Reads a document. Rethrows all errors of the reader except its refusals. */
export async function readDocument(
  read: Reader,
  content: Uint8Array | string,
  options: Partial<ReadOptions> = {},
): Promise<Outcome> {
  let path = content;
  if (typeof path !== 'string') {
    path = join(temporaryDirectory('document'), 'document');
    writeFileSync(path, content);
  }
  const counter = new CharacterCounter();
  const pages: CharacterCounter[] = [];
  let text = '';
  try {
    for await (const piece of read({ maxUnpacked: 64 * 1024 * 1024, ...options, path })) {
      text += piece.text;
      counter.add(piece.text);
      if (piece.page === undefined) continue;
      pages[piece.page - 1] ??= new CharacterCounter();
      pages[piece.page - 1]?.add(piece.text);
    }
  } catch (error) {
    if (error instanceof Unreadable) return error.reason;
    throw error;
  }
  return { text, chars: counter.count, pages: pages.map(({ count }) => count) };
}
