import { join } from 'node:path';
import * as z from 'zod/mini';
import { Failure } from '../lib/errors.ts';
import { writeFileAtomically } from '../lib/files/atomic-write.ts';
import { parseJson } from '../lib/json-object.ts';
import { shellWord } from '../lib/text/quote.ts';
import { Secret } from '../secrets/secret.ts';
import { type Credentials, newCredentials } from './credentials.ts';
import { readIfExists } from './store/control-file.ts';

/** The file of a data directory with its first key; the database only has the hash. */
const keyFile = 'key.json';

const storedKey = z.strictObject({ key_id: z.string(), key_secret: z.string() });

/**
 * Returns the key of a data directory, creating one if it has none. The caller holds the directory's lock.
 * @throws Failure `invalidInput` if its file is damaged
 */
export function readOrMakeKey(directory: string): Credentials {
  const file = join(directory, keyFile);
  const text = readIfExists(file);
  if (text === undefined) return replaceKey(directory);
  const { data, error } = z.safeParse(storedKey, parseJson(text));
  if (data) return { keyId: data.key_id, keySecret: new Secret(data.key_secret) };
  const hint = `To create a new key at the next start, delete it: rm ${shellWord(file)}`;
  throw new Failure('invalidInput', `${file} is damaged.`, { hint, cause: error });
}

/** Replaces the key of a data directory by another one, a new one if none is given. */
export function replaceKey(directory: string, key = newCredentials()): Credentials {
  const stored = { key_id: key.keyId, key_secret: key.keySecret.reveal() };
  writeFileAtomically(join(directory, keyFile), `${JSON.stringify(stored)}\n`);
  return key;
}
