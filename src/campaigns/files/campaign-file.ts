import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import * as z from 'zod/mini';
import { type Failure, inputFailure } from '../../lib/errors.ts';
import { errorCode } from '../../lib/files/error-code.ts';
import { unreadable, unwritable } from '../../lib/files/file-failure.ts';
import { kindOf, NotReadable, openAtOnce } from '../../lib/files/read-file.ts';
import { isObject, parseJson } from '../../lib/json-object.ts';
import type { Campaign, CampaignRow } from '../campaign.ts';
import { frozenMembers, outcomeMembers, rowSchema, whole } from '../kept-form.ts';
import { changedMeanwhile } from '../named.ts';
import { changedRow, type RowChange } from '../row-state.ts';
import type { NewCampaign, StoredCampaign } from '../store.ts';
import { checkMachine } from './machine.ts';

const headSchema = z.strictObject({ version: z.literal(1), ...frozenMembers });

const endSchema = z.strictObject({ end: whole });

/** What became of a row: a line behind the end of the rows. */
const outcomeSchema = z.strictObject({ row: whole, ...outcomeMembers });

type RowOutcome = z.infer<typeof outcomeSchema>;

/** Bytes that are read at a time. */
const pieceBytes = 1024 * 1024;

/** Characters that are written at a time: so few that V8 doesn't take them for what stays. */
const pieceChars = 16 * 1024;

/** @throws ZodError for what could not be read again: nobody could delete it either */
function headLine(campaign: Campaign): string {
  return JSON.stringify(z.parse(headSchema, { version: 1, ...campaign }));
}

/** Yields the text of a new campaign, as `campaignText` has it. */
export async function* campaignPieces({ campaign, rows }: NewCampaign): AsyncGenerator<string, void> {
  let piece = `${headLine(campaign)}\n`;
  let end = 0;
  for await (const row of rows) {
    end += 1;
    piece += `${JSON.stringify(row)}\n`;
    if (piece.length < pieceChars) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}${JSON.stringify({ end })}\n`;
}

/** Returns the lines of a campaign: what is frozen, its rows as they stand, how many they are. */
export function campaignText({ campaign, rows }: StoredCampaign): string {
  const lines = [...rows, { end: rows.length }].map((line) => JSON.stringify(line));
  return `${[headLine(campaign), ...lines].join('\n')}\n`;
}

/**
 * A campaign's file of JSON lines: what is frozen, its rows, how many they are; then what became of rows, a line for each
 * change. Such a line may be cut short at the end: who wrote it died of it, and the next one to write takes it away.
 */
export class CampaignFile {
  #campaign: Campaign | undefined;
  #rows: CampaignRow[] = [];
  /** Tells the file from another one that took its place. */
  #identity: string | undefined;
  /** Bytes that were read, up to the end of a line. */
  #offset = 0;
  #line = 0;
  #isWhole = false;
  /** Tells the campaign from another one of its name. */
  #createdAt: string | undefined;
  readonly #onRow: ((now: CampaignRow, before: CampaignRow | undefined) => void) | undefined;

  /**
   * @param onRow is told of each row as it is read, and of each change of one; of all again where the file was replaced
   * @param createdAt when the campaign was made, where that is known; else that of the first one that is read
   */
  constructor(
    readonly path: string,
    onRow?: (now: CampaignRow, before: CampaignRow | undefined) => void,
    createdAt?: string,
  ) {
    this.#onRow = onRow;
    this.#createdAt = createdAt;
  }

  /**
   * Returns the campaign with its rows as they stand now, or undefined if there is none. Only what is new since the last time
   * is read; the array of rows is the same one.
   * @throws Failure `invalidInput` where it can't be read, or another campaign has its place by now
   */
  read(): StoredCampaign | undefined {
    let handle: number;
    try {
      handle = openAtOnce(this.path);
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
      throw unreadable(this.path, error);
    }
    try {
      return this.#readFrom(handle);
    } catch (error) {
      throw unreadable(this.path, error);
    } finally {
      closeSync(handle);
    }
  }

  /**
   * Writes down what happens to rows, for who has the turn of this file. Returns the rows that it could happen to, as they
   * stand then.
   * @param isSynchronised whether it is on the disk before this returns
   * @throws Failure `invalidInput` where it belongs to another machine, or can't be read or written
   */
  record(changes: readonly RowChange[], isSynchronised: boolean): readonly CampaignRow[] {
    let handle: number;
    try {
      handle = openSync(this.path, 'r+');
    } catch (error) {
      throw unwritable(this.path, error);
    }
    try {
      checkMachine(this.#readFrom(handle).campaign);
      const outcomes: RowOutcome[] = [];
      const states = new Map<number, CampaignRow>();
      for (const change of changes) {
        const row = states.get(change.row) ?? this.#rows[change.row - 1];
        const next = row && changedRow(row, change);
        if (!next) continue;
        states.set(change.row, next);
        const { state, at, attempts, reason, because } = next;
        outcomes.push({ row: change.row, state, at, attempts, reason, because });
      }
      if (outcomes.length > 0) this.#append(handle, outcomes, isSynchronised);
      for (const outcome of outcomes) this.#apply(outcome);
      return [...states.values()];
    } catch (error) {
      throw unwritable(this.path, error);
    } finally {
      closeSync(handle);
    }
  }

  #append(handle: number, outcomes: readonly RowOutcome[], isSynchronised: boolean): void {
    const bytes = Buffer.from(outcomes.map((outcome) => `${JSON.stringify(outcome)}\n`).join(''));
    if (fstatSync(handle).size > this.#offset) ftruncateSync(handle, this.#offset);
    try {
      for (let written = 0; written < bytes.length; )
        written += writeSync(handle, bytes, written, bytes.length - written, this.#offset + written);
      if (isSynchronised) fdatasyncSync(handle);
    } catch (error) {
      // Half a line would take the next one with it.
      ftruncateSync(handle, this.#offset);
      throw error;
    }
    this.#offset += bytes.length;
    this.#line += outcomes.length;
  }

  #readFrom(handle: number): StoredCampaign {
    const found = fstatSync(handle);
    if (!found.isFile()) throw new NotReadable('ENOTREGULAR', `it is ${kindOf(found)}, not a regular file`);
    // The number of a file may be that of a removed one.
    const identity = `${found.ino}/${found.birthtimeMs}`;
    if (identity !== this.#identity || found.size < this.#offset) this.#startOver(identity);
    const piece = Buffer.alloc(Math.max(1, Math.min(pieceBytes, found.size - this.#offset)));
    let rest = Buffer.alloc(0);
    let at = this.#offset;
    for (let read = 1; read > 0; ) {
      read = readSync(handle, piece, 0, piece.length, at);
      at += read;
      const bytes = Buffer.concat([rest, piece.subarray(0, read)]);
      const end = bytes.lastIndexOf(10) + 1;
      rest = bytes.subarray(end);
      if (end === 0) continue;
      for (const line of bytes.toString('utf8', 0, end - 1).split('\n')) this.#take(line);
      this.#offset += end;
    }
    if (!this.#isWhole || !this.#campaign) throw damaged(this.path, 'its end is missing');
    return { campaign: this.#campaign, rows: this.#rows };
  }

  #startOver(identity: string): void {
    this.#identity = identity;
    this.#offset = 0;
    this.#line = 0;
    this.#isWhole = false;
    this.#campaign = undefined;
    this.#rows = [];
  }

  #take(line: string): void {
    this.#line += 1;
    const value = parseJson(line);
    if (!this.#campaign) this.#campaign = this.#headOf(value);
    else if (this.#isWhole) this.#apply(this.#parsed(outcomeSchema, value));
    else if (isObject(value) && 'end' in value) {
      const { end } = this.#parsed(endSchema, value);
      const found = this.#rows.length;
      if (end !== found) throw damaged(this.path, `it has ${found} rows in the place of ${end}`);
      this.#isWhole = true;
    } else {
      const row = this.#parsed(rowSchema, value);
      if (row.row !== this.#rows.length + 1) throw damaged(this.path, `line ${this.#line} is another row`);
      this.#rows.push(row);
      this.#onRow?.(row, undefined);
    }
  }

  #headOf(value: unknown): Campaign {
    if (isObject(value) && typeof value.version === 'number' && value.version > 1)
      throw damaged(this.path, 'a newer botctl wrote it', 'Use that one.');
    const { version: _, ...campaign } = this.#parsed(headSchema, value);
    this.#createdAt ??= campaign.created_at;
    if (campaign.created_at !== this.#createdAt) throw changedMeanwhile(campaign.name);
    return campaign;
  }

  #apply(outcome: RowOutcome): void {
    const before = this.#rows[outcome.row - 1];
    if (!before) throw damaged(this.path, `line ${this.#line} is of a row that it lacks`);
    const now = changed(before, outcome);
    this.#rows[outcome.row - 1] = now;
    this.#onRow?.(now, before);
  }

  #parsed<T>(schema: z.ZodMiniType<T>, value: unknown): T {
    const checked = z.safeParse(schema, value);
    if (checked.success) return checked.data;
    throw damaged(this.path, `line ${this.#line} is none of a campaign`);
  }
}

/** Returns a row after a change: reason and words are those of its last one. */
function changed(row: CampaignRow, { state, at, attempts, reason, because }: RowOutcome): CampaignRow {
  return { ...row, state, at, attempts, reason, because };
}

function damaged(
  file: string,
  why: string,
  hint = 'Take it back from a backup. What was sent since that was made is planned in it, and the next run would send it again: cancel it then. Nothing else knows who got a message of it: one that is made again sends to them again.',
): Failure {
  return inputFailure([`${file} is a campaign, and can't be read: ${why}.`], hint);
}
