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
  /** The key that is to be replaced. */
  origin: text,
  old_key_id: text,
  old_name: z.optional(z.string()),
  /** Is in the name of every key that this rotation creates, and in no other. */
  nonce: text,
  /** The names under which this rotation may have created a key; the last one is the successor's. */
  names: z.custom<readonly [...string[], string]>(
    (value) => Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string'),
  ),
  /** ISO 8601; undefined for a successor that doesn't expire. */
  expires_at: z.optional(z.string()),
  /** Absolute path of the file that gets the secret, if one does. */
  secret_file: z.optional(z.string()),
  /** The old key stays until that is asked for, or a command has taken the new secret. */
  keeps_old: z._default(z.boolean(), false),
  /** A command of the user has taken the new secret. */
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
    /** `created`: its secret may be stored. `stored`: it is, so the old key can be deleted. */
    state: z.enum(['created', 'stored']),
    /** The successor. */
    key_id: text,
    /** Its secret, legible only with the secret of the old key: see `seal`. */
    sealed_secret: text,
  }),
]);

/** A rotation that has not ended. */
export type Rotation = Readonly<z.infer<typeof stored>>;

/** A rotation whose successor is known. */
export type CreatedRotation = Exclude<Rotation, { state: 'planned' }>;

/** The rotations that are under way, so that one that was killed can be finished. */
export type RotationJournal = ReturnType<typeof createRotationJournal>;

/** The record of one rotation, which no other process changes meanwhile. */
export interface RotationRecord {
  /**
   * Writes the rotation. Each step writes before the next one acts.
   * @throws Failure `invalidInput` if nothing can be written, `network` if another process has taken the rotation over
   */
  write(rotation: Rotation): void;
  /** @throws Failure `network` if another process has taken the rotation over */
  remove(): void;
}

/**
 * Opens the journal of rotations: a file for each one, mode 0600 in the directory `rotations` (0700) beside the config file, named by
 * origin and old key. A file contains a record that each step replaces, not a log: only the last state counts, and ended rotations are
 * removed. It holds the successor's secret only sealed: that secret must survive a kill from the moment it is known, since a key that
 * was used must not be deleted as an orphan and one whose secret is lost is of no use; and yet it isn't proven then, so its place in
 * the profile or file still belongs to the old one.
 */
export function createRotationJournal(configDirectory: string) {
  const directory = join(configDirectory, 'rotations');
  /**
   * Returns the rotations that have not ended.
   * @throws Failure `invalidInput` that names a file which can't be read
   */
  const list = (): readonly Rotation[] => filesIn(directory).flatMap((file) => readRotation(file) ?? []);
  return {
    list,
    /**
     * Returns the rotation of a key, which is the old one or the successor.
     * @throws Failure as `list`
     */
    find({ origin, keyId }: ServiceKey): Rotation | undefined {
      const mine = list().filter((rotation) => rotation.origin === origin);
      // As the successor first: a rotation of a key has to end before another one begins with it.
      return (
        mine.find((rotation) => rotation.state !== 'planned' && rotation.key_id === keyId) ??
        mine.find((rotation) => rotation.old_key_id === keyId)
      );
    },
    /**
     * Does work on the rotation of a key while no other process rotates it.
     * @throws Failure `invalidInput` if another one does, or no lock can be written
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

/** Seals a secret under that of the old key, which is at hand wherever a rotation can be taken up again, and dies with it. */
export function seal(secret: Secret, under: Secret): string {
  return sealText(secret.reveal(), under, purpose);
}

/** Returns the secret that was sealed, or undefined if another secret is needed for that, or it was tampered with. */
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

/** Undefined if the file has gone meanwhile. */
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

/** Returns the error itself if it is not the file system's. */
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
