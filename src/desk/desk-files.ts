import { BookCopy } from './book-copy.ts';
import { deskDirectory } from './desk-directory.ts';
import { Outbox } from './outbox.ts';

/** The files that a machine has of a desk. */
export interface DeskFiles {
  readonly directory: string;
  readonly copy: BookCopy;
  readonly outbox: Outbox;
}

/**
 * Returns the files that a machine has of a desk; none of them has to exist.
 * @param signal ends the wait for another process that writes them
 */
export function deskFiles(data: string, url: URL, signal: AbortSignal): DeskFiles {
  const directory = deskDirectory(data, url);
  return { directory, copy: new BookCopy(directory, signal), outbox: new Outbox(directory, signal) };
}
