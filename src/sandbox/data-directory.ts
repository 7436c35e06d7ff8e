import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { Failure } from '../lib/errors.ts';
import { errorCode } from '../lib/files/error-code.ts';
import { unreadable } from '../lib/files/file-failure.ts';
import { writePrivateFile } from '../lib/files/private-file.ts';
import { readOwnText } from '../lib/files/read-file.ts';
import { shellWord } from '../lib/text/shell-word.ts';
import { Secret } from '../secrets/secret.ts';
import { controlFile } from './control/client.ts';
import { type Credentials, newCredentials } from './credentials.ts';
import type { ControlAddress } from './sandbox.ts';

/**
 * The files of a sandbox beside its database (`database/`), uploaded files (`files/`) and log (`request-log/`):
 * `key.json`, the key that it began with; `signing-key`, which tokens and pairing codes are made from;
 * `sandbox.log`, what it said in the background; and, while it runs, `control.json`, which says where its control channel is. All are for this user only.
 */
export type DataDirectory = ReturnType<typeof openDataDirectory>;

const keyFile = 'key.json';
const signingKeyFile = 'signing-key';

/** Bytes: as long as the hash that is made with it (RFC 7518, 3.2). */
const signingKeyLength = 32;

const storedKey = z.strictObject({ key_id: z.string(), key_secret: z.string() });

/**
 * Opens a data directory, whose lock the caller holds. Missing files are made.
 * @throws Failure `invalidInput` if one of its files is damaged
 */
export function openDataDirectory(path: string) {
  /** Puts another pair in the place of the first one, a new one if none is given. */
  const replaceFirstKey = (pair = newCredentials()): Credentials => {
    const stored = { key_id: pair.keyId, key_secret: pair.keySecret.reveal() };
    writePrivateFile(join(path, keyFile), `${JSON.stringify(stored)}\n`);
    return pair;
  };
  return {
    path,
    /** The pair that was generated for this directory; the database has only its hash. */
    firstKey: readFirstKey(join(path, keyFile)) ?? replaceFirstKey(),
    signingKey: openSigningKey(join(path, signingKeyFile)),
    replaceFirstKey,
    /** Writes the address of the running sandbox. */
    announce({ url, token, baseUrl }: ControlAddress & { readonly baseUrl: string }): void {
      const stored = { url, token: token.reveal(), pid: process.pid, base_url: baseUrl };
      writePrivateFile(join(path, controlFile), `${JSON.stringify(stored)}\n`);
    },
    /** It doesn't run any more. */
    withdraw: () => rmSync(join(path, controlFile), { force: true }),
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

function openSigningKey(file: string): Uint8Array {
  const text = readIfThere(file);
  if (text === undefined) {
    const made = randomBytes(signingKeyLength);
    writePrivateFile(file, `${made.toString('hex')}\n`);
    return made;
  }
  const key = Buffer.from(text.trim(), 'hex');
  if (key.length !== signingKeyLength) throw damaged(file, 'Tokens issued so far end when it is gone');
  return key;
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
