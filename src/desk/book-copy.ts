import { existsSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { Failure } from '../lib/errors.ts';
import { changeLog, logLines, logText } from '../lib/files/append-log.ts';
import { asText, isObject, type JsonObject } from '../lib/json-object.ts';
import { ignoreErrors, readIfExists } from '../settings/small-files.ts';

/** A row of the table `book_records`. */
export const bookRow = z.object({
  place: z.number(),
  id: z.uuid(),
  origin: z.string().check(z.maxLength(500)),
  record: z.record(z.string(), z.unknown()),
  at: z.date(),
  actor: z.string().check(z.maxLength(500)),
  host: z.string().check(z.maxLength(500)),
  db_user: z.string(),
});

export type BookRow = z.infer<typeof bookRow>;

/** The last row in a copy. */
export interface CopyEnd {
  /** 0 for an empty copy. */
  readonly place: number;
  readonly id: string | undefined;
}

/**
 * This machine's copy of the device book of a desk: `book.ndjson` in a directory, with a line for each row of the
 * database, ordered by place. The file's modification time is the time when the database was last read.
 * @param signal aborts the wait for another process that writes it
 */
export class BookCopy {
  readonly file: string;
  readonly #signal: AbortSignal | undefined;
  #read: { readonly version: string; readonly text: string; readonly end: CopyEnd } | undefined;

  constructor(directory: string, signal?: AbortSignal) {
    this.file = join(directory, 'book.ndjson');
    this.#signal = signal;
  }

  /** Returns its lines: records of the device book, each with its place and its author. */
  text(): string {
    return this.#current().text;
  }

  end(): CopyEnd {
    return this.#current().end;
  }

  /** Returns when the database was last read, in milliseconds since 1970; undefined if there is no copy. */
  copiedAt(): number | undefined {
    return ignoreErrors(() => statSync(this.file).mtimeMs);
  }

  /**
   * Appends the rows that it does not have yet.
   * @throws Failure `invalidInput` if the file can't be written: an outdated copy must not be taken for the device book
   */
  async append(rows: readonly BookRow[], now: number): Promise<void> {
    const isNew = rows.length > 0 || !existsSync(this.file);
    const isWritten =
      !isNew ||
      (await changeLog(this.file, this.#signal, {
        records: (text) => {
          const { place } = endOf(text);
          return rows.filter((row) => row.place > place).map(copyLine);
        },
      }));
    if (!isWritten) throw this.#unwritable();
    ignoreErrors(() => utimesSync(this.file, new Date(now), new Date(now)));
  }

  /**
   * Replaces its lines, unless another process is writing it.
   * @throws Failure as `append`
   */
  async replace(rows: readonly BookRow[]): Promise<void> {
    const compact = (): string => logText(rows.map(copyLine));
    if (!(await changeLog(this.file, this.#signal, { compact }))) throw this.#unwritable();
  }

  #unwritable(): Failure {
    return new Failure(
      'invalidInput',
      `The copy of the desk's device book, ${this.file}, can't be written.`,
      {
        hint: 'Check the permissions of its directory and the space on its disk.',
      },
    );
  }

  #current(): { readonly version: string; readonly text: string; readonly end: CopyEnd } {
    const stats = ignoreErrors(() => statSync(this.file));
    const version = stats ? `${stats.ino} ${stats.size}` : '';
    if (this.#read?.version !== version) {
      const text = ignoreErrors(() => readIfExists(this.file)) ?? '';
      this.#read = { version, text, end: endOf(text) };
    }
    return this.#read;
  }
}

/**
 * Returns the line of a row. Its author, its place and `recorded_at`, the time of the database, come from the row, even
 * if the record has members with these names. Earlier versions wrote neither `recorded_at` nor `db_user`.
 */
export function copyLine({ place, id, origin, record, at, actor, host, db_user }: BookRow): JsonObject {
  return {
    ...record,
    origin,
    noted_at: asText(record.noted_at) ?? at.toISOString(),
    noted_by: actor,
    noted_from: host,
    recorded_at: at.toISOString(),
    db_user,
    place,
    change: id,
  };
}

/** Returns the members of a line that belong to the record itself. */
export function recordIn(line: JsonObject): JsonObject {
  const { noted_by: _by, noted_from: _from, recorded_at: _at, db_user: _user, ...rest } = line;
  const { place: _place, change: _change, added_by: _adder, added_from: _host, ...record } = rest;
  return record;
}

function endOf(text: string): CopyEnd {
  let end: CopyEnd = { place: 0, id: undefined };
  // A crash may have cut off the last line.
  const tail = text.slice(text.lastIndexOf('\n', text.length - 2) + 1);
  for (const part of [tail, text]) {
    for (const { value } of logLines(part)) {
      if (isObject(value) && typeof value.place === 'number' && value.place >= end.place)
        end = { place: value.place, id: asText(value.change) };
    }
    if (end.place > 0) return end;
  }
  return end;
}
