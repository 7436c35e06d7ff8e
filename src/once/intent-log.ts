import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { errorCode, Failure, messageOf } from '../lib/errors.ts';
import { AppendLog, logLines } from '../lib/files/append-log.ts';
import { writeFileAtomically } from '../lib/files/atomic-write.ts';
import { type Lock, type LockRequest, requireLock, tryLock } from '../lib/files/lock.ts';
import { makePrivateDirectory } from '../lib/files/private-file.ts';
import { isObject } from '../lib/json-object.ts';
import { shellWord } from '../lib/text/quote.ts';
import { type RemarkText, remark } from '../lib/text/remark.ts';
import { fileHash, readIfExists } from '../settings/small-files.ts';

/** A call that is about to be made and can't be undone. */
export interface Intent<T> {
  readonly key: string;
  /** Milliseconds since 1970, by this machine's clock. */
  readonly at: number;
  /** The data needed to find out later whether the call took effect. */
  readonly details: T;
}

/** Options of an intent log. */
export interface IntentLogOptions<T> {
  /** The directory of its files, not used for anything else. */
  readonly directory: string;
  /** Parses the details of an intent; returns undefined if they are not valid. */
  readonly parse: (details: unknown) => T | undefined;
  /** Called once if the log can't be written: after a crash the next run can't find out what this one did. */
  readonly onUnwritable: (failure: Failure) => void;
}

/** The file of one run. */
interface RunFile {
  readonly file: string;
  readonly log: AppendLog;
  readonly lock: Lock | undefined;
  /** The keys of its intents without outcome. */
  readonly open: Set<string>;
}

const extension = '.ndjson';

/** The file with the time at which a run last ended, in milliseconds since 1970. */
const lastEndFile = 'ended';

/** A lock on a named thing that other runs on this machine respect. */
export interface Claim {
  /** True if another run held the lock, so that this one waited. */
  readonly hasWaited: boolean;
  release(): void;
}

/**
 * A write-ahead log of calls. Each intent is on the disk before its call is made, and its outcome is appended after. A
 * run that was killed leaves intents without outcome, which the next run reads here. Each run writes a file of its own
 * and holds its lock, so that concurrent runs don't interfere; the next run takes over the files of dead runs.
 */
export class IntentLog<T> {
  /** The intents of earlier runs without outcome, by key, oldest first. */
  readonly #unresolved: Map<string, Intent<T>>;
  readonly #directory: string;
  readonly #earlier: readonly RunFile[];
  #own: RunFile | undefined;
  readonly #onUnwritable: IntentLogOptions<T>['onUnwritable'];
  /** The locks claimed by this run. */
  readonly #claims = new Set<Lock>();
  #isUnwritable = false;

  private constructor(
    { directory, onUnwritable }: IntentLogOptions<T>,
    earlier: readonly RunFile[],
    unresolved: readonly Intent<T>[],
  ) {
    this.#directory = directory;
    this.#onUnwritable = onUnwritable;
    this.#earlier = earlier;
    this.#unresolved = new Map(oldestFirst(unresolved).map((intent) => [intent.key, intent]));
  }

  /**
   * Opens an intent log, and takes over the files of dead runs. Creates no file.
   * @throws Failure `invalidInput` if a file is damaged or can't be read
   */
  static open<T>(options: IntentLogOptions<T>): IntentLog<T> {
    const earlier: RunFile[] = [];
    const unresolved: Intent<T>[] = [];
    try {
      for (const file of filesIn(options.directory)) {
        const attempt = tryLock(`${file}.lock`);
        if (attempt.state === 'held' && attempt.obstacle) throw attempt.obstacle;
        // The run is still active; or the directory is not writable, which `begin` reports.
        if (attempt.state !== 'acquired') continue;
        const log = openEarlier(file, attempt.lock);
        if (!log) continue;
        const run = { file, log, lock: attempt.lock, open: new Set<string>() };
        earlier.push(run);
        for (const intent of openIntents(file, () => log.read(), options.parse)) {
          unresolved.push(intent);
          run.open.add(intent.key);
        }
        log.cutTornLine();
      }
      return new IntentLog(options, earlier, unresolved);
    } catch (error) {
      for (const { log, lock } of earlier) {
        log.close();
        lock?.release();
      }
      throw error;
    }
  }

  /**
   * Returns the intents without outcome of all runs, including active ones, oldest first. Takes over and writes
   * nothing.
   * @throws Failure `invalidInput` if a file is damaged or can't be read
   */
  static read<T>({
    directory,
    parse,
  }: Pick<IntentLogOptions<T>, 'directory' | 'parse'>): readonly Intent<T>[] {
    // A run that ends meanwhile removes its file.
    const read = (file: string): string => readIfExists(file) ?? '';
    return oldestFirst(filesIn(directory).flatMap((file) => openIntents(file, () => read(file), parse)));
  }

  /** The intents of earlier runs without outcome, oldest first. */
  get unresolved(): readonly Intent<T>[] {
    return [...this.#unresolved.values()];
  }

  /** True while intents can be written, so that a later run would find them. */
  get isWritable(): boolean {
    return !this.#isUnwritable;
  }

  /**
   * Writes an intent. Resolves once it is on the disk, or if the log can't be written.
   * @throws Failure if another process has taken over a lock of this run: it may be doing the same work
   */
  async begin(details: T, at: number): Promise<Intent<T>> {
    for (const { lock } of this.#runs()) lock?.check();
    for (const lock of this.#claims) lock.check();
    const intent = { key: randomUUID(), at, details };
    if (this.#isUnwritable) return intent;
    try {
      this.#own ??= this.#openOwn();
      const { open, log } = this.#own;
      open.add(intent.key);
      log.append({ begin: intent });
      await log.flush();
    } catch (error) {
      if (!this.#isUnwritable) this.#onUnwritable(writeFailure(this.#directory, error));
      this.#isUnwritable = true;
    }
    return intent;
  }

  /**
   * Records that an intent of this run or an earlier one has an outcome. Does not wait for the disk: if a power cut
   * loses the record, the next run finds the outcome again.
   */
  end({ key }: Intent<T>): void {
    this.#unresolved.delete(key);
    const run = this.#runs().find(({ open }) => open.delete(key));
    try {
      run?.log.append({ end: key });
    } catch {
      // The disk is full: the next run looks again, and finds the outcome.
    }
  }

  /**
   * Locks a thing for this run, waiting for other runs on this machine. Has no effect if no lock can be written.
   * @param busy what the holder is doing: `menu.txt is being uploaded`
   * @param signal ends the wait; its reason is thrown
   * @param onWait called with a sentence about the holder before the wait
   */
  async claim(
    thing: string,
    { busy, signal, onWait }: Required<Pick<LockRequest, 'busy' | 'signal' | 'onWait'>>,
  ): Promise<Claim> {
    const file = join(this.#directory, `${fileHash(thing)}.lock`);
    let hasWaited = false;
    const report = (words: RemarkText): void => {
      hasWaited = true;
      onWait(words);
    };
    try {
      makePrivateDirectory(this.#directory);
      const request = { busy, hint: '', timeout: Infinity, signal, onWait: report };
      const lock = await requireLock(file, request);
      this.#claims.add(lock);
      return { hasWaited, release: () => this.#claims.delete(lock) && lock.release() };
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      return { hasWaited, release: () => undefined };
    }
  }

  /**
   * Returns true if another run is active, or has ended since, so that an earlier lookup may be outdated.
   * @param since the time of the lookup, in milliseconds since 1970 by this machine's clock
   */
  hasOtherRuns(since: number): boolean {
    const known = new Set(this.#runs().map(({ file }) => file));
    if (filesIn(this.#directory).some((file) => !known.has(file))) return true;
    const ended = readIfExists(join(this.#directory, lastEndFile));
    return ended !== undefined && Number(ended) >= since;
  }

  /** Removes the files without open intents, and leaves the others to the next run. */
  close(): void {
    try {
      // Written before the run's file is removed, so that other runs notice at least one of the two.
      if (this.#own)
        writeFileAtomically(join(this.#directory, lastEndFile), String(Date.now()), { sync: false });
    } catch {}
    for (const { file, log, lock, open } of this.#runs()) {
      log.close();
      try {
        if (open.size === 0) rmSync(file, { force: true });
      } catch {
        // The next run tries again.
      }
      lock?.release();
    }
  }

  #runs(): readonly RunFile[] {
    return this.#own ? [this.#own, ...this.#earlier] : this.#earlier;
  }

  #openOwn(): RunFile {
    makePrivateDirectory(this.#directory);
    const file = join(this.#directory, `${randomUUID()}${extension}`);
    const attempt = tryLock(`${file}.lock`);
    if (attempt.state === 'unwritable') throw attempt.error;
    const lock = attempt.state === 'acquired' ? attempt.lock : undefined;
    try {
      return { file, lock, log: AppendLog.open(file, 'new'), open: new Set() };
    } catch (error) {
      lock?.release();
      throw error;
    }
  }
}

function filesIn(directory: string): readonly string[] {
  try {
    const names = readdirSync(directory).filter((name) => name.endsWith(extension));
    return names.toSorted().map((name) => join(directory, name));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return [];
    throw readFailure(directory, messageOf(error));
  }
}

/** Opens the file of a dead run. If it was removed meanwhile, releases the lock and returns undefined. */
function openEarlier(file: string, lock: Lock): AppendLog | undefined {
  try {
    return AppendLog.open(file, 'existing');
  } catch (error) {
    lock.release();
    if (errorCode(error) === 'ENOENT') return undefined;
    throw readFailure(file, messageOf(error));
  }
}

/** Returns the intents of a file without outcome. A line truncated by a crash was never acted on. */
function openIntents<T>(
  file: string,
  read: () => string,
  parse: IntentLogOptions<T>['parse'],
): readonly Intent<T>[] {
  const text = textOf(file, read);
  const open = new Map<string, Intent<T>>();
  for (const { number, value } of logLines(text.slice(0, text.lastIndexOf('\n') + 1))) {
    const { begin, end } = isObject(value) ? value : {};
    const intent = intentOf(begin, parse);
    if (typeof end === 'string') open.delete(end);
    else if (intent) open.set(intent.key, intent);
    else throw readFailure(file, `line ${number} is not valid`);
  }
  return [...open.values()];
}

function intentOf<T>(value: unknown, parse: IntentLogOptions<T>['parse']): Intent<T> | undefined {
  if (!isObject(value) || typeof value.key !== 'string' || typeof value.at !== 'number') return undefined;
  const details = parse(value.details);
  return details === undefined ? undefined : { key: value.key, at: value.at, details };
}

function textOf(file: string, read: () => string): string {
  try {
    return read();
  } catch (error) {
    throw readFailure(file, messageOf(error));
  }
}

function oldestFirst<T>(intents: readonly Intent<T>[]): readonly Intent<T>[] {
  return intents.toSorted((one, other) => one.at - other.at);
}

function readFailure(file: string, why: string): Failure {
  return new Failure('invalidInput', `The journal ${basename(file)} can't be read: ${why}.`, {
    hint: remark`It records what an earlier run may have done. Check the service, then remove it: rm ${shellWord(file)}`,
  });
}

function writeFailure(directory: string, error: unknown): Failure {
  return new Failure('invalidInput', `Can't write to ${directory}: ${messageOf(error)}.`, { cause: error });
}
