import { appendFileSync, linkSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Transaction } from 'kysely';
import * as z from 'zod/mini';
import { databaseLabel } from '../lib/database-address.ts';
import { Failure } from '../lib/errors.ts';
import { logLines, logText } from '../lib/files/append-log.ts';
import { syncDirectory, writeFileAtomically } from '../lib/files/atomic-write.ts';
import { writeReason } from '../lib/files/file-failure.ts';
import { type Lock, requireLock } from '../lib/files/lock.ts';
import { privateFile } from '../lib/files/private-file.ts';
import { readOwnFile, readOwnText } from '../lib/files/read-file.ts';
import { digestId } from '../lib/ids.ts';
import { asText, isObject, type JsonObject, parseJson } from '../lib/json-object.ts';
import { joinRemarks } from '../lib/text/remark.ts';
import type { Actor } from './actor.ts';
import { copyLine } from './book-copy.ts';
import type { ConnectedDesk } from './connect.ts';
import { deviceKey, foldRecords } from './device-book-lines.ts';
import { insertEvents, insertRecords, sharedRecord } from './insert-rows.ts';
import {
  type LocalEntries,
  type LocalEvent,
  type LocalTexts,
  localEntries,
  localNames,
  readLocalFiles,
  splitLines,
  unusedName,
} from './local-files.ts';
import { mayNotWrite } from './may-not-write.ts';
import { mergeRecords } from './merge-records.ts';
import { readBook } from './read-book.ts';
import { readerHint } from './require-move.ts';
import { bookLock } from './schema.ts';
import type { DeskTables } from './tables.ts';

/** Dependencies of a move. */
export interface MoveOptions {
  /** The directory of the files. */
  readonly data: string;
  /** The services whose entries are moved. */
  readonly origins: ReadonlySet<string>;
  readonly actor: Actor;
  /** The address of the desk. */
  readonly url: URL;
  /** How long the desk keeps its history, in milliseconds. Older events are not moved. */
  readonly keepMs: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly signal: AbortSignal;
  /** Masks secrets in names. */
  redact(text: string): string;
}

export interface MoveResult {
  /** The number of devices that were new to the desk. */
  readonly devices: number;
  /** The number of events that were new to the desk. */
  readonly events: number;
  /** The number of events that are older than the retention time of the desk. They stay in the renamed file. */
  readonly expired: number;
  /** Names, or ids, of devices in the files that stay forgotten because the desk had forgotten them. */
  readonly leftOut: readonly string[];
  /** Names, or ids, of devices that the desk forgot because this machine had forgotten them. */
  readonly newlyForgotten: readonly string[];
  /** The new paths of the renamed files. */
  readonly files: readonly string[];
}

type InsertResult = Omit<MoveResult, 'files'>;

/** The timeout of waiting for another process that writes or moves the files, in milliseconds. */
const lockTimeoutMs = 30_000;

/**
 * Moves entries of the files of this machine to a desk in one transaction. Each row has an id that is derived from its
 * content, so a second run, or a copy of the files on another machine, adds nothing. Afterwards the files are renamed;
 * entries of other services stay in files with the old names. If the process ends between the two, the next run only
 * renames.
 * @throws Failure if another process uses the files for too long, or the database refuses; then nothing is changed.
 *   `partlyDone` if a file can't be renamed; `network` if the database is unavailable, and the next run then completes the
 *   move
 */
export async function moveFiles(desk: ConnectedDesk, options: MoveOptions): Promise<MoveResult> {
  const { data, signal } = options;
  const locks: Lock[] = [];
  try {
    for (const name of Object.values(localNames)) locks.push(await lockFile(join(data, name), signal));
    const texts = readLocalFiles(data);
    const inserted = await insertEntries(desk, texts, options);
    for (const lock of locks) lock.check();
    const files = [setAside('book', texts, options), setAside('history', texts, options)];
    syncDirectory(data);
    return { ...inserted, files: files.filter((file) => file !== undefined) };
  } finally {
    for (const lock of locks.toReversed()) lock.release();
  }
}

async function lockFile(file: string, signal: AbortSignal): Promise<Lock> {
  const request = {
    busy: 'The device book of this machine is in use',
    hint: 'Try again later.',
    timeout: lockTimeoutMs,
    signal,
  };
  return requireLock(`${file}.lock`, request).catch((error: unknown) => {
    const why = writeReason(error);
    if (why === undefined) throw error;
    throw new Failure(
      'invalidInput',
      `${file} can't be moved to the desk, because it can't be renamed: ${why}.`,
      {
        hint: 'Nothing was moved. Make its directory writable, and run the same command again.',
        cause: error,
      },
    );
  });
}

async function insertEntries(
  desk: ConnectedDesk,
  texts: LocalTexts,
  options: MoveOptions,
): Promise<InsertResult> {
  const { origins, keepMs } = options;
  const entries = localEntries(texts, origins);
  try {
    return await desk.db.transaction().execute(async (transaction) => {
      await desk.lock(transaction, bookLock);
      const book = await insertBook(transaction, entries, options);
      // The clock of this machine may be wrong.
      const { now } = await transaction.selectNoFrom(desk.now.as('now')).executeTakeFirstOrThrow();
      const rows = entries.events.map((event) => rowOf(event, now, options));
      const recent = rows.filter(({ at }) => at.getTime() > now - keepMs);
      const { length: events } = await insertEvents(transaction, recent);
      return { ...book, events, expired: rows.length - recent.length };
    });
  } catch (error) {
    if (mayNotWrite(error)) throw readerFailure(texts, options, error);
    const failure = desk.failureOf(error);
    // If only the response to the commit was lost, the entries were inserted.
    const hint =
      'The files of this machine are unchanged. Run the same command again when the database is back: it inserts nothing twice.';
    throw failure instanceof Failure && failure.kind === 'network'
      ? failure.withHint(joinRemarks([failure.hint, hint]))
      : failure;
  }
}

function readerFailure(texts: LocalTexts, { data, origins, url }: MoveOptions, cause: unknown): Failure {
  return new Failure(
    'invalidInput',
    `This user can only read the desk ${databaseLabel(url)}, so nothing was moved. The files of this machine are unchanged.`,
    { hint: readerHint({ data, texts, origins, url }), cause },
  );
}

async function insertBook(
  transaction: Transaction<DeskTables>,
  { devices, tombstones, intents }: LocalEntries,
  { origins, actor, redact }: MoveOptions,
): Promise<Pick<InsertResult, 'devices' | 'leftOut' | 'newlyForgotten'>> {
  const rows = await readBook(transaction, (book) => book.where('origin', 'in', [...origins]));
  const text = logText(rows.map(copyLine));
  const there = foldRecords(text);
  const own = [...devices, ...tombstones].map((record) => toShare(record, redact));
  const { records, added, leftOut } = mergeRecords(there, foldRecords(logText(own)));
  const known = new Set([...logLines(text)].map(({ value }) => (isObject(value) ? value.intent : undefined)));
  const waiting = intents.filter(({ intent }) => !known.has(intent)).map((line) => toShare(line, redact));
  const inserted = [...records, ...waiting];
  await insertRecords(
    transaction,
    inserted.map((record) => ({ id: idOf(toShare(record, redact)), record, actor })),
  );
  const nameIn = (id: string, lines: Iterable<JsonObject>): string =>
    asText([...lines].find((line) => line.id === id)?.name) ?? id;
  const removed = records.filter(
    (record) => record.forgotten_at !== undefined && there.known.has(deviceKey(record)),
  );
  return {
    devices: added.length,
    leftOut: leftOut.map((id) => nameIn(id, own)),
    newlyForgotten: removed.map(({ id }) => nameIn(asText(id) ?? '', there.known.values())),
  };
}

/** Returns a row of the history for an event. Its author is that of the file, or else the user who moves it. */
function rowOf(event: LocalEvent, now: number, { actor, redact }: MoveOptions) {
  const { origin, deviceId: device, at, event: kind, by = actor.by, from: host = actor.host } = event;
  const time = Date.parse(at);
  const shown = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : redact(text);
  const members = {
    ...{ origin, device, event: kind, reason: shown(event.reason) },
    ...{ lost_at: event.lostAt, phone_number: shown(event.phoneNumber) },
  };
  const id = z.safeParse(z.uuid(), event.id);
  return {
    id: id.success ? id.data : idOf({ ...members, at }),
    at: new Date(Number.isNaN(time) ? now : time),
    event: members,
    actor: { by: redact(by), host: redact(host) },
  };
}

/** Returns a record as the desk stores it, so that it equals its row later, with the secrets in its texts masked. */
function toShare(record: JsonObject, redact: (text: string) => string): JsonObject {
  const text = JSON.stringify(sharedRecord(record), (_name, value: unknown) =>
    typeof value === 'string' ? redact(value) : value,
  );
  const value = parseJson(text);
  return { ...(isObject(value) && value), origin: record.origin };
}

/**
 * Returns an id that is derived from the content of an entry. The order of members does not matter, because PostgreSQL
 * changes it.
 */
function idOf(entry: JsonObject): string {
  const text = JSON.stringify(entry, (_name, value: unknown) =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
  return digestId(text);
}

/**
 * Renames a file whose entries were moved. Returns its new path, or undefined if the file does not exist or has no line
 * of the services.
 * @throws Failure `partlyDone` if it can't be renamed
 */
function setAside(kind: keyof LocalTexts, texts: LocalTexts, options: MoveOptions): string | undefined {
  const { data, origins, now } = options;
  const file = join(data, localNames[kind]);
  const text = texts[kind];
  const { others, own } = splitLines(text, origins);
  if (own === 0) return undefined;
  const aside = unusedName(`${file}.moved-${new Date(now).toISOString().slice(0, 10)}`);
  try {
    if (others === '') renameSync(file, aside);
    else replaceFile(file, others, aside);
    // A process that waited for the lock in vain may have appended lines without it.
    const late = readOwnText(aside).slice(text.length);
    if (late !== '') appendFileSync(file, late, { mode: privateFile });
    return aside;
  } catch (error) {
    const why = writeReason(error);
    if (why === undefined) throw error;
    throw new Failure(
      'partlyDone',
      `The entries are in the desk now, but ${file} can't be renamed to ${aside}: ${why}.`,
      {
        hint: 'Until it is renamed, commands do not use the desk. Run the same command again when that is possible: it inserts nothing twice.',
        cause: error,
      },
    );
  }
}

/**
 * Replaces the text of a file and keeps the earlier file under another name. Lines that others append to it meanwhile
 * are in the earlier file.
 */
function replaceFile(file: string, text: string, aside: string): void {
  try {
    linkSync(file, aside);
  } catch {
    // The file system does not support hard links.
    writeFileAtomically(aside, readOwnFile(file), { isNew: true });
  }
  try {
    writeFileAtomically(file, text);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
}
