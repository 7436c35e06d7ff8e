import {
  closeSync,
  fchmodSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { errorCode } from '../../lib/errors.ts';
import { makePrivateDirectory, privateFile } from '../../lib/files/private-file.ts';
import { parseJson } from '../../lib/json-object.ts';
import { Arrivals, type FeedPage, type FeedQuery } from '../feed.ts';
import { type LoggedRequest, loggedRequest, type RequestLog } from './request-log.ts';

/** The parts that the log has, at most: the oldest goes as a whole when there is no room for more. */
const parts = 4;

/** Bytes that are read at once. No row is nearly as long: Node takes heads of up to 16 KiB. */
const readAtOnce = 256 * 1024;

/** Bytes that are looked through for a page, so that one which skips much keeps nobody waiting. */
const lookedThrough = 4 * readAtOnce;

/** Bytes that are written between two looks at the space on the disk. */
const looksAfter = 64 * 1024;

const newline = 0x0a;

/** How each row begins; its time follows, as long as every other. */
const beginning = Buffer.from('{"time":"');
const timeLength = '2026-01-01T00:00:00.000Z'.length;

/** Bytes that the log leaves free for the database and uploaded files. */
const leastFree = 8 * 1024 * 1024;

/** A place in the log: the number of a file, and bytes of it. */
interface Place {
  readonly number: number;
  readonly offset: number;
}

export interface LogFilesOptions {
  /** Bytes that the files may have together. */
  readonly size: number;
  /** Returns the bytes that are free on the disk. */
  readonly freeSpace: () => number;
  /** Told once when rows can't be kept, until they can again. */
  readonly onError: (error: unknown) => void;
}

/**
 * Opens the log that is kept in a directory, for this user only: files of rows, each a line of JSON, with numbers that
 * grow. The rest of a row that was being written when the process died is dropped. A log that can't be written
 * stops nothing: rows are lost then.
 */
export function openLogFiles(directory: string, options: LogFilesOptions): RequestLog {
  return new LogFiles(directory, options);
}

class LogFiles implements RequestLog {
  readonly #directory: string;
  readonly #options: LogFilesOptions;
  readonly #arrivals = new Arrivals();
  /** The size of each file by its number, the oldest first. */
  readonly #sizes = new Map<number, number>();
  /** The newest file, if it is open. */
  #handle: number | undefined;
  #isFailing = false;
  /** Bytes until the space on the disk is looked at again. */
  #untilLook = 0;

  constructor(directory: string, options: LogFilesOptions) {
    this.#directory = directory;
    this.#options = options;
    this.#attempt(() => {
      makePrivateDirectory(directory);
      this.#takeStock();
    });
  }

  async append(row: LoggedRequest): Promise<void> {
    const line = Buffer.from(`${JSON.stringify(row)}\n`);
    this.#attempt(() => this.#write(line));
    this.#arrivals.announce();
  }

  arrival(signal: AbortSignal): Promise<void> {
    return this.#arrivals.next(signal);
  }

  async read({ after, last, since, limit }: FeedQuery): Promise<FeedPage<LoggedRequest>> {
    const earliest = since === undefined ? undefined : Buffer.from(since.toISOString());
    let place = after === undefined ? await this.#begin(last, earliest) : placeOf(after);
    const rows: LoggedRequest[] = [];
    let looked = 0;
    for (;;) {
      const found = this.#from(place);
      if (!found) return { rows, cursor: cursorOf(place), more: false };
      place = found;
      if (rows.length >= limit || looked >= lookedThrough)
        return { rows, cursor: cursorOf(place), more: true };
      const chunk = await this.#chunk(place);
      const end = chunk.lastIndexOf(newline) + 1;
      let at = 0;
      while (at < end && rows.length < limit) {
        const next = chunk.indexOf(newline, at) + 1;
        const row = rowOf(chunk.subarray(at, next - 1), earliest);
        if (row) rows.push(row);
        at = next;
      }
      // A file that was removed, or cut by somebody else, has no more of it.
      const passed = end > 0 ? at : Math.max(chunk.length, readAtOnce);
      looked += passed;
      place = { number: place.number, offset: place.offset + passed };
    }
  }

  close(): void {
    if (this.#handle !== undefined) closeSync(this.#handle);
    this.#handle = undefined;
  }

  /** Does what the disk may refuse, and tells of the first time that it does. */
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
    const newest = this.#newest();
    if (newest !== undefined) this.#openFile(newest);
    this.#makeRoom(0);
  }

  #newest(): number | undefined {
    return [...this.#sizes.keys()].at(-1);
  }

  /** Opens a file to write at its end; half a row that stands there is dropped. */
  #openFile(number: number): number {
    makePrivateDirectory(this.#directory);
    const handle = openSync(this.#path(number), 'a+', privateFile);
    try {
      // The umask may have taken more than it should.
      fchmodSync(handle, privateFile);
      const size = wholeSize(handle, this.#sizes.get(number) ?? 0);
      ftruncateSync(handle, size);
      this.#sizes.set(number, size);
    } catch (error) {
      closeSync(handle);
      throw error;
    }
    this.#handle = handle;
    return handle;
  }

  #write(line: Buffer): void {
    this.#untilLook -= line.length;
    if (this.#untilLook <= 0 || this.#isFailing) {
      if (this.#options.freeSpace() < leastFree)
        throw new Error('the disk is full: less than 8 MiB are left');
      this.#untilLook = looksAfter;
    }
    const handle = this.#fileFor(line.length);
    const number = this.#newest() ?? 0;
    const size = this.#sizes.get(number) ?? 0;
    try {
      let written = 0;
      while (written < line.length) written += writeSync(handle, line, written);
    } catch (error) {
      ftruncateSync(handle, size);
      throw error;
    }
    this.#sizes.set(number, size + line.length);
  }

  /** Returns the open file with room for a row. */
  #fileFor(length: number): number {
    const number = this.#newest() ?? 0;
    const size = this.#sizes.get(number) ?? 0;
    const isFull = size > 0 && size + length > this.#options.size / parts;
    if (!isFull && this.#handle !== undefined) return this.#handle;
    this.close();
    if (!isFull) return this.#openFile(number === 0 ? 1 : number);
    this.#makeRoom(this.#options.size / parts);
    return this.#openFile(number + 1);
  }

  /** Removes the oldest files until so many bytes can be added. The newest stays. */
  #makeRoom(bytes: number): void {
    let total = [...this.#sizes.values()].reduce((sum, size) => sum + size, 0);
    for (const [number, size] of this.#sizes) {
      if (total + bytes <= this.#options.size || number === this.#newest()) return;
      rmSync(this.#path(number), { force: true });
      this.#sizes.delete(number);
      total -= size;
    }
  }

  /** Returns the place from which there is something, or undefined if there is nothing behind it. */
  #from({ number, offset }: Place): Place | undefined {
    if (offset < (this.#sizes.get(number) ?? 0)) return { number, offset };
    for (const [later, size] of this.#sizes)
      if (later > number && size > 0) return { number: later, offset: 0 };
    return undefined;
  }

  /** Returns what is there from a place on, up to `readAtOnce` bytes; nothing if its file is gone meanwhile. */
  async #chunk({ number, offset }: Place): Promise<Buffer> {
    const length = Math.min(readAtOnce, (this.#sizes.get(number) ?? 0) - offset);
    let handle: FileHandle;
    try {
      handle = await open(this.#path(number));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return Buffer.alloc(0);
      throw error;
    }
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  }

  /** Returns the place of the oldest row, or that from which there are so many that aren't too early. */
  async #begin(last: number | undefined, earliest: Buffer | undefined): Promise<Place> {
    const numbers = [...this.#sizes.keys()];
    const oldest = { number: numbers[0] ?? 0, offset: 0 };
    if (last === undefined) return oldest;
    let left = last;
    for (const number of numbers.toReversed()) {
      for (let end = this.#sizes.get(number) ?? 0; end > 0; ) {
        const offset = Math.max(0, end - readAtOnce);
        const chunk = (await this.#chunk({ number, offset })).subarray(0, end - offset);
        let lineEnd = chunk.lastIndexOf(newline);
        while (lineEnd >= 0) {
          const begin = lineEnd === 0 ? 0 : chunk.lastIndexOf(newline, lineEnd - 1) + 1;
          // The rest of this line is in the bytes before.
          if (begin === 0 && offset > 0 && lineEnd + 1 < chunk.length) break;
          if (rowOf(chunk.subarray(begin, lineEnd), earliest)) left -= 1;
          if (left === 0) return { number, offset: offset + begin };
          lineEnd = begin - 1;
        }
        end = offset + lineEnd + 1;
      }
    }
    return oldest;
  }
}

/** Returns the bytes of a file up to the end of its last whole row. */
function wholeSize(handle: number, size: number): number {
  const buffer = Buffer.alloc(readAtOnce);
  for (let end = size; end > 0; ) {
    const offset = Math.max(0, end - readAtOnce);
    const read = readSync(handle, buffer, 0, end - offset, offset);
    const at = buffer.subarray(0, read).lastIndexOf(newline);
    if (at >= 0) return offset + at + 1;
    end = offset;
  }
  return 0;
}

/** Returns the row of a line; undefined if it is too early, or no row, as what a power cut has left. */
function rowOf(line: Buffer, earliest: Buffer | undefined): LoggedRequest | undefined {
  const time = line.subarray(beginning.length, beginning.length + timeLength);
  if (earliest && Buffer.compare(time, earliest) < 0) return undefined;
  return z.safeParse(loggedRequest, parseJson(line.toString())).data;
}

function cursorOf({ number, offset }: Place): string {
  return `${number}:${offset}`;
}

function placeOf(cursor: string): Place {
  const [number, offset] = cursor.split(':').map(Number);
  return { number: number || 0, offset: offset || 0 };
}
