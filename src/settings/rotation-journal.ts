import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { errorCode, Failure, messageOf } from '../lib/errors.ts';
import { writeFileAtomically } from '../lib/files/atomic-write.ts';
import { type Lock, requireLock } from '../lib/files/lock.ts';
import { makePrivateDirectory } from '../lib/files/private-file.ts';
import { command, remark } from '../lib/text/remark.ts';
import { sealText, unsealText } from '../secrets/seal.ts';
import { Secret } from '../secrets/secret.ts';
import { fileHash, readIfExists } from './small-files.ts';

/** A key of a service. */
export interface ServiceKey {
  /** Scheme, host and port of the service. */
  readonly origin: string;
  readonly keyId: string;
}

const text = z.string().check(z.minLength(1));

const commonMembers = {
  /** The key to be replaced. */
  origin: text,
  old_key_id: text,
  old_name: z.optional(z.string()),
  /** A random text in the name of every key that this rotation creates, and of no other key. */
  nonce: text,
  /** Names of the keys that this rotation may have created; the last one is the successor's. */
  names: z.custom<readonly [...string[], string]>(
    (value) => Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string'),
  ),
  /** ISO 8601; undefined for a successor that doesn't expire. */
  expires_at: z.optional(z.string()),
  /** Absolute path of the file for the new secret, if any. */
  secret_file: z.optional(z.string()),
  /** True if the old key is deleted only on request, or after a command has received the new secret. */
  keeps_old: z._default(z.boolean(), false),
  /** True if a command of the user has received the new secret. */
  handed_over: z._default(z.boolean(), false),
  /** ISO 8601. */
  started_at: text,
};

/** The content of the file of a rotation. */
const stored = z.discriminatedUnion('state', [
  /** The successor may have been created; if so, its secret is lost. */
  z.object({ ...commonMembers, state: z.literal('planned') }),
  z.object({
    ...commonMembers,
    /** `created`: the secret may be stored. `stored`: it is stored, so the old key can be deleted. */
    state: z.enum(['created', 'stored']),
    /** The successor. */
    key_id: text,
    /** Its secret, encrypted with the secret of the old key: see `seal`. */
    sealed_secret: text,
  }),
]);

/** An unfinished rotation. */
export type Rotation = Readonly<z.infer<typeof stored>>;

/** A rotation whose successor has been created. */
export type CreatedRotation = Exclude<Rotation, { state: 'planned' }>;

/** The journal of unfinished rotations, so that a rotation that was killed can be finished. */
export type RotationJournal = ReturnType<typeof createRotationJournal>;

/** The record of one rotation. It is locked against other processes. */
export interface RotationRecord {
  /**
   * Writes the state of the rotation before the next step takes effect.
   * @throws Failure `invalidInput` if it can't be written, `network` if another process has taken over the rotation
   */
  write(rotation: Rotation): void;
  /**
   * Removes the record.
   * @throws Failure `network` if another process has taken over the rotation
   */
  remove(): void;
}

/**
 * Opens the journal of rotations: a file for each one, mode 0600 in the directory `rotations` (0700) beside the config
 * file, named by origin and old key. A file contains a record that each step replaces, not a log: only the last state
 * matters, and finished rotations are removed. It contains the successor's secret in encrypted form. The secret must
 * survive a kill from the moment it is known: a key that was used must not be deleted as an orphan, and a key whose
 * secret is lost is useless. But until the new key is proven to work, the profile or file still contains the old one.
 */
export function createRotationJournal(configDirectory: string) {
  const directory = join(configDirectory, 'rotations');
  /**
   * Returns the unfinished rotations.
   * @throws Failure `invalidInput` that names a file which can't be read
   */
  const list = (): readonly Rotation[] => filesIn(directory).flatMap((file) => readRotation(file) ?? []);
  return {
    list,
    /**
     * Returns the rotation that has a key as the old one or the successor.
     * @throws Failure as `list`
     */
    find({ origin, keyId }: ServiceKey): Rotation | undefined {
      const mine = list().filter((rotation) => rotation.origin === origin);
      // Prefers the rotation whose successor is the key: it must end before another one starts from that key.
      return (
        mine.find((rotation) => rotation.state !== 'planned' && rotation.key_id === keyId) ??
        mine.find((rotation) => rotation.old_key_id === keyId)
      );
    },
    /**
     * Runs a function on the rotation of a key while the rotation is locked against other processes.
     * @throws Failure `invalidInput` if another process holds the lock, or no lock can be written
     */
    async exclusively<T>(
      { origin, keyId }: ServiceKey,
      work: (record: RotationRecord) => Promise<T>,
    ): Promise<T> {
      const path = join(directory, fileHash(`${origin}\n${keyId}`));
      const file = `${path}.json`;
      const lock = await lockOf(`${path}.lock`, keyId);
      try {
        return await work({
          write(rotation) {
            const check = (): void => lock.check();
            try {
              writeFileAtomically(file, `${JSON.stringify(rotation, null, 2)}\n`, { check });
            } catch (error) {
              throw writeFailure(directory, error);
            }
          },
          remove() {
            lock.check();
            rmSync(file, { force: true });
          },
        });
      } finally {
        lock.release();
      }
    },
  };

  async function lockOf(file: string, keyId: string): Promise<Lock> {
    const busy = `Key ${keyId} is being rotated`;
    const hint = 'Wait until that process has finished. Nothing was done here.';
    try {
      makePrivateDirectory(directory);
      return await requireLock(file, { busy, hint });
    } catch (error) {
      throw writeFailure(directory, error);
    }
  }
}

const purpose = 'botctl key rotation';

/**
 * Encrypts a secret with the old key's secret, which is available wherever a rotation can be resumed, and becomes
 * useless when the rotation ends.
 */
export function seal(secret: Secret, under: Secret): string {
  return sealText(secret.reveal(), under, purpose);
}

/** Decrypts a secret; returns undefined if it was encrypted with another secret or the data was modified. */
export function unseal(sealed: string, under: Secret): Secret | undefined {
  const text = unsealText(sealed, under, purpose);
  return text === undefined ? undefined : new Secret(text);
}

function filesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
      .filter((name) => /^[^.].*\.json$/.test(name))
      .map((name) => join(directory, name));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return [];
    throw readFailure(directory, error);
  }
}

/** Reads a rotation; returns undefined if the file has been removed meanwhile. */
function readRotation(file: string): Rotation | undefined {
  try {
    const content = readIfExists(file);
    if (content === undefined) return undefined;
    const { data, error } = z.safeParse(stored, JSON.parse(content));
    if (data) return data;
    const [member = 'its content'] = error.issues[0]?.path ?? [];
    throw new TypeError(`${String(member)} is missing or damaged`);
  } catch (error) {
    throw readFailure(file, error);
  }
}

/** Converts an error of the file system to a failure; returns any other error unchanged. */
function writeFailure(directory: string, error: unknown): unknown {
  if (errorCode(error) === undefined) return error;
  return new Failure('invalidInput', `The rotation can't be recorded in ${directory}: ${messageOf(error)}.`, {
    hint: 'Set BOTCTL_CONFIG_DIR to a writable directory.',
    cause: error,
  });
}

function readFailure(file: string, error: unknown): Failure {
  return new Failure('invalidInput', `Rotation journal ${file} can't be read: ${messageOf(error)}.`, {
    hint: remark`Correct its permissions. If it is damaged, delete the file and the unused key of that rotation. List the keys: ${command('keys', 'list')}`,
    cause: error,
  });
}
