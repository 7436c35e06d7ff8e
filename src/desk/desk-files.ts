import { join } from 'node:path';
import { databaseUrl, withoutPassword } from '../lib/database-address.ts';
import { writeFileAtomically } from '../lib/files/atomic-write.ts';
import { makePrivateDirectory } from '../lib/files/private-file.ts';
import { ValueError } from '../lib/parse.ts';
import { ignoreErrors, readIfExists } from '../settings/small-files.ts';
import { BookCopy } from './book-copy.ts';
import { deskDirectory } from './desk-directory.ts';
import { Outbox } from './outbox.ts';

/** The local files of a desk. */
export interface DeskFiles {
  readonly directory: string;
  readonly copy: BookCopy;
  readonly outbox: Outbox;
}

/**
 * Returns the local files of a desk. They need not exist.
 * @param signal aborts the wait for another process that writes them
 */
export function deskFiles(data: string, url: URL, signal: AbortSignal): DeskFiles {
  const directory = deskDirectory(data, url);
  return { directory, copy: new BookCopy(directory, signal), outbox: new Outbox(directory, signal) };
}

const addressName = 'address';

/** Stores the address of a desk next to its files, in case no profile names the desk any more. Ignores write errors. */
export function storeAddress(directory: string, url: URL): void {
  const { href } = withoutPassword(url);
  if (storedAddress(directory)?.href === href) return;
  ignoreErrors(() => {
    makePrivateDirectory(directory);
    writeFileAtomically(join(directory, addressName), `${href}\n`);
  });
}

/** Returns the address that `storeAddress` stored in a directory; undefined if there is none or it is invalid. */
export function storedAddress(directory: string): URL | undefined {
  const text = ignoreErrors(() => readIfExists(join(directory, addressName)))?.trim();
  if (text === undefined) return undefined;
  try {
    return databaseUrl(text);
  } catch (error) {
    if (error instanceof ValueError) return undefined;
    throw error;
  }
}
