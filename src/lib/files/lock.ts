import { randomUUID } from 'node:crypto';
import { closeSync, lstatSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { systemClock } from '../clock.ts';
import { errorCode, Failure } from '../errors.ts';
import { asText, isObject, parseJson } from '../json-object.ts';
import { isGone, processView, readProcessState, thisProcess } from '../running-process.ts';
import { shellWord } from '../text/quote.ts';
import { type RemarkText, remark } from '../text/remark.ts';
import { fileKind, readOwnText } from './read-file.ts';

/** The process that holds a lock. */
export interface LockOwner {
  readonly pid: number;
  /** Start time of the process in the system's own unit, or undefined if it can't be read. */
  readonly started: string | undefined;
  /** True if the process can't be inspected from here: it runs in another container or on another machine. */
  readonly isRemote: boolean;
}

/** A lock held by this process. */
export interface Lock {
  /** Aborted with a failure once the lock is found to be lost. */
  readonly lost: AbortSignal;
  /**
   * Checks that the lock is still held, and renews it. Call it before each write that the lock protects: a process that
   * was suspended for a while may have lost its lock to a process in another container.
   * @throws Failure `network` if another process has taken over the lock, or its file was removed
   */
  check(): void;
  /** Removes the lock file, unless another process has taken it over. */
  release(): void;
}

/** A lock held by another process. */
export interface HeldLock {
  readonly state: 'held';
  /** The path of the lock. */
  readonly file: string;
  /** Undefined if the lock file can't be read, or is being written. */
  readonly owner: LockOwner | undefined;
  /** The failure if the path is not a lock file, so that waiting is pointless. */
  readonly obstacle?: Failure | undefined;
}

/** Describes the holder of a lock: `process 12`, or `another process` if it is unknown. */
export function lockHolder({ owner }: Pick<HeldLock, 'owner'>): string {
  if (!owner) return 'another process';
  return `process ${owner.pid}${owner.isRemote ? ' of another container or machine' : ''}`;
}

/**
 * Adds to a hint how to remove the lock of a process that no longer runs. The lock of a verified running process must
 * not be removed: two processes would then write concurrently.
 */
export function lockHint(hint: RemarkText, { file, owner }: Pick<HeldLock, 'file' | 'owner'>): RemarkText {
  const removing = remark`remove its lock: rm ${shellWord(file)}`;
  if (!owner) return remark`${hint} If no botctl is running, ${removing}`;
  if (owner.isRemote) {
    const ends = `its lock ${file} expires after ${heartbeatTimeoutMs / 1000} seconds.`;
    return remark`${hint} If that process was killed, ${ends}`;
  }
  if (owner.started !== undefined) return hint;
  return remark`${hint} If ${lockHolder({ owner })} is not botctl, ${removing}`;
}

/** The result of an attempt to acquire a lock. */
export type LockAttempt =
  | { readonly state: 'acquired'; readonly lock: Lock }
  | HeldLock
  /** No lock file can be created there. */
  | { readonly state: 'unwritable'; readonly error: Error };

/** How long to wait for a lock. */
interface WaitOptions {
  /** Milliseconds to wait for the release; no wait if undefined. */
  readonly timeout?: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `requireLock`. */
export interface LockRequest extends WaitOptions {
  /** What the holder of the lock is doing, in the passive voice: `Key 12 is being rotated`. */
  readonly busy: string;
  /** The hint if the lock is still held. */
  readonly hint: RemarkText;
  /** Called once with a sentence about the holder, before waiting. */
  readonly onWait?: (words: RemarkText) => void;
}

/** The content of a lock file. */
interface LockFile {
  /** Distinguishes this lock from any other with the same path. */
  readonly identity: string;
  readonly owner: LockOwner | undefined;
  /** Time of the last write, in milliseconds since 1970 by the file system's clock. */
  readonly writtenAt: number;
}

/** Maximum attempts: more often than a lock can change hands during one attempt. */
const maxAttempts = 100;

/** A lock file is empty only while its owner writes it, which takes no time. After this, its owner must have died. */
const maxWritingMs = 10_000;

/** Pause between two attempts while waiting, in milliseconds. */
const pollingPauseMs = 20;

/** The same for a lock from elsewhere, whose check writes a file. */
const remotePauseMs = 200;

/** Milliseconds between two renewals of a lock by its holder. */
const heartbeatMs = 5000;

/** Milliseconds without a heartbeat after which a lock from elsewhere is abandoned. */
const heartbeatTimeoutMs = 20_000;

/** Locks that this process holds, by identity. */
const ownLocks = new Set<string>();

/**
 * Tries to acquire an exclusive lock: a file that names its holder. The lock of a process that has verifiably ended is
 * taken over; that of a running one never is. Its directory must exist.
 *
 * Processes in other containers and on other machines can't be inspected. Their locks count as held while they are
 * renewed.
 * @param view the namespace of this process: see `processView`
 */
export function tryLock(file: string, view = processView()): LockAttempt {
  for (let looks = 0; looks < maxAttempts; looks += 1) {
    const lock = createLockFile(file, view);
    if (lock instanceof Error) return { state: 'unwritable', error: lock };
    if (lock) return { state: 'acquired', lock };
    const found = readLockFile(file);
    if (found === undefined) continue;
    if (found instanceof Failure) return { state: 'held', file, owner: undefined, obstacle: found };
    if (found instanceof Error) return { state: 'held', file, owner: undefined };
    if (!isAbandoned(file, found)) return { state: 'held', file, owner: found.owner };
    const removal = removeAbandoned(file, found.identity);
    if (removal) return removal;
  }
  return { state: 'held', file, owner: undefined };
}

/**
 * Acquires an exclusive lock as `tryLock`, waiting for its owner to release it. Returns the held lock on timeout or if
 * the signal is aborted.
 * @param onWait called once with the held lock, before waiting
 */
export async function acquireLock(
  file: string,
  { timeout = 0, signal }: WaitOptions,
  onWait?: (held: HeldLock) => void,
): Promise<LockAttempt> {
  const end = performance.now() + timeout;
  for (let tries = 1; ; tries += 1) {
    const attempt = tryLock(file);
    if (attempt.state !== 'held' || attempt.obstacle || signal?.aborted || performance.now() >= end)
      return attempt;
    if (tries === 1) onWait?.(attempt);
    const pauseMs = attempt.owner?.isRemote ? remotePauseMs : pollingPauseMs;
    await systemClock.sleep(pauseMs * (0.5 + systemClock.random()));
    if (signal?.aborted) return attempt;
  }
}

/**
 * Acquires an exclusive lock as `acquireLock` does.
 * @throws Failure `invalidInput` if it is still held, such as "Key 12 is being rotated by process 123."; the signal's
 * reason; the file system's error if no lock file can be created
 */
export async function requireLock(
  file: string,
  { busy, hint, onWait, ...waiting }: LockRequest,
): Promise<Lock> {
  const { signal } = waiting;
  const attempt = await acquireLock(file, waiting, (held) =>
    onWait?.(lockHint(`${busy} by ${lockHolder(held)}; waiting until it has finished.`, held)),
  );
  if (signal?.aborted && attempt.state === 'acquired') attempt.lock.release();
  signal?.throwIfAborted();
  if (attempt.state === 'acquired') return attempt.lock;
  throw attempt.state === 'unwritable' ? attempt.error : heldLockFailure(attempt, { busy, hint });
}

/** Returns the failure for a held lock: "Key 12 is being rotated by process 123.". */
export function heldLockFailure(held: HeldLock, { busy, hint }: Pick<LockRequest, 'busy' | 'hint'>): Failure {
  const words = `${busy} by ${lockHolder(held)}.`;
  return held.obstacle ?? new Failure('invalidInput', words, { hint: lockHint(hint, held) });
}

/**
 * Does work while holding a lock file, and returns its result. If no lock file can be created, the work is done without
 * it: work that writes a file will fail itself.
 * @param use `onHeld` is called if the lock is still held after the wait, or its path is not a lock file. It may throw;
 * otherwise the work is done without the lock. Without `onHeld`, an aborted signal's reason is thrown.
 * @param work gets a function to call before each write that replaces a file: it throws a failure if another process
 * has taken over the lock
 * @throws the signal's reason, and the error of the work
 */
export async function withLock<T>(
  file: string,
  { onHeld, ...waiting }: WaitOptions & { readonly onHeld?: (held: HeldLock) => void },
  work: (check: () => void) => T | Promise<T>,
): Promise<T> {
  const attempt = await acquireLock(file, waiting);
  const lock = attempt.state === 'acquired' ? attempt.lock : undefined;
  try {
    if (attempt.state === 'held') {
      if (onHeld) onHeld(attempt);
      else waiting.signal?.throwIfAborted();
    }
    return await work(() => lock?.check());
  } finally {
    lock?.release();
  }
}

/** Creates the lock file. Returns undefined if the file already exists, and the error if it can't be created. */
function createLockFile(file: string, view: string): Lock | Error | undefined {
  const identity = randomUUID();
  const content = { identity, ...thisProcess(), view };
  try {
    writeFileSync(file, `${JSON.stringify(content)}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return undefined;
    // On a full disk the file is created without content.
    if (errorCode(error) === 'ENOSPC') rmSync(file, { force: true });
    return asError(error);
  }
  // If this process was suspended while writing, another one may have considered it dead and taken over.
  if (!isOurs(file, identity)) return undefined;
  ownLocks.add(identity);
  const loss = new AbortController();
  const check = (): void => {
    // Checked before and after: another process may take over a lock at any moment once it was not renewed for long.
    if (!loss.signal.aborted && !isLost(file, identity)) {
      renewLockFile(file);
      if (!isLost(file, identity)) return;
    }
    loss.abort(loss.signal.reason ?? lossFailure(file));
    throw loss.signal.reason;
  };
  const heartbeat = setInterval(() => {
    try {
      check();
    } catch {
      clearInterval(heartbeat);
    }
  }, heartbeatMs).unref();
  return {
    lost: loss.signal,
    check,
    release() {
      clearInterval(heartbeat);
      ownLocks.delete(identity);
      if (isOurs(file, identity)) rmSync(file, { force: true });
    },
  };
}

/**
 * Removes the lock of a dead process. The right to remove exactly this lock is itself a lock; otherwise, of two
 * processes that find it abandoned, the slower one would remove the new lock of the faster. Returns undefined if the
 * lock can be tried again.
 */
function removeAbandoned(file: string, identity: string): LockAttempt | undefined {
  const claim = tryLock(`${file}.${identity}`);
  // The process that is taking it over will be the owner.
  if (claim.state !== 'acquired') return claim;
  try {
    const found = readLockFile(file);
    // The owner on another machine may have resumed and renewed it meanwhile.
    const isStill = found && !(found instanceof Error) && found.identity === identity;
    if (isStill && isAbandoned(file, found)) rmSync(file, { force: true });
    return undefined;
  } catch (error) {
    return { state: 'unwritable', error: asError(error) };
  } finally {
    claim.lock.release();
  }
}

function isOurs(file: string, identity: string): boolean {
  const found = readLockFile(file);
  return found !== undefined && !(found instanceof Error) && found.identity === identity;
}

/** Returns whether a lock is certainly no longer ours; a file that can't be read at the moment proves nothing. */
function isLost(file: string, identity: string): boolean {
  const found = readLockFile(file);
  if (found instanceof Failure || found === undefined) return true;
  return !(found instanceof Error) && found.identity !== identity;
}

/**
 * Renews the time of a lock file by writing the first character again. Setting the time explicitly would use this
 * machine's clock, and a network drive has another.
 */
function renewLockFile(file: string): void {
  try {
    const handle = openSync(file, 'r+');
    try {
      writeSync(handle, '{', 0);
    } finally {
      closeSync(handle);
    }
  } catch {
    // The next heartbeat tries again, and `isLost` checks whether the lock still exists.
  }
}

function lossFailure(file: string): Failure {
  return new Failure(
    'network',
    `Another process has taken over the lock ${file}, or it was removed. This process has stopped writing.`,
    {
      hint: `A process of another container or machine may take over a lock that was not refreshed for ${heartbeatTimeoutMs / 1000} seconds. Check what the other process has done, then run it again.`,
    },
  );
}

/**
 * Reads a lock file. Returns undefined if it does not exist, a failure if it is not a lock file, and the error if it
 * can't be read.
 */
function readLockFile(file: string): LockFile | Failure | Error | undefined {
  try {
    // Does not follow links: the target is not a lock, and may not exist.
    const found = lstatSync(file);
    if (!found.isFile()) return notALockFailure(file, fileKind(found));
    const content = parseLockFile(readOwnText(file));
    const { ino, mtimeMs } = found;
    return {
      identity: content?.identity ?? `unreadable-${ino}-${Math.trunc(mtimeMs)}`,
      owner: content?.owner,
      writtenAt: mtimeMs,
    };
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? undefined : asError(error);
  }
}

function notALockFailure(file: string, kind: string): Failure {
  return new Failure('invalidInput', `${file} should be a lock file of botctl, but it is ${kind}.`, {
    hint: `Check where it comes from, then remove it: rm -r ${shellWord(file)}`,
  });
}

/** Parses a lock file; returns undefined for any content other than what this or earlier versions write. */
function parseLockFile(text: string): { readonly identity: string; readonly owner: LockOwner } | undefined {
  const value = parseJson(text);
  if (!isObject(value)) return undefined;
  const { identity, pid, started, view } = value;
  if (typeof identity !== 'string' || !/^[\w-]{1,64}$/.test(identity)) return undefined;
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid < 1) return undefined;
  // Earlier versions store no `view`: their locks are on this machine, like the campaigns imported from them.
  const isRemote = view !== undefined && view !== processView();
  return { identity, owner: { pid, started: asText(started), isRemote } };
}

function isAbandoned(file: string, { identity, owner, writtenAt }: LockFile): boolean {
  if (!owner) {
    // A date in the future also counts as old: the clock was set back.
    return Math.abs(fileSystemTime(file) - writtenAt) > maxWritingMs;
  }
  if (owner.isRemote) return fileSystemTime(file) - writtenAt > heartbeatTimeoutMs;
  if (isGone(owner.pid, owner.started)) return true;
  const isVerified = owner.started !== undefined && readProcessState(owner.pid) !== undefined;
  return !isVerified && owner.pid === process.pid && !ownLocks.has(identity);
}

/**
 * Returns the time of the file system at a file, in milliseconds since 1970: a network drive uses another machine's
 * clock.
 */
function fileSystemTime(file: string): number {
  const probe = `${file}.${randomUUID()}`;
  try {
    writeFileSync(probe, '', { flag: 'wx', mode: 0o600 });
    const { mtimeMs } = lstatSync(probe);
    rmSync(probe, { force: true });
    return mtimeMs;
  } catch {
    // If nothing can be written, no lock can be taken over either.
    return Date.now();
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
