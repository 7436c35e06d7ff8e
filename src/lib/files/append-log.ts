import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fdatasync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { coalesceRuns } from '../coalesce-runs.ts';
import { errorCode, Failure } from '../errors.ts';
import { parseJson } from '../json-object.ts';
import { syncDirectory, writeFileAtomically } from './atomic-write.ts';
import { withLock } from './lock.ts';
import { makePrivateDirectory, privateFile } from './private-file.ts';
import { fileKind, readOwnFile, readOwnText, UnreadableFile } from './read-file.ts';

const fdatasyncAsync = promisify(fdatasync);

const lineFeed = 0x0a;

/** `new` fails with `EEXIST` if the file exists, `existing` with `ENOENT` if it doesn't. */
type LogMode = 'new' | 'existing' | 'either';

/**
 * An append-only file of JSON lines, with mode 0600. A record is appended completely or not at all. A crash can still
 * truncate the last line: readers skip it, and the next record starts on a new line.
 */
export class AppendLog {
  readonly #path: string;
  #descriptor: number | undefined;
  #isNew: boolean;
  readonly #flushing = coalesceRuns(async () => {
    await fdatasyncAsync(this.#open());
    // A new file name also has to survive a power cut.
    if (this.#isNew) syncDirectory(dirname(this.#path));
    this.#isNew = false;
  });

  private constructor(path: string, descriptor: number, isNew: boolean) {
    this.#path = path;
    this.#descriptor = descriptor;
    this.#isNew = isNew;
  }

  /**
   * Opens a log, and restricts it to its owner. The directory must exist.
   * @throws the file system's error, and UnreadableFile if the path is not a regular file
   */
  static open(path: string, mode: LogMode = 'either'): AppendLog {
    const creation = { new: constants.O_CREAT | constants.O_EXCL, existing: 0, either: constants.O_CREAT };
    // Also opened for reading, and non-blocking, so that a pipe can't block the process.
    const flags = constants.O_RDWR | constants.O_APPEND | (constants.O_NONBLOCK ?? 0) | creation[mode];
    const descriptor = openSync(path, flags, privateFile);
    try {
      const found = fstatSync(descriptor);
      if (!found.isFile())
        throw new UnreadableFile('ENOTREGULAR', `it is ${fileKind(found)}, not a regular file`);
      fchmodSync(descriptor, privateFile);
      return new AppendLog(path, descriptor, found.size === 0);
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }

  /** Returns the text of the file. */
  read(): string {
    return readOwnText(this.#path);
  }

  /**
   * Appends records, all of them or none. They are only on the disk after `flush`.
   * @throws the file system's error
   */
  append(...records: readonly unknown[]): void {
    const descriptor = this.#open();
    const { size } = fstatSync(descriptor);
    const start = endsWithLineFeed(descriptor, size) ? '' : '\n';
    const bytes = Buffer.from(start + logText(records));
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(descriptor, bytes, written);
    } catch (error) {
      // Removes the part written before the error, unless another process has appended since.
      if (fstatSync(descriptor).size === size + written) ftruncateSync(descriptor, size);
      throw error;
    }
  }

  /**
   * Waits until everything appended so far is on the disk. Concurrent callers share one wait.
   * @throws the file system's error
   */
  flush(): Promise<void> {
    return this.#flushing();
  }

  /** Removes a last line without line end, which a crash has truncated. */
  cutTornLine(): void {
    const whole = readOwnFile(this.#path).lastIndexOf(lineFeed) + 1;
    const descriptor = this.#open();
    if (fstatSync(descriptor).size > whole) ftruncateSync(descriptor, whole);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  /** Returns the descriptor. A closed one might already refer to another file. */
  #open(): number {
    if (this.#descriptor === undefined) throw new Error('the log is closed');
    return this.#descriptor;
  }
}

/** A non-empty line of a log. */
export interface LogLine {
  /** Starts at 1. */
  readonly number: number;
  /** Undefined if it is not JSON. */
  readonly value: unknown;
}

/**
 * Returns the lines of a log.
 * @param isRelevant skips lines by their text, which is faster than parsing them
 */
export function* logLines(text: string, isRelevant = (_line: string): boolean => true): Generator<LogLine> {
  let number = 0;
  for (const line of text.split('\n')) {
    number += 1;
    if (line.trim() !== '' && isRelevant(line)) yield { number, value: parseJson(line) };
  }
}

/** Formats records as text of a log. */
export function logText(records: readonly unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** A change to a log that several processes write. */
export interface LogChange {
  /** Returns the records to append, given the text of the log. */
  readonly records?: (text: string) => readonly unknown[];
  /**
   * Returns a shorter text with the same meaning, or undefined to leave the log unchanged. Only called while no other
   * process can append.
   */
  readonly compact?: (text: string) => string | undefined;
  /** Waits until the records are on the disk, so that they survive a power cut. */
  readonly isSynced?: boolean;
}

/**
 * Milliseconds to wait for another process. After that, records are appended without the lock: each append is atomic.
 */
const lockTimeoutMs = 5_000;

/**
 * Changes a log while it is locked. Creates the file and its directory if they are missing.
 * @param signal ends the wait for another process; the records are still appended
 * @returns false if the file system refuses
 * @throws the errors of the change's functions, and a failure if another process took over the lock and nothing was
 * appended
 */
export async function changeLog(
  path: string,
  signal: AbortSignal | undefined,
  { records = () => [], compact = () => undefined, isSynced = false }: LogChange,
): Promise<boolean> {
  let isAlone = true;
  const onHeld = (): void => {
    isAlone = false;
  };
  try {
    makePrivateDirectory(dirname(path));
    await withLock(`${path}.lock`, { timeout: lockTimeoutMs, signal, onHeld }, async (check) => {
      const read = (): string => (existsSync(path) ? readOwnText(path) : '');
      const added = records(read());
      if (added.length > 0) await appendTo(path, added, isSynced);
      const text = isAlone ? compact(read()) : undefined;
      if (text === undefined) return;
      try {
        writeFileAtomically(path, text, { check });
      } catch (error) {
        // The records are stored; the log is only longer than necessary.
        const isExpected = errorCode(error) !== undefined || error instanceof Failure;
        if (added.length === 0 || !isExpected) throw error;
      }
    });
    return true;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

async function appendTo(path: string, records: readonly unknown[], isSynced: boolean): Promise<void> {
  const log = AppendLog.open(path);
  try {
    log.append(...records);
    if (isSynced) await log.flush();
  } finally {
    log.close();
  }
}

function endsWithLineFeed(descriptor: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return size === 0 || (readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] === lineFeed);
}
