import { appendFileSync, constants, copyFileSync, existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Transaction } from 'kysely';
import * as z from 'zod/mini';
import { logLines, logText } from '../lib/files/append-log.ts';
import { synchroniseDirectory, writeFileAtomically } from '../lib/files/atomic-write.ts';
import { type Lock, requireLock } from '../lib/files/lock.ts';
import { privateFile } from '../lib/files/private-file.ts';
import { digestId } from '../lib/ids.ts';
import { isObject, type JsonObject, parseJson, textOf } from '../lib/json-object.ts';
import type { Actor } from './actor.ts';
import { copyLine } from './book-copy.ts';
import type { ConnectedDesk } from './connect.ts';
import { foldRecords, keyOf } from './device-book-lines.ts';
import { insertEvents, insertRecord } from './insert-rows.ts';
import {
  type LocalEntries,
  type LocalEvent,
  type LocalTexts,
  localEntries,
  localNames,
  readLocalFiles,
  splitLines,
} from './local-files.ts';
import { mergeRecords } from './merge-records.ts';
import { readBook } from './read-book.ts';
import { bookLock } from './schema.ts';
import type { DeskTables } from './tables.ts';

/** Dependencies of a move. */
export interface MoveOptions {
  /** The directory of the files. */
  readonly data: string;
  /** The services whose entries are moved. */
  readonly origins: ReadonlySet<string>;
  readonly actor: Actor;
  /** Milliseconds for which the desk keeps its history: older events are left out. */
  readonly keepMs: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly signal: AbortSignal;
  /** Masks secrets in names. */
  redact(text: string): string;
}

/** The result of a move. */
export interface Moved {
  /** Devices that the desk did not have. */
  readonly devices: number;
  /** Events that the desk did not have. */
  readonly events: number;
  /** Names, or ids, of devices of the files that stay forgotten: the desk had forgotten them. */
  readonly leftOut: readonly string[];
  /** Names, or ids, of devices that the desk forgot because this machine had forgotten them. */
  readonly forgotten: readonly string[];
  /** The renamed files. */
  readonly files: readonly string[];
}

type Inserted = Pick<Moved, 'devices' | 'events' | 'leftOut' | 'forgotten'>;

/** Milliseconds to wait for another process that writes or moves the files. */
const lockTimeoutMs = 30_000;

/**
 * Moves entries of the files of this machine to a desk: in one transaction, and once. Each row has an id that is made of its
 * content, so a second run, and a copy of the files on another machine, add nothing. Afterwards the files are renamed; the
 * entries of other services stay in files of the old name. If the process ends between the two, the next run only renames.
 * @throws Failure if another process uses the files for long, or the database refuses; nothing is changed then
 */
export async function moveFiles(desk: ConnectedDesk, options: MoveOptions): Promise<Moved> {
  const { data, signal } = options;
  const locks: Lock[] = [];
  try {
    for (const name of Object.values(localNames))
      locks.push(
        await requireLock(join(data, `${name}.lock`), {
          busy: 'The device book of this machine is in use',
          hint: 'Try again later.',
          timeout: lockTimeoutMs,
          signal,
        }),
      );
    const texts = readLocalFiles(data);
    const inserted = await insertEntries(desk, localEntries(texts, options.origins), options);
    for (const lock of locks) lock.check();
    const files = [setAside('book', texts, options), setAside('history', texts, options)];
    synchroniseDirectory(data);
    return { ...inserted, files: files.filter((file) => file !== undefined) };
  } finally {
    for (const lock of locks.toReversed()) lock.release();
  }
}

async function insertEntries(
  desk: ConnectedDesk,
  entries: LocalEntries,
  options: MoveOptions,
): Promise<Inserted> {
  try {
    return await desk.db.transaction().execute(async (transaction) => {
      await desk.lock(transaction, bookLock);
      const book = await insertBook(transaction, entries, options);
      const events = await insertEvents(
        transaction,
        entries.events
          .map((event) => rowOf(event, options))
          .filter(({ at }) => at.getTime() > options.now - options.keepMs),
      );
      return { ...book, events };
    });
  } catch (error) {
    throw desk.failureOf(error);
  }
}

async function insertBook(
  transaction: Transaction<DeskTables>,
  { devices, tombstones, intents }: LocalEntries,
  { origins, actor, redact }: MoveOptions,
): Promise<Omit<Inserted, 'events'>> {
  const rows = await readBook(transaction, (book) => book.where('origin', 'in', [...origins]));
  const text = logText(rows.map(copyLine));
  const there = foldRecords(text);
  const own = [...devices, ...tombstones].map((record) => redacted(record, redact));
  const { records, added, forgotten } = mergeRecords(there, foldRecords(logText(own)));
  const known = new Set([...logLines(text)].map(({ value }) => (isObject(value) ? value.intent : undefined)));
  const waiting = intents.filter(({ intent }) => !known.has(intent)).map((line) => redacted(line, redact));
  for (const record of [...records, ...waiting])
    await insertRecord(transaction, { id: idOf(record), record }, actor);
  const nameIn = (id: string, lines: Iterable<JsonObject>): string =>
    textOf([...lines].find((line) => line.id === id)?.name) ?? id;
  const removed = records.filter(
    (record) =>
      record.forgotten_at !== undefined &&
      there.known.has(keyOf(textOf(record.origin) ?? '', textOf(record.id) ?? '')),
  );
  return {
    devices: added.length,
    leftOut: forgotten.map((id) => nameIn(id, own)),
    forgotten: removed.map(({ id }) => nameIn(textOf(id) ?? '', there.known.values())),
  };
}

/** Returns an event as a row of the history. Its author is the one of the file, else the one who moves it. */
function rowOf(event: LocalEvent, { actor, now, redact }: MoveOptions) {
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

/** Returns a record without the secrets in its texts. */
function redacted(record: JsonObject, redact: (text: string) => string): JsonObject {
  const text = JSON.stringify(record, (_name, value: unknown) =>
    typeof value === 'string' ? redact(value) : value,
  );
  const value = parseJson(text);
  return isObject(value) ? value : {};
}

/** Returns an id that is made of the content of an entry, whatever the order of its members. */
function idOf(entry: JsonObject): string {
  const members = Object.entries(entry)
    .filter(([, value]) => value !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return digestId(JSON.stringify(members));
}

/**
 * Renames a file whose entries were moved. Returns its new path, or undefined if there is no such file, or it has no line of the
 * services.
 */
function setAside(kind: keyof LocalTexts, texts: LocalTexts, options: MoveOptions): string | undefined {
  const { data, origins, now } = options;
  const file = join(data, localNames[kind]);
  const text = texts[kind];
  const { others, own } = splitLines(text, origins);
  if (own === 0) return undefined;
  const aside = unusedName(`${file}.moved-${new Date(now).toISOString().slice(0, 10)}`);
  if (others === '') renameSync(file, aside);
  else {
    copyFileSync(file, aside, constants.COPYFILE_EXCL);
    writeFileAtomically(file, others);
  }
  // A process that waited for the lock in vain appended without it.
  const late = readFileSync(aside, 'utf8').slice(text.length);
  if (late !== '') appendFileSync(file, late, { mode: privateFile });
  return aside;
}

function unusedName(name: string): string {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : `${name}-${number}`;
    if (!existsSync(candidate)) return candidate;
  }
}
