import {
  closeSync,
  fchmodSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { type Failure, inputFailure } from '../../lib/errors.ts';
import { errorCode } from '../../lib/files/error-code.ts';
import { unreadable, unwritable } from '../../lib/files/file-failure.ts';
import { privateFile, removeLeftBehind, replacePrivateFileBy } from '../../lib/files/private-file.ts';
import { kindOf, NotReadable, openAtOnce } from '../../lib/files/read-file.ts';
import { isObject, parseJson } from '../../lib/json-object.ts';
import type { Campaign, CampaignRow, RowStanding } from '../campaign.ts';
import { changedMeanwhile } from '../named.ts';
import { changedRow, type RowChange } from '../row-state.ts';
import {
  campaignIn,
  endIn,
  endLine,
  headLine,
  outcomeIn,
  type RowOutcome,
  rowIn,
  rowLine,
  standingIn,
} from './campaign-text.ts';
import { LineReader } from './line-reader.ts';
import { checkMachine } from './machine.ts';
import { RowIndex } from './row-index.ts';

/** Bytes that are read at a time. */
const pieceBytes = 1024 * 1024;

/**
 * A campaign's file of JSON lines: what is frozen, its rows, how many they are; then what became of rows, a line for each
 * change. Such a line may be cut short at the end: who wrote it died of it, and the next one to write takes it away. How the
 * rows stand is kept here, and their lines stay on the disk until they are asked for.
 */
export class CampaignFile {
  #campaign: Campaign | undefined;
  #index = new RowIndex();
  /** Tells the file from another one that took its place. */
  #identity: string | undefined;
  /** Bytes that were read, up to the end of a line. */
  #offset = 0;
  #line = 0;
  /** Where the rows begin and end, and what became of them begins, in bytes; undefined until their end was read. */
  #places: { readonly from: number; readonly to: number; readonly changes: number } | undefined;
  #rowsFrom = 0;
  /** Tells the campaign from another one of its name. */
  #createdAt: string | undefined;

  /** @param createdAt when the campaign was made, where that is known; else that of the first one that is read */
  constructor(
    readonly path: string,
    createdAt?: string,
  ) {
    this.#createdAt = createdAt;
  }

  /** When the campaign was made, as far as that is known: ISO 8601. */
  get createdAt(): string | undefined {
    return this.#createdAt;
  }

  /** How the rows stand, as they did when that was last read. */
  get index(): RowIndex {
    return this.#index;
  }

  /**
   * Reads what is new since the last time. Returns what is frozen of the campaign, or undefined if there is none.
   * @throws Failure `invalidInput` where it can't be read, or another campaign has its place by now
   */
  read(): Campaign | undefined {
    return this.#opened((handle) => this.#readFrom(handle));
  }

  /**
   * Returns rows as they stand, by their numbers; those that it lacks are left out.
   * @throws Failure as `read`
   */
  rows(numbers: Iterable<number>): readonly CampaignRow[] {
    const rows: CampaignRow[] = [];
    this.visit(numbers, (row) => rows.push(row));
    return rows;
  }

  /**
   * Reads rows as `rows` does, one after the other, and keeps none.
   * @param take takes each of them
   * @throws Failure as `read`
   */
  visit(numbers: Iterable<number>, take: (row: CampaignRow) => void): void {
    this.#opened((handle) => {
      const { columns } = this.#readFrom(handle);
      const [lines, changes] = [new LineReader(handle), new LineReader(handle)];
      for (const number of numbers) {
        if (!this.#index.standing(number)) continue;
        const { line, change } = this.#index.placesOf(number);
        const made = parseJson(lines.line(line) ?? '');
        const became = change === undefined ? undefined : (parseJson(changes.line(change) ?? '') ?? null);
        const row = rowIn(made, became, columns.length);
        if (row?.row !== number) throw damaged(this.path, `the line of row ${number} is none of a row`);
        take(row);
      }
    });
  }

  /**
   * Reads everything that became of rows, in its order.
   * @param take takes each change
   * @throws Failure as `read`
   */
  history(take: (change: RowOutcome) => void): void {
    this.#opened((handle) => {
      this.#readFrom(handle);
      const lines = new LineReader(handle);
      for (let place = this.#places?.changes ?? 0; place < this.#offset; ) {
        const line = lines.line(place) ?? '';
        const change = outcomeIn(parseJson(line));
        if (!change) throw damaged(this.path, 'what became of a row is none');
        take(change);
        place += Buffer.byteLength(line) + 1;
      }
    });
  }

  /**
   * Writes down what happens to rows, for who has the turn of this file. Returns the rows that it could happen to, as they
   * stand then.
   * @param isSynchronised whether it is on the disk before this returns
   * @throws Failure `invalidInput` where it belongs to another machine, or can't be read or written
   */
  record(changes: readonly RowChange[], isSynchronised: boolean): readonly RowStanding[] {
    let handle: number;
    try {
      handle = openSync(this.path, 'r+');
    } catch (error) {
      throw unwritable(this.path, error);
    }
    try {
      // A copy of a backup may be open to others, who could change what is sent.
      fchmodSync(handle, privateFile);
      checkMachine(this.#readFrom(handle));
      const outcomes: RowOutcome[] = [];
      const states = new Map<number, RowStanding>();
      for (const change of changes) {
        const row = states.get(change.row) ?? this.#index.standing(change.row);
        const next = row && changedRow(row, change);
        if (!next) continue;
        states.set(change.row, next);
        const { state, at, attempts, reason, because } = next;
        outcomes.push({ row: change.row, state, at, attempts, reason, because });
      }
      if (outcomes.length > 0) this.#append(handle, outcomes, isSynchronised);
      return [...states.values()];
    } catch (error) {
      throw unwritable(this.path, error);
    } finally {
      closeSync(handle);
    }
  }

  /**
   * Puts a campaign in the place of this one that has its rows and what became of them, and more rows behind them, for who
   * has the turn of this file.
   * @throws Failure `invalidInput` where it can't be read or written; ZodError for what could not be read again
   */
  replace(campaign: Campaign, more: readonly CampaignRow[]): void {
    const head = headLine(campaign);
    try {
      removeLeftBehind(this.path);
      this.#opened((handle) => {
        this.#readFrom(handle);
        const { from, to, changes } = this.#places ?? { from: 0, to: 0, changes: 0 };
        const end = endLine(this.#index.count + more.length);
        writing(this.path, (target) => {
          writeAll(target, Buffer.from(head));
          copy(handle, target, from, to);
          for (const row of more) writeAll(target, Buffer.from(rowLine(row)));
          writeAll(target, Buffer.from(end));
          copy(handle, target, changes, this.#offset);
        });
      });
    } catch (error) {
      throw unwritable(this.path, error);
    }
  }

  #append(handle: number, outcomes: readonly RowOutcome[], isSynchronised: boolean): void {
    const lines = outcomes.map((outcome) => Buffer.from(`${JSON.stringify(outcome)}\n`));
    if (fstatSync(handle).size > this.#offset) ftruncateSync(handle, this.#offset);
    try {
      writeAll(handle, Buffer.concat(lines), this.#offset);
      if (isSynchronised) fdatasyncSync(handle);
    } catch (error) {
      // Half a line would take the next one with it.
      ftruncateSync(handle, this.#offset);
      throw error;
    }
    for (const [at, outcome] of outcomes.entries()) {
      this.#index.change(outcome, this.#offset);
      this.#offset += lines[at]?.length ?? 0;
      this.#line += 1;
    }
  }

  /** Does something with the open file. Returns what that returns, or undefined if there is no file. */
  #opened<T>(work: (handle: number) => T): T | undefined {
    let handle: number;
    try {
      handle = openAtOnce(this.path);
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
      throw unreadable(this.path, error);
    }
    try {
      return work(handle);
    } catch (error) {
      throw unreadable(this.path, error);
    } finally {
      closeSync(handle);
    }
  }

  #readFrom(handle: number): Campaign {
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
      for (let from = 0; from < end; ) {
        const next = bytes.indexOf(10, from);
        this.#take(bytes.subarray(from, next));
        this.#offset += next + 1 - from;
        from = next + 1;
      }
    }
    if (!this.#places || !this.#campaign) throw damaged(this.path, 'its end is missing');
    return this.#campaign;
  }

  #startOver(identity: string): void {
    this.#identity = identity;
    this.#offset = 0;
    this.#line = 0;
    this.#places = undefined;
    this.#campaign = undefined;
    this.#index = new RowIndex();
  }

  /** Takes the line that begins where what was read ends. */
  #take(line: Buffer): void {
    this.#line += 1;
    if (!this.#campaign) {
      this.#campaign = this.#headOf(parseJson(line.toString('utf8')));
      this.#rowsFrom = this.#offset + line.length + 1;
      return;
    }
    // How a row stands has no other characters, and its texts are read again when they are asked for.
    const value = parseJson(line.toString('latin1'));
    if (!this.#places && isObject(value) && 'end' in value) {
      const found = this.#index.count;
      if (endIn(value) !== found)
        throw damaged(this.path, `it has ${found} rows in the place of ${JSON.stringify(value.end)}`);
      this.#places = { from: this.#rowsFrom, to: this.#offset, changes: this.#offset + line.length + 1 };
      return;
    }
    const standing = standingIn(value);
    if (!standing) throw damaged(this.path, `line ${this.#line} is none of a campaign`);
    if (!this.#places) {
      if (standing.row !== this.#index.count + 1)
        throw damaged(this.path, `line ${this.#line} is another row`);
      this.#index.add(standing, this.#offset);
    } else {
      if (!this.#index.standing(standing.row))
        throw damaged(this.path, `line ${this.#line} is of a row that it lacks`);
      this.#index.change(standing, this.#offset);
    }
  }

  #headOf(value: unknown): Campaign {
    if (isObject(value) && typeof value.version === 'number' && value.version > 1)
      throw damaged(this.path, 'a newer botctl wrote it', 'Use that one.');
    const campaign = campaignIn(value);
    if (!campaign) throw damaged(this.path, `line ${this.#line} is none of a campaign`);
    this.#createdAt ??= campaign.created_at;
    if (campaign.created_at !== this.#createdAt) throw changedMeanwhile(campaign.name);
    return campaign;
  }
}

/** Replaces a file by what `write` writes. @throws Failure `invalidInput` where it can't be written */
function writing(path: string, write: (target: number) => void): void {
  try {
    replacePrivateFileBy(path, (temporary) => {
      const target = openSync(temporary, 'wx', privateFile);
      try {
        write(target);
        fchmodSync(target, privateFile);
        fsyncSync(target);
      } finally {
        closeSync(target);
      }
    });
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** @param place where it is written in the file, in bytes; where the last write ended if not given */
function writeAll(handle: number, bytes: Buffer, place?: number): void {
  for (let written = 0; written < bytes.length; )
    written += writeSync(
      handle,
      bytes,
      written,
      bytes.length - written,
      place === undefined ? null : place + written,
    );
}

function copy(source: number, target: number, from: number, to: number): void {
  const piece = Buffer.allocUnsafe(Math.max(1, Math.min(pieceBytes, to - from)));
  for (let at = from; at < to; ) {
    const read = readSync(source, piece, 0, Math.min(piece.length, to - at), at);
    if (read === 0) throw new NotReadable('ENOTREGULAR', 'it became shorter meanwhile');
    writeAll(target, piece.subarray(0, read));
    at += read;
  }
}

function damaged(
  file: string,
  why: string,
  hint = 'Take it back from a backup. What was sent since that was made is planned in it, and the next run would send it again: cancel it then. Nothing else knows who got a message of it: one that is made again sends to them again.',
): Failure {
  return inputFailure([`${file} is a campaign, and can't be read: ${why}.`], hint);
}
