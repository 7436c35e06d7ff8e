import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { requirePackage, serverPackage } from '../../database/packages.ts';
import { Failure } from '../../lib/errors.ts';
import { errorCode } from '../../lib/files/error-code.ts';
import { unreadable } from '../../lib/files/file-failure.ts';
import { type Lock, tryLock } from '../../lib/files/lock.ts';
import { makePrivateDirectory } from '../../lib/files/private-file.ts';
import { readOwnText } from '../../lib/files/read-file.ts';
import { shellWord } from '../../lib/text/shell-word.ts';
import { checkEmbedded, openEmbedded } from './embedded.ts';
import { DataInUse, refuseForeign } from './ownership.ts';
import { type DatabaseServer, openServer } from './server.ts';
import { openServiceRow, signingKeyLength } from './service-row.ts';
import type { Store } from './store.ts';

/** Options of a store. */
export interface StoreOptions {
  /** Returns the bytes that are free on the disk of the data directory; as the system says if not given. */
  readonly freeSpace?: (() => number) | undefined;
  /** Where rows and uploaded files are; in the data directory if not given. */
  readonly server?: DatabaseServer | undefined;
}

/**
 * Opens the store of a data directory, which is made if it doesn't exist. The directory is this store's alone until it is
 * closed: it holds `lock`, and `engine`, which says what has the rows.
 * @throws DataInUse
 * @throws Failure `invalidInput` if the engine is not installed, another one made the database, or it can't be opened;
 *   `network` if its server can't be reached
 * @throws the file system's error if the directory can't be written
 */
export async function openStore(directory: string, { freeSpace, server }: StoreOptions = {}): Promise<Store> {
  if (server) requirePackage(serverPackage, 'A sandbox on a database server');
  else checkEmbedded();
  refuseForeign(directory);
  makePrivateDirectory(directory);
  const lock = takeLock(directory);
  try {
    const opened = server
      ? await openServer(directory, server)
      : await openEmbedded(directory, lock, freeSpace);
    const signingKey = await openKey(opened.db, directory).catch(async (error: unknown) => {
      await opened.close();
      throw error;
    });
    return {
      ...opened,
      signingKey,
      lost: lock.lost,
      announce: (port) => lock.describe({ port }),
      async close() {
        try {
          await opened.close();
        } finally {
          lock.release();
        }
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function takeLock(directory: string): Lock {
  const attempt = tryLock(join(directory, 'lock'));
  if (attempt.state === 'held') throw attempt.obstacle ?? new DataInUse(directory, attempt);
  if (attempt.state === 'unwritable') throw attempt.error;
  return attempt.lock;
}

/** The file in which data directories kept the signing key before their databases did. */
const earlierKeyFile = 'signing-key';

/** Returns the signing key; one in the file is taken into the database. */
async function openKey(db: Store['db'], directory: string): Promise<Uint8Array> {
  const file = join(directory, earlierKeyFile);
  let earlier: Uint8Array | undefined;
  const { signingKey } = await openServiceRow(db, () => {
    earlier = readEarlierKey(file);
    return earlier;
  });
  if (earlier) rmSync(file);
  return signingKey;
}

function readEarlierKey(file: string): Uint8Array | undefined {
  try {
    const key = Buffer.from(readOwnText(file).trim(), 'hex');
    if (key.length === signingKeyLength) return key;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw unreadable(file, error);
  }
  throw new Failure('invalidInput', `${file} is damaged.`, {
    hint: `Tokens issued so far end when it is gone: rm ${shellWord(file)}`,
  });
}
