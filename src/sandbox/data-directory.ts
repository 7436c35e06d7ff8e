import { join } from 'node:path';
import * as z from 'zod/mini';
import { errorCode, Failure } from '../lib/errors.ts';
import { writeFileAtomically } from '../lib/files/atomic-write.ts';
import { unreadable } from '../lib/files/file-failure.ts';
import { readOwnText } from '../lib/files/read-file.ts';
import { shellWord } from '../lib/text/quote.ts';
import { Secret } from '../secrets/secret.ts';
import { type Credentials, newCredentials } from './credentials.ts';
import type { ControlAddress } from './sandbox.ts';
import { readNote, removeNote, writeNote } from './store/note.ts';
import { dataFailure } from './store/ownership.ts';

/**
 * The files of a sandbox beside its database (`sandbox.db`), uploaded files (`files/`) and log (`request-log/`):
 * `key.json`, the key that it began with; `sandbox.log`, what it said in the background; and, while it runs, `control.json`, which says where its control channel is. All are for this user only.
 */
export type DataDirectory = ReturnType<typeof openDataDirectory>;

const keyFile = 'key.json';

const storedKey = z.strictObject({ key_id: z.string(), key_secret: z.string() });

/**
 * Opens a data directory, whose lock the caller holds. Missing files are made.
 * @throws Failure `invalidInput` if one of its files is damaged
 */
export function openDataDirectory(path: string) {
  /** Puts another pair in the place of the first one, a new one if none is given. */
  const replaceFirstKey = (pair = newCredentials()): Credentials => {
    const stored = { key_id: pair.keyId, key_secret: pair.keySecret.reveal() };
    writeFileAtomically(join(path, keyFile), `${JSON.stringify(stored)}\n`);
    return pair;
  };
  return {
    path,
    /** The pair that was generated for this directory; the database has only its hash. */
    get firstKey() {
      return readFirstKey(join(path, keyFile)) ?? replaceFirstKey();
    },
    replaceFirstKey,
    /**
     * Writes the address of the running sandbox.
     * @throws Failure `invalidInput` if it can't be written
     */
    announce({ url, token, baseUrl }: ControlAddress & { readonly baseUrl: string }): void {
      try {
        writeNote(path, { url, token: token.reveal(), pid: process.pid, base_url: baseUrl });
      } catch (error) {
        throw dataFailure(error, path);
      }
    },
    /** Removes that address, unless another sandbox has written its own: the directory may have been moved, and replaced. */
    withdraw(): void {
      if (readNote(path)?.pid === process.pid) removeNote(path);
    },
  };
}

function readFirstKey(file: string): Credentials | undefined {
  const text = readIfThere(file);
  if (text === undefined) return undefined;
  try {
    const { key_id, key_secret } = z.parse(storedKey, JSON.parse(text));
    return { keyId: key_id, keySecret: new Secret(key_secret) };
  } catch (error) {
    throw damaged(file, 'A new key is made when it is gone', error);
  }
}

function damaged(file: string, consequence: string, cause?: unknown): Failure {
  return new Failure('invalidInput', `${file} is damaged.`, {
    hint: `${consequence}: rm ${shellWord(file)}`,
    cause,
  });
}

function readIfThere(file: string): string | undefined {
  try {
    return readOwnText(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw unreadable(file, error);
  }
}
