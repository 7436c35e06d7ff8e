import { join } from 'node:path';
import * as z from 'zod/mini';
import { changeLog, logLines, logText } from '../lib/files/append-log.ts';
import { readFailure } from '../lib/files/file-failure.ts';
import { asText, isObject, type JsonObject, parseJson } from '../lib/json-object.ts';
import { ignoreErrors, readIfExists } from '../settings/small-files.ts';
import { deviceKey } from './device-book-lines.ts';

const object = z.record(z.string(), z.unknown());
const instant = z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text))));

/** Why a change was refused after the database was back. */
const refusal = z.object({
  /** ISO 8601. */
  at: instant,
  because: z.string(),
});

/** The author of an entry that the database lost; undefined for an entry of this machine. */
const author = z.optional(z.object({ by: z.string(), host: z.string() }));

const entry = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('record'),
    /** A UUID, which is also its id in the database. */
    id: z.uuid(),
    /** ISO 8601, by the clock of this machine. */
    at: instant,
    /** The last place of the device book that this machine had seen. */
    seen: z.number(),
    /** A record of the device book. */
    record: object,
    author,
    refused: z.optional(refusal),
  }),
  z.object({
    kind: z.literal('event'),
    id: z.uuid(),
    at: instant,
    /** An event of the history: the origin, the device, and the members that `lineOf` of the history returns. */
    event: object,
    author,
    refused: z.optional(refusal),
  }),
]);

/** A change that is not yet in the database of a desk. */
export type OutboxEntry = z.infer<typeof entry>;

/** A change of the device book that is not yet in the database of a desk. */
export type OutboxRecord = Extract<OutboxEntry, { readonly kind: 'record' }>;

/** The result of applying entries. */
export interface Settlement {
  /** The ids of the entries that are in the database now. */
  readonly applied: ReadonlySet<string>;
  /** The reasons of refused entries, by id. */
  readonly refused: ReadonlyMap<string, NonNullable<OutboxEntry['refused']>>;
  /** The places of the applied records in the device book, by `deviceKey`. */
  readonly places: ReadonlyMap<string, number>;
}

/** How long a refused change is shown, in days. */
const refusedDays = 30;

/**
 * The changes of this machine that are not yet in a desk's database, because it was away: `outbox.ndjson` in a
 * directory.
 * @param signal aborts the wait for another process that writes it
 */
export class Outbox {
  readonly file: string;
  readonly #signal: AbortSignal | undefined;

  constructor(directory: string, signal?: AbortSignal) {
    this.file = join(directory, 'outbox.ndjson');
    this.#signal = signal;
  }

  /** Returns all entries in order, including refused ones. Lines that can't be read are left out. */
  entries(): readonly OutboxEntry[] {
    return [...logLines(ignoreErrors(() => readIfExists(this.file)) ?? '')].flatMap(({ value }) => {
      const parsed = z.safeParse(entry, value);
      return parsed.success ? [parsed.data] : [];
    });
  }

  /**
   * Returns the numbers of the lines that can't be read, from 1.
   * @throws Failure `invalidInput` if the file can't be read
   */
  damagedLines(): readonly number[] {
    return [...logLines(this.#textOrFailure())]
      .filter(({ value }) => !z.safeParse(entry, value).success)
      .map(({ number }) => number);
  }

  /** Returns the entries that must still be applied. */
  waiting(): readonly OutboxEntry[] {
    return this.#once(({ refused }) => refused === undefined);
  }

  /** Returns the refused entries without repetitions. */
  refused(): readonly OutboxEntry[] {
    return this.#once(({ refused }) => refused !== undefined);
  }

  /** Appends entries and waits until they are on the disk. Returns false if that fails. */
  add(...entries: readonly OutboxEntry[]): Promise<boolean> {
    return changeLog(this.file, this.#signal, { records: () => entries, isSynced: true });
  }

  /**
   * Removes the applied entries and marks the refused ones. This machine has then seen the applied records, so its
   * other changes of the same devices can still be applied.
   */
  async settle({ applied, refused, places }: Settlement, now: number): Promise<void> {
    const oldest = now - refusedDays * 86_400_000;
    const settled = (line: JsonObject): JsonObject | undefined => {
      // The line may come from another version.
      if (typeof line.id !== 'string') return line;
      const because = refused.get(line.id);
      if (because) return { ...line, refused: because };
      const earlier = z.safeParse(refusal, line.refused);
      const isOver = earlier.success && Date.parse(earlier.data.at) < oldest;
      if (applied.has(line.id) || isOver) return undefined;
      const place = isObject(line.record) ? places.get(deviceKey(line.record)) : undefined;
      return place === undefined ? line : { ...line, seen: Math.max(place, Number(line.seen)) };
    };
    await this.#rewrite(settled);
  }

  /**
   * Sets the last seen place of each change of the device book after the database was restored: a restored database
   * assigns the same places to other records.
   * Returns false if that fails.
   * @param seenOf returns the place for a record
   */
  async setSeen(seenOf: (record: JsonObject) => number): Promise<boolean> {
    if (this.entries().every(({ kind }) => kind !== 'record')) return true;
    return this.#rewrite((line) => (isObject(line.record) ? { ...line, seen: seenOf(line.record) } : line));
  }

  /** Removes refused entries. Returns false if they can't be removed now. */
  dismiss(ids: ReadonlySet<string>): Promise<boolean> {
    return this.#rewrite((line) =>
      line.refused !== undefined && ids.has(asText(line.id) ?? '') ? undefined : line,
    );
  }

  /** Rewrites the lines. @param settled returns the new line, or undefined to remove it */
  async #rewrite(settled: (line: JsonObject) => JsonObject | undefined): Promise<boolean> {
    let isRewritten = false;
    const compact = (text: string): string => {
      isRewritten = true;
      return text
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => {
          const value = parseJson(line);
          // A line that can't be read may come from another version.
          if (!isObject(value)) return `${line}\n`;
          const left = settled(value);
          return left ? logText([left]) : '';
        })
        .join('');
    };
    return (await changeLog(this.file, this.#signal, { compact })) && isRewritten;
  }

  /** Returns the selected entries without repetitions. */
  #once(isChosen: (entry: OutboxEntry) => boolean): readonly OutboxEntry[] {
    const chosen = this.entries().filter(isChosen);
    return [...new Map(chosen.map((entry) => [entry.id, entry])).values()];
  }

  #textOrFailure(): string {
    try {
      return readIfExists(this.file) ?? '';
    } catch (error) {
      throw readFailure(this.file, error);
    }
  }
}
