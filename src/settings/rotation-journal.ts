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
import { fileHash, readIfThere } from './small-files.ts';

/** A key of a service. */
export interface KeyAt {
  /** Scheme, host and port of the service. */
  readonly origin: string;
  readonly keyId: string;
}

const text = z.string().check(z.minLength(1));

/** The content of the file of a rotation. */
const stored = z.object({
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
  /**
   * `planned`: the successor may have been created; if so, its secret is lost. `created`: there is a successor, and its secret may be
   * stored. `stored`: its secret is stored, so the old key can be deleted.
   */
  state: z.enum(['planned', 'created', 'stored']),
  /** The successor, unless it is planned. */
  key_id: z.optional(text),
  /** Its secret, legible only with the secret of the old key. */
  sealed_secret: z.optional(text),
});

/** A rotation that has not ended; its members are those of `stored`. */
export type Rotation = Readonly<ReturnType<typeof rotationOf>>;

/** The key that takes the place of the old one, with its sealed secret: see `seal`. */
export type Successor = Exclude<Rotation, { state: 'planned' }>['successor'];

/** How far a rotation has come. */
export type RotationState = Rotation['state'];

/** The rotations that are under way, so that one that was killed can be finished. */
export type RotationJournal = ReturnType<typeof createRotationJournal>;

/**
 * Opens the journal of rotations: a file for each one, mode 0600 in the directory `rotations` (0700) beside the config file, named by
 * origin and old key. A file contains a record that each step replaces, not a log: only the last state counts, and ended rotations are
 * removed. It holds the successor's secret only sealed: that secret must survive a kill from the moment it is known, since a key that
 * was used must not be deleted as an orphan and one whose secret is lost is of no use; and yet it isn't proven then, so its place in
 * the profile or file still belongs to the old one.
 */
export function createRotationJournal(configDirectory: string) {
  const directory = join(configDirectory, 'rotations');
  const fileOf = (old: KeyAt): string => join(directory, `${hash(old)}.json`);
  /** The locks of the rotations of this process, by their files. */
  const locks = new Map<string, Lock>();
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
    find(key: KeyAt): Rotation | undefined {
      const mine = list().filter(({ old }) => old.origin === key.origin);
      // As the successor first: a rotation of a key has to end before another one begins with it.
      return (
        mine.find((rotation) => rotation.state !== 'planned' && rotation.successor.keyId === key.keyId) ??
        mine.find(({ old }) => old.keyId === key.keyId)
      );
    },
    /**
     * Writes a rotation. Each step writes before it acts.
     * @throws Failure `invalidInput` if nothing can be written, `network` if another process has taken the rotation over
     */
    write(rotation: Rotation): void {
      const file = fileOf(rotation.old);
      const check = (): void => locks.get(file)?.check();
      try {
        makePrivateDirectory(directory);
        writeFileAtomically(file, `${JSON.stringify(recordOf(rotation), null, 2)}\n`, { check });
      } catch (error) {
        throw unwritable(directory, error);
      }
    },
    /** @throws Failure `network` if another process has taken the rotation over */
    remove({ old }: Rotation): void {
      const file = fileOf(old);
      locks.get(file)?.check();
      rmSync(file, { force: true });
    },
    /**
     * Does work while no other process rotates the same key.
     * @throws Failure `invalidInput` if another one does, or no lock can be written
     */
    async exclusively<T>(old: KeyAt, work: () => Promise<T>): Promise<T> {
      const file = fileOf(old);
      const lock = await lockOf(old);
      locks.set(file, lock);
      try {
        return await work();
      } finally {
        locks.delete(file);
        lock.release();
      }
    },
  };

  async function lockOf(old: KeyAt): Promise<Lock> {
    const busy = `Key ${old.keyId} is being rotated`;
    const hint = 'Wait until that botctl has ended. Nothing was done here.';
    try {
      makePrivateDirectory(directory);
      return await requireLock(join(directory, `${hash(old)}.lock`), { busy, hint });
    } catch (error) {
      throw unwritable(directory, error);
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

function hash({ origin, keyId }: KeyAt): string {
  return fileHash(`${origin}\n${keyId}`);
}

function filesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
      .filter((name) => /^[^.].*\.json$/.test(name))
      .map((name) => join(directory, name));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return [];
    throw unreadable(directory, error);
  }
}

/** Undefined if the file has gone meanwhile. */
function readRotation(file: string): Rotation | undefined {
  try {
    const content = readIfThere(file);
    return content === undefined ? undefined : rotationOf(JSON.parse(content));
  } catch (error) {
    throw unreadable(file, error);
  }
}

function recordOf(rotation: Rotation): z.input<typeof stored> {
  const successor = rotation.state === 'planned' ? undefined : rotation.successor;
  return {
    origin: rotation.old.origin,
    old_key_id: rotation.old.keyId,
    old_name: rotation.old.name,
    nonce: rotation.nonce,
    names: rotation.names,
    expires_at: rotation.expiresAt,
    secret_file: rotation.secretFile,
    keeps_old: rotation.keepsOld,
    handed_over: rotation.handedOver,
    started_at: rotation.startedAt,
    state: rotation.state,
    key_id: successor?.keyId,
    sealed_secret: successor?.sealedSecret,
  };
}

/** @throws TypeError if a member is missing or damaged */
function rotationOf(value: unknown) {
  const parsed = z.safeParse(stored, value);
  if (!parsed.success) throw damaged(parsed.error.issues[0]?.path[0]);
  const record = parsed.data;
  const intent = {
    old: { origin: record.origin, keyId: record.old_key_id, name: record.old_name },
    nonce: record.nonce,
    names: record.names,
    expiresAt: record.expires_at,
    secretFile: record.secret_file,
    keepsOld: record.keeps_old,
    handedOver: record.handed_over,
    startedAt: record.started_at,
  };
  const { state, key_id: keyId, sealed_secret: sealedSecret } = record;
  if (state === 'planned') return { ...intent, state };
  if (keyId === undefined || sealedSecret === undefined) throw damaged('key_id or sealed_secret');
  return { ...intent, state, successor: { keyId, sealedSecret } };
}

function damaged(member: PropertyKey = 'its content'): TypeError {
  return new TypeError(`${String(member)} is missing or damaged`);
}

/** Returns the error itself if it is not the file system's. */
function unwritable(directory: string, error: unknown): unknown {
  if (errorCode(error) === undefined) return error;
  return new Failure('invalidInput', `No rotation can be journaled in ${directory}: ${messageOf(error)}.`, {
    hint: 'Set BOTCTL_CONFIG_DIR to a directory that you may write.',
    cause: error,
  });
}

function unreadable(file: string, error: unknown): Failure {
  return new Failure(
    'invalidInput',
    `The journal of a key rotation, ${file}, can't be read: ${messageOf(error)}.`,
    {
      hint: remark`Correct its permissions. If it is broken, remove it, and delete the key that the rotation left: ${command('keys', 'list')}`,
      cause: error,
    },
  );
}
