import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, Failure, messageOf } from '../lib/errors.ts';
import { writeFileAtomically } from '../lib/files/atomic-write.ts';
import { type Lock, lockHint, lockHolder, tryLock } from '../lib/files/lock.ts';
import { makePrivateDirectory } from '../lib/files/private-file.ts';
import { isObject, type JsonObject, own } from '../lib/json-object.ts';
import { command, remark } from '../lib/text/remark.ts';
import { sealText, unsealText } from '../secrets/seal.ts';
import { Secret } from '../secrets/secret.ts';
import { fileHash, readIfThere } from './files.ts';

/** A key of a service. */
export interface KeyAt {
  /** Scheme, host and port of the service. */
  readonly origin: string;
  readonly keyId: string;
}

/** A rotation before its successor is known. */
interface Intent {
  /** The key that is to be replaced. */
  readonly old: KeyAt & { readonly name: string | undefined };
  /** Is in the name of every key that this rotation creates, and in no other. */
  readonly nonce: string;
  /** The names under which this rotation may have created a key; the last one is the successor's. */
  readonly names: readonly [...string[], string];
  /** ISO 8601; undefined for a successor that doesn't expire. */
  readonly expiresAt: string | undefined;
  /** Absolute path of the file that gets the secret, where one does. */
  readonly secretFile: string | undefined;
  /** The old key stays until that is asked for, or a command has taken the new secret. */
  readonly keepsOld: boolean;
  /** A command of the user's has taken the new secret. */
  readonly handedOver: boolean;
  /** ISO 8601. */
  readonly startedAt: string;
}

/** The key that takes the place of the old one. */
export interface Successor {
  readonly keyId: string;
  /** Its secret, legible only with the secret of the old key: see `seal`. */
  readonly sealedSecret: string;
}

/** A rotation, as far as the journal knows it. */
export type Rotation = Intent &
  (
    | /** The successor may have been created; if so, nobody knows its secret. */ {
        readonly state: 'planned';
      }
    | {
        /**
         * `created`: there is a successor, and maybe it is stored already. `stored`: it is, so the old key
         * can go.
         */
        readonly state: 'created' | 'stored';
        readonly successor: Successor;
      }
  );

/** The state of a rotation in the journal. */
export type RotationState = Rotation['state'];

/** The rotations that are under way, so that one that was killed can be finished. */
export type RotationJournal = ReturnType<typeof createRotationJournal>;

/**
 * A file for each rotation, mode 0600 in the directory `rotations` (0700) beside the config file, named by
 * origin and old key. It holds the successor's secret only sealed: that secret must survive a kill from
 * the moment it is known, since a key that was used must not be deleted as an orphan and one whose secret
 * is lost is of no use; and yet it isn't proven then, so its place in the profile or file still
 * belongs to the old one.
 */
export function createRotationJournal(configDirectory: string) {
  const directory = join(configDirectory, 'rotations');
  const fileOf = (old: KeyAt): string => join(directory, `${hash(old)}.json`);
  /** The locks of the rotations that this process is at, by the file of each. */
  const locks = new Map<string, Lock>();
  /**
   * Every rotation that has not ended.
   * @throws Failure as `find`
   */
  const list = (): readonly Rotation[] => filesIn(directory).flatMap((file) => readRotation(file) ?? []);
  return {
    list,
    /**
     * The rotation that a key is part of, as the old one or as the successor.
     * @throws Failure `invalidInput` that names a file which can't be read
     */
    find(key: KeyAt): Rotation | undefined {
      const mine = list().filter(({ old }) => old.origin === key.origin);
      // As the successor first: what is under way with a key ends before something new begins with it.
      return (
        mine.find((rotation) => rotation.state !== 'planned' && rotation.successor.keyId === key.keyId) ??
        mine.find(({ old }) => old.keyId === key.keyId)
      );
    },
    /**
     * Each step of a rotation writes before it acts.
     * @throws Failure `invalidInput` where nothing can be written, `network` if another process has taken the rotation over
     */
    write(rotation: Rotation): void {
      const file = fileOf(rotation.old);
      const check = (): void => locks.get(file)?.check();
      try {
        makePrivateDirectory(directory);
        writeFileAtomically(file, `${JSON.stringify(storedForm(rotation), null, 2)}\n`, { check });
      } catch (error) {
        throw error instanceof Failure ? error : unwritable(directory, error);
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
     * @throws Failure `invalidInput` while another one does, or where no journal can be kept
     */
    async exclusively<T>(old: KeyAt, work: () => Promise<T>): Promise<T> {
      try {
        makePrivateDirectory(directory);
      } catch (error) {
        throw unwritable(directory, error);
      }
      const attempt = tryLock(join(directory, `${hash(old)}.lock`));
      if (attempt.state === 'unwritable') throw unwritable(directory, attempt.error);
      if (attempt.state === 'held') {
        if (attempt.obstacle) throw attempt.obstacle;
        throw new Failure('invalidInput', `Key ${old.keyId} is being rotated by ${lockHolder(attempt)}.`, {
          hint: lockHint('Wait until that botctl has ended. Nothing was done here.', attempt),
        });
      }
      const file = fileOf(old);
      locks.set(file, attempt.lock);
      try {
        return await work();
      } finally {
        locks.delete(file);
        attempt.lock.release();
      }
    },
  };
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
    const text = readIfThere(file);
    return text === undefined ? undefined : parseRotation(JSON.parse(text));
  } catch (error) {
    throw unreadable(file, error);
  }
}

function storedForm(rotation: Rotation): JsonObject {
  const { old, nonce, names, expiresAt, secretFile, keepsOld, handedOver, startedAt, state } = rotation;
  return {
    origin: old.origin,
    old_key_id: old.keyId,
    old_name: old.name,
    nonce,
    names,
    expires_at: expiresAt,
    secret_file: secretFile,
    keeps_old: keepsOld,
    handed_over: handedOver,
    started_at: startedAt,
    state,
    ...(rotation.state !== 'planned' && {
      key_id: rotation.successor.keyId,
      sealed_secret: rotation.successor.sealedSecret,
    }),
  };
}

/** @throws TypeError for anything but what `storedForm` gives */
function parseRotation(value: unknown): Rotation {
  const raw = isObject(value) ? value : {};
  const optional = (member: string): string | undefined => {
    const found = own(raw, member);
    if (found === undefined || typeof found === 'string') return found;
    throw new TypeError(`${member} is no text`);
  };
  const text = (member: string): string => {
    const found = optional(member);
    if (found === undefined || found === '') throw new TypeError(`${member} is missing`);
    return found;
  };
  const names = (Array.isArray(raw.names) ? raw.names : []).filter((name) => typeof name === 'string');
  const last = names.pop();
  if (last === undefined) throw new TypeError('names is empty');
  const intent: Intent = {
    old: { origin: text('origin'), keyId: text('old_key_id'), name: optional('old_name') },
    nonce: text('nonce'),
    names: [...names, last],
    expiresAt: optional('expires_at'),
    secretFile: optional('secret_file'),
    keepsOld: raw.keeps_old === true,
    handedOver: raw.handed_over === true,
    startedAt: text('started_at'),
  };
  const state = text('state');
  if (state === 'planned') return { ...intent, state };
  if (state !== 'created' && state !== 'stored') throw new TypeError('state is unknown');
  return {
    ...intent,
    state,
    successor: { keyId: text('key_id'), sealedSecret: text('sealed_secret') },
  };
}

function unwritable(directory: string, error: unknown): Failure {
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
