import { randomUUID } from 'node:crypto';
import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { systemClock } from '../clock.ts';
import { Failure } from '../errors.ts';
import { isObject, parseJson, textOf } from '../json-object.ts';
import { type RemarkText, remark } from '../text/remark.ts';
import { shellWord } from '../text/shell-word.ts';
import { errorCode } from './error-code.ts';
import { kindOf, readOwnText } from './read-file.ts';

/** The process that holds a lock. */
export interface LockOwner {
  readonly pid: number;
  /** Start time of the process in the system's own unit, or undefined if it can't be read. */
  readonly started: string | undefined;
  /** Details that the owner added, such as its port. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** A lock that is held here. */
export interface Lock {
  /** Adds details about the owner, for the process that finds the lock held. */
  describe(details: Readonly<Record<string, unknown>>): void;
  /** Removes the lock file, unless it is somebody else's by now. */
  release(): void;
}

/** A lock that somebody else has. */
export interface Held {
  readonly state: 'held';
  /** The path of the lock. */
  readonly file: string;
  /** Undefined if its file can't be read, or is being written. */
  readonly owner: LockOwner | undefined;
  /** Says that something else is in the place of the lock, which no waiting ends. */
  readonly obstacle?: Failure | undefined;
}

/** Returns who has a lock, in words: `process 12`, or `another process` where nobody can tell. */
export function lockHolder({ owner }: Pick<Held, 'owner'>): string {
  return owner ? `process ${owner.pid}` : 'another process';
}

/**
 * Returns a hint, and where nobody can tell who has the lock, also what to do should its owner have gone unseen. The lock
 * of a process that lives is nobody's to remove: two would do what one may.
 */
export function lockHint(hint: RemarkText, { file, owner }: Pick<Held, 'file' | 'owner'>): RemarkText {
  return owner ? hint : remark`${hint} If none is running, remove its lock: rm ${shellWord(file)}`;
}

/** The result of trying to take a lock. */
export type LockAttempt =
  | { readonly state: 'acquired'; readonly lock: Lock }
  | Held
  /** No lock file can be made there. */
  | { readonly state: 'unwritable'; readonly error: Error };

/** Details that the owner of a lock may add. */
export interface LockOptions {
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Limits of the waiting in `acquireLock`. */
export interface WaitOptions extends LockOptions {
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
}

/** A lock file as it was read. */
interface Found {
  /** Tells this very lock from any other that has the same path. */
  readonly identity: string;
  readonly owner: LockOwner | undefined;
  /** Last time that it was written, in milliseconds since 1970. */
  readonly written: number;
}

/** More often than a lock can change hands while somebody looks at it once. */
const maxLooks = 100;

/** A lock file says nothing only while its owner writes it, which takes no time: later, its owner died of it. */
const maxWritingMs = 10_000;

/** Pause between two looks at a lock while waiting, in milliseconds. */
const pollingPauseMs = 20;

/** Locks that this process holds, by identity. */
const heldHere = new Set<string>();

/** Start time of this process, once it was read. */
let startedHere: string | undefined;

/**
 * Tries to take an exclusive lock: a file that says who holds it. The lock of a process that is verifiably gone
 * is taken over; that of a living one never is. Its directory must exist.
 *
 * Processes that can't see each other, such as those of two machines or two containers that share a
 * directory, are not kept apart.
 */
export function tryLock(file: string, { details = {} }: LockOptions = {}): LockAttempt {
  for (let looks = 0; looks < maxLooks; looks += 1) {
    const lock = create(file, details);
    if (lock instanceof Error) return { state: 'unwritable', error: lock };
    if (lock) return { state: 'acquired', lock };
    const found = find(file);
    if (found === undefined) continue;
    if (found instanceof Failure) return { state: 'held', file, owner: undefined, obstacle: found };
    if (found instanceof Error) return { state: 'held', file, owner: undefined };
    if (!isAbandoned(found)) return { state: 'held', file, owner: found.owner };
    const removal = removeAbandoned(file, found.identity);
    if (removal) return removal;
  }
  return { state: 'held', file, owner: undefined };
}

/** Returns the living process that holds a lock, or undefined if there is none, or nobody can tell. */
export function lockOwner(file: string): LockOwner | undefined {
  const found = find(file);
  return found === undefined || found instanceof Error || isAbandoned(found) ? undefined : found.owner;
}

/**
 * Takes an exclusive lock as `tryLock` does, waiting for its owner to release it. Returns its owner once the
 * time is over or the signal came.
 */
export async function acquireLock(
  file: string,
  { timeout, signal, details }: WaitOptions,
): Promise<LockAttempt> {
  const end = performance.now() + timeout;
  for (;;) {
    const attempt = tryLock(file, details ? { details } : {});
    if (attempt.state !== 'held' || attempt.obstacle || signal?.aborted || performance.now() >= end)
      return attempt;
    await systemClock.sleep(pollingPauseMs * (0.5 + systemClock.random()));
  }
}

/** Returns undefined if the file is there already, and the error where it can't be made. */
function create(file: string, details: LockOptions['details']): Lock | Error | undefined {
  const identity = randomUUID();
  startedHere ??= processOf(process.pid)?.started;
  const content = (more: LockOptions['details']): string =>
    `${JSON.stringify({ identity, pid: process.pid, started: startedHere, details: more })}\n`;
  try {
    writeFileSync(file, content(details), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return undefined;
    // A disk that is full takes the name and not the words.
    if (errorCode(error) === 'ENOSPC') rmSync(file, { force: true });
    return asError(error);
  }
  // A process that was stopped in the middle of writing may have been taken for dead.
  if (!isOurs(file, identity)) return undefined;
  heldHere.add(identity);
  return {
    describe(more) {
      if (!isOurs(file, identity)) return;
      const temporary = `${file}.${identity}`;
      writeFileSync(temporary, content(more), { mode: 0o600 });
      renameSync(temporary, file);
    },
    release() {
      heldHere.delete(identity);
      if (isOurs(file, identity)) rmSync(file, { force: true });
    },
  };
}

/**
 * Removes the lock of a process that is gone. The right to remove this very lock is itself a lock, so that
 * no two take it for abandoned and the slower one removes the lock of the faster. Returns undefined if
 * the lock can be tried again.
 */
function removeAbandoned(file: string, identity: string): LockAttempt | undefined {
  const claim = tryLock(`${file}.${identity}`);
  // Who is just taking it over is the owner to be.
  if (claim.state !== 'acquired') return claim;
  try {
    if (isOurs(file, identity)) rmSync(file, { force: true });
    return undefined;
  } catch (error) {
    return { state: 'unwritable', error: asError(error) };
  } finally {
    claim.lock.release();
  }
}

function isOurs(file: string, identity: string): boolean {
  const found = find(file);
  return found !== undefined && !(found instanceof Error) && found.identity === identity;
}

/** Returns undefined if there is no lock file, a failure if it is none, and the error where it can't be read. */
function find(file: string): Found | Failure | Error | undefined {
  try {
    // The link itself: what it leads to is not a lock, and may not be there.
    const found = lstatSync(file);
    if (!found.isFile()) return notALock(file, kindOf(found));
    const content = parse(readOwnText(file));
    const { ino, mtimeMs } = found;
    return {
      identity: content?.identity ?? `unreadable-${ino}-${Math.trunc(mtimeMs)}`,
      owner: content?.owner,
      written: mtimeMs,
    };
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? undefined : asError(error);
  }
}

function notALock(file: string, kind: string): Failure {
  return new Failure('invalidInput', `${file} has to be a lock that botctl makes, and is ${kind}.`, {
    hint: `Look who made it, and remove it: rm -r ${shellWord(file)}`,
  });
}

function parse(text: string): { identity: string; owner: LockOwner } | undefined {
  const value = parseJson(text);
  if (!isObject(value)) return undefined;
  const { identity, pid, started, details } = value;
  if (typeof identity !== 'string' || !/^[\w-]{1,64}$/.test(identity)) return undefined;
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid < 1) return undefined;
  const owner = {
    pid,
    started: textOf(started),
    details: isObject(details) ? details : {},
  };
  return { identity, owner };
}

function isAbandoned({ identity, owner, written }: Found): boolean {
  // Another machine's clock may have dated it in the future.
  if (!owner) return Math.abs(Date.now() - written) > maxWritingMs;
  if (!isAlive(owner.pid)) return true;
  const now = processOf(owner.pid);
  if (now?.isDead) return true;
  // Another process has the number now. In a container the first process always has the same one.
  if (owner.started !== undefined && now) return now.started !== owner.started;
  return owner.pid === process.pid && !heldHere.has(identity);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of somebody else may not be signalled, but it lives.
    return errorCode(error) !== 'ESRCH';
  }
}

/** Returns the state and start time that Linux gives of a process, or undefined elsewhere, and if they may not be read. */
function processOf(pid: number): { started: string; isDead: boolean } | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    // proc(5): what follows the name, which may hold anything, begins with field 3, the state; 22 is the start.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    // A zombie is there only because nobody has asked how it ended.
    return { started: `${boot}/${fields[19]}`, isDead: ['Z', 'X'].includes(fields[0] ?? '') };
  } catch {
    return undefined;
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
