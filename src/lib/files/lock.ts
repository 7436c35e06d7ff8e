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
  /** True if the process can't be seen from here: it runs in another container, or on another machine. */
  readonly isRemote: boolean;
}

/** A lock that is held here. */
export interface Lock {
  /** Aborted with a failure once the lock is found lost. */
  readonly lost: AbortSignal;
  /**
   * Checks that the lock is still held, and renews it. Call it before each write that the lock protects: a process that
   * stood still for a while may have lost it to one of another container.
   * @throws Failure `network` if another process has taken the lock over, or its file was removed
   */
  check(): void;
  /** Removes the lock file, unless it is somebody else's by now. */
  release(): void;
}

/** A lock that somebody else has. */
export interface HeldLock {
  readonly state: 'held';
  /** The path of the lock. */
  readonly file: string;
  /** Undefined if its file can't be read, or is being written. */
  readonly owner: LockOwner | undefined;
  /** Says that something else is in the place of the lock, which no waiting ends. */
  readonly obstacle?: Failure | undefined;
}

/** Returns the holder of a lock in words: `process 12`, or `another process` if the lock doesn't say. */
export function lockHolder({ owner }: Pick<HeldLock, 'owner'>): string {
  if (!owner) return 'another process';
  return `process ${owner.pid}${owner.isRemote ? ' of another container or machine' : ''}`;
}

/**
 * Adds to a hint what to do if the holder is gone and its lock was left. The lock of a process that is verified to live is
 * not to be removed: two would write what one may.
 */
export function lockHint(hint: RemarkText, { file, owner }: Pick<HeldLock, 'file' | 'owner'>): RemarkText {
  const removing = remark`remove its lock: rm ${shellWord(file)}`;
  if (!owner) return remark`${hint} If none is running, ${removing}`;
  if (owner.isRemote) {
    const ends = `its lock ${file} ends by itself after ${heartbeatTimeoutMs / 1000} seconds.`;
    return remark`${hint} If that process was killed, ${ends}`;
  }
  if (owner.started !== undefined) return hint;
  return remark`${hint} If ${lockHolder({ owner })} is not botctl, ${removing}`;
}

/** The result of trying to take a lock. */
export type LockAttempt =
  | { readonly state: 'acquired'; readonly lock: Lock }
  | HeldLock
  /** No lock file can be made there. */
  | { readonly state: 'unwritable'; readonly error: Error };

/** How long a lock is waited for. */
interface WaitOptions {
  /** Milliseconds to wait until its owner releases it; none if undefined. */
  readonly timeout?: number;
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
}

/** How `requireLock` acquires a lock. */
export interface LockRequest extends WaitOptions {
  /** What the holder of the lock is doing, in the passive voice: `Key 12 is being rotated`. */
  readonly busy: string;
  /** What to do if the lock is still held. */
  readonly hint: RemarkText;
  /** Is called once with a sentence about the holder, before the lock is waited for. */
  readonly onWait?: (words: RemarkText) => void;
}

/** A lock file as it was read. */
interface LockFile {
  /** Tells this very lock from any other that has the same path. */
  readonly identity: string;
  readonly owner: LockOwner | undefined;
  /** Last time that it was written, in milliseconds since 1970 by the file system's clock. */
  readonly writtenAt: number;
}

/** More often than a lock can change hands while somebody looks at it once. */
const maxAttempts = 100;

/** A lock file says nothing only while its owner writes it, which takes no time: later, its owner died of it. */
const maxWritingMs = 10_000;

/** Pause between two looks at a lock while waiting, in milliseconds. */
const pollingPauseMs = 20;

/** The same for a lock from elsewhere, at which a look writes a file. */
const remotePauseMs = 200;

/** How often the holder touches its lock, in milliseconds. */
const heartbeatMs = 5000;

/** Milliseconds without a heartbeat after which a lock from elsewhere is abandoned. */
const heartbeatTimeoutMs = 20_000;

/** Locks that this process holds, by identity. */
const ownLocks = new Set<string>();

/**
 * Tries to take an exclusive lock: a file that says who holds it. The lock of a process that is verifiably gone
 * is taken over; that of a living one never is. Its directory must exist.
 *
 * Processes of other containers and machines can't be seen. Their locks are held as long as the holder touches them.
 * @param view where this process runs
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
 * Takes an exclusive lock as `tryLock` does, waiting for its owner to release it. Returns its owner if the time is over or the
 * signal is aborted while it waits.
 * @param onWait is called once with the owner, before the lock is waited for
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
 * @throws Failure `invalidInput` if it is still held, such as "Key 12 is being rotated by process 123."; the signal's reason; the file
 *   system's error if no lock file can be made
 */
export async function requireLock(
  file: string,
  { busy, hint, onWait, ...waiting }: LockRequest,
): Promise<Lock> {
  const { signal } = waiting;
  const attempt = await acquireLock(file, waiting, (held) =>
    onWait?.(lockHint(`${busy} by ${lockHolder(held)}; waiting until it has ended.`, held)),
  );
  if (signal?.aborted && attempt.state === 'acquired') attempt.lock.release();
  signal?.throwIfAborted();
  if (attempt.state === 'acquired') return attempt.lock;
  throw attempt.state === 'unwritable' ? attempt.error : heldLockFailure(attempt, { busy, hint });
}

/** Returns the failure for a lock that is held: "Key 12 is being rotated by process 123.". */
export function heldLockFailure(held: HeldLock, { busy, hint }: Pick<LockRequest, 'busy' | 'hint'>): Failure {
  const words = `${busy} by ${lockHolder(held)}.`;
  return held.obstacle ?? new Failure('invalidInput', words, { hint: lockHint(hint, held) });
}

/**
 * Does work while no other process does work under the same lock file. If no lock file can be made, the work is done without
 * it: work that writes a file finds that out itself. Returns the result of the work.
 * @param use `onHeld` is called if the lock is still held after the waiting, or something else is in its place, and may throw;
 *   otherwise the work is done all the same. Without it the signal's reason is thrown, if it is aborted.
 * @param work is given a function to call before each write that replaces a file: it throws a failure if another process has
 *   taken the lock over
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

/** Returns undefined if the file is there already, and the error where it can't be made. */
function createLockFile(file: string, view: string): Lock | Error | undefined {
  const identity = randomUUID();
  const content = { identity, ...thisProcess(), view };
  try {
    writeFileSync(file, `${JSON.stringify(content)}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return undefined;
    // A disk that is full takes the name and not the words.
    if (errorCode(error) === 'ENOSPC') rmSync(file, { force: true });
    return asError(error);
  }
  // A process that was stopped in the middle of writing may have been taken for dead.
  if (!isOurs(file, identity)) return undefined;
  ownLocks.add(identity);
  const loss = new AbortController();
  const check = (): void => {
    // Before and after, since another process may take over a lock that was not touched for long at any moment.
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
 * Removes the lock of a process that is gone. The right to remove this very lock is itself a lock, so that
 * no two take it for abandoned and the slower one removes the lock of the faster. Returns undefined if
 * the lock can be tried again.
 */
function removeAbandoned(file: string, identity: string): LockAttempt | undefined {
  const claim = tryLock(`${file}.${identity}`);
  // Who is just taking it over is the owner to be.
  if (claim.state !== 'acquired') return claim;
  try {
    const found = readLockFile(file);
    // A process elsewhere may have gone on meanwhile, and touched it.
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

/** Returns whether a lock is certainly not ours any more; a file that can't be read for the moment proves nothing. */
function isLost(file: string, identity: string): boolean {
  const found = readLockFile(file);
  if (found instanceof Failure || found === undefined) return true;
  return !(found instanceof Error) && found.identity !== identity;
}

/**
 * Renews the time of a lock file. It is written, with what it begins with already: setting its time would set that of this
 * machine, and a network drive has another.
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
    // The next heartbeat tries again, and `isLost` says whether there is a lock to be touched.
  }
}

function lossFailure(file: string): Failure {
  return new Failure(
    'network',
    `Another process has taken over the lock ${file}, or it was removed. This process writes nothing more.`,
    {
      hint: `A lock is taken over from a process of another container or machine that stood still for ${heartbeatTimeoutMs / 1000} seconds. See what the other process has done, then run it again.`,
    },
  );
}

/** Returns undefined if there is no lock file, a failure if it is none, and the error where it can't be read. */
function readLockFile(file: string): LockFile | Failure | Error | undefined {
  try {
    // The link itself: what it leads to is not a lock, and may not be there.
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
  return new Failure('invalidInput', `${file} has to be a lock that botctl makes, and is ${kind}.`, {
    hint: `Look who made it, and remove it: rm -r ${shellWord(file)}`,
  });
}

/** Returns undefined for anything but what `create` writes, and earlier versions wrote. */
function parseLockFile(text: string): { readonly identity: string; readonly owner: LockOwner } | undefined {
  const value = parseJson(text);
  if (!isObject(value)) return undefined;
  const { identity, pid, started, view } = value;
  if (typeof identity !== 'string' || !/^[\w-]{1,64}$/.test(identity)) return undefined;
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid < 1) return undefined;
  // Earlier versions don't say where they run: their locks are here, as their campaigns are that are imported.
  const isRemote = view !== undefined && view !== processView();
  return { identity, owner: { pid, started: asText(started), isRemote } };
}

function isAbandoned(file: string, { identity, owner, writtenAt }: LockFile): boolean {
  if (!owner) {
    // Dated in the future it is no newer: the clock was set back.
    return Math.abs(fileSystemTime(file) - writtenAt) > maxWritingMs;
  }
  if (owner.isRemote) return fileSystemTime(file) - writtenAt > heartbeatTimeoutMs;
  if (isGone(owner.pid, owner.started)) return true;
  const isVerified = owner.started !== undefined && readProcessState(owner.pid) !== undefined;
  return !isVerified && owner.pid === process.pid && !ownLocks.has(identity);
}

/** Returns the time of the file system beside a file, in milliseconds since 1970: on a network drive another machine's. */
function fileSystemTime(file: string): number {
  const probe = `${file}.${randomUUID()}`;
  try {
    writeFileSync(probe, '', { flag: 'wx', mode: 0o600 });
    const { mtimeMs } = lstatSync(probe);
    rmSync(probe, { force: true });
    return mtimeMs;
  } catch {
    // Where nothing can be written no lock can be taken over either.
    return Date.now();
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
