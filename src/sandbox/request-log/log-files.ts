import { readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { errorCode } from '../../lib/errors.ts';
import { AppendLog, logText } from '../../lib/files/append-log.ts';
import { makePrivateDirectory } from '../../lib/files/private-file.ts';
import { parseJson } from '../../lib/json-object.ts';
import { Arrivals, type FeedPage, type FeedQuery } from '../feed.ts';
import { type LoggedRequest, loggedRequest, type RequestLog } from './request-log.ts';

/** Maximum number of log files: the oldest is removed as a whole when there is no space for more. */
const parts = 4;

/** The beginning of each row, followed by its time of fixed length. */
const beginning = '{"time":"';
const timeLength = '2026-01-01T00:00:00.000Z'.length;

/** Bytes of disk space that the log leaves free for the database and uploaded files. */
const leastFree = 8 * 1024 * 1024;

/** A position in the log: the number of a file, and the offset in bytes. */
interface Place {
  readonly number: number;
  readonly offset: number;
}

/** A line of the log, with its position and that of the next line. */
interface Line {
  /** One character per byte. */
  readonly text: string;
  readonly start: Place;
  readonly end: Place;
}

export interface LogFilesOptions {
  /** Maximum bytes of all files together. */
  readonly size: number;
  /** Called once when rows can't be stored, until they can be again. */
  readonly onError: (error: unknown) => void;
  /** Returns the free bytes on the disk; those reported by the system if not given. */
  readonly freeSpace?: () => number;
}

/**
 * A request log in a directory, readable only by this user: numbered files with a line of JSON per row. The remainder
 * of a row that was being written when the process died is dropped. If the log can't be written, the service continues
 * and rows are lost.
 */
export class LogFiles implements RequestLog {
  readonly #directory: string;
  readonly #options: Required<LogFilesOptions>;
  readonly #arrivals = new Arrivals();
  /** The size of each file by its number, oldest first. */
  readonly #sizes = new Map<number, number>();
  /** The newest file, if it is open. */
  #newest: AppendLog | undefined;
  #isFailing = false;

  constructor(directory: string, options: LogFilesOptions) {
    this.#directory = directory;
    this.#options = { freeSpace: () => freeSpaceOf(directory), ...options };
    this.#attempt(() => {
      makePrivateDirectory(directory);
      this.#takeStock();
    });
  }

  async append(row: LoggedRequest): Promise<void> {
    this.#attempt(() => this.#write(row));
    this.#arrivals.announce();
  }

  arrival(signal: AbortSignal): Promise<void> {
    return this.#arrivals.next(signal);
  }

  async read({ after, last, since, limit }: FeedQuery): Promise<FeedPage<LoggedRequest>> {
    const earliest = since?.toISOString();
    let place = after === undefined ? await this.#begin(last, earliest) : placeOf(after);
    const rows: LoggedRequest[] = [];
    for await (const { text, end } of this.#lines(place)) {
      place = end;
      if (isWanted(text, earliest)) rows.push(...rowIn(text));
      if (rows.length >= limit) break;
    }
    return { rows, cursor: `${place.number}:${place.offset}`, more: rows.length >= limit };
  }

  close(): void {
    this.#newest?.close();
    this.#newest = undefined;
  }

  /** Does work that the disk may refuse, and reports the first refusal. */
  #attempt(act: () => void): void {
    try {
      act();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#options.onError(error);
      this.#isFailing = true;
    }
  }

  #path(number: number): string {
    return join(this.#directory, `${String(number).padStart(6, '0')}.ndjson`);
  }

  #takeStock(): void {
    const numbers = readdirSync(this.#directory).flatMap(
      (name) => /^(\d{6,12})\.ndjson$/.exec(name)?.[1] ?? [],
    );
    for (const number of numbers.map(Number).sort((one, other) => one - other))
      this.#sizes.set(number, statSync(this.#path(number)).size);
    if (this.#sizes.size > 0) this.#openFile(this.#last().number);
    this.#makeRoom(0);
  }

  /** Returns the number of the newest file, and its size. */
  #last(): { readonly number: number; readonly size: number } {
    const [number, size] = [...this.#sizes].at(-1) ?? [1, 0];
    return { number, size };
  }

  /** Opens a file for appending; drops an incomplete last row. */
  #openFile(number: number): AppendLog {
    makePrivateDirectory(this.#directory);
    const file = AppendLog.open(this.#path(number));
    try {
      file.cutTornLine();
      this.#sizes.set(number, statSync(this.#path(number)).size);
    } catch (error) {
      file.close();
      throw error;
    }
    this.#newest = file;
    return file;
  }

  #write(row: LoggedRequest): void {
    if (this.#options.freeSpace() < leastFree) throw new Error('the disk is full: less than 8 MiB is left');
    const length = Buffer.byteLength(logText([row]));
    this.#fileFor(length).append(row);
    const { number, size } = this.#last();
    this.#sizes.set(number, size + length);
  }

  /** Returns the open file with space for a row. */
  #fileFor(length: number): AppendLog {
    const { number, size } = this.#last();
    const isFull = size > 0 && size + length > this.#options.size / parts;
    if (!isFull && this.#newest) return this.#newest;
    this.close();
    if (!isFull) return this.#openFile(number);
    this.#makeRoom(this.#options.size / parts);
    return this.#openFile(number + 1);
  }

  /** Removes the oldest files until the given bytes can be added. The newest stays. */
  #makeRoom(bytes: number): void {
    let total = [...this.#sizes.values()].reduce((sum, size) => sum + size, 0);
    for (const [number, size] of this.#sizes) {
      if (total + bytes <= this.#options.size || number === this.#last().number) return;
      rmSync(this.#path(number), { force: true });
      this.#sizes.delete(number);
      total -= size;
    }
  }

  /** Yields the lines from a position on, or from the oldest remaining one after it. Later additions are not included. */
  async *#lines(from: Place): AsyncGenerator<Line> {
    for (const [number, size] of [...this.#sizes]) {
      if (number < from.number) continue;
      let offset = number === from.number ? from.offset : 0;
      if (offset >= size) continue;
      const file = await open(this.#path(number)).catch((error: unknown) => {
        // It was removed in the meantime.
        if (errorCode(error) !== 'ENOENT') throw error;
      });
      try {
        const options = { start: offset, end: size - 1, encoding: 'latin1' } as const;
        for await (const text of file?.readLines(options) ?? []) {
          const start = { number, offset };
          offset += text.length + 1;
          yield { text, start, end: { number, offset } };
        }
      } finally {
        await file?.close();
      }
    }
  }

  /** Returns the position of the oldest row, or the one from which the given number of matching rows remain. */
  async #begin(last: number | undefined, earliest: string | undefined): Promise<Place> {
    const oldest = { number: 0, offset: 0 };
    if (last === undefined) return oldest;
    const wanted: Place[] = [];
    for await (const { text, start } of this.#lines(oldest)) if (isWanted(text, earliest)) wanted.push(start);
    return wanted.at(-last) ?? oldest;
  }
}

/**
 * Returns the bytes that this user may still write to the disk of a directory; Infinity if the system doesn't report
 * it.
 */
function freeSpaceOf(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Returns whether a line begins like a row and is not too early. */
function isWanted(text: string, earliest = ''): boolean {
  const time = text.slice(beginning.length, beginning.length + timeLength);
  return text.startsWith(beginning) && time >= earliest;
}

/** Parses the row of a line; returns none for the remainder left by a power cut. */
function rowIn(text: string): readonly LoggedRequest[] {
  const { data } = z.safeParse(loggedRequest, parseJson(Buffer.from(text, 'latin1').toString()));
  return data ? [data] : [];
}

function placeOf(cursor: string): Place {
  const [number, offset] = cursor.split(':').map(Number);
  return { number: number || 0, offset: offset || 0 };
}
