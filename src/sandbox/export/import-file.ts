import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Insertable, type Kysely, sql, type Transaction } from 'kysely';
import * as z from 'zod/mini';
import { DatabaseError, isAway } from '../../database/error.ts';
import { inChunks } from '../../lib/chunks.ts';
import { messageOf } from '../../lib/errors.ts';
import { notRegularFile, unreadable } from '../../lib/files/file-failure.ts';
import { privateFile, synchroniseDirectory } from '../../lib/files/private-file.ts';
import { openAtOnce } from '../../lib/files/read-file.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { ControlProblem } from '../control/problem.ts';
import type { ImportRequest } from '../control/protocol.ts';
import { filesAtOnce, fileUrl, temporarySuffix } from '../document-files.ts';
import { isFirstKey, markFirstKeys } from '../first-key.ts';
import { isDiskFull } from '../store/disk.ts';
import { keepLocks, locks } from '../store/locks.ts';
import type { Store } from '../store/store.ts';
import { type ApiKeysTable, type Tables, tables } from '../store/tables.ts';
import { tidy } from '../store/tidy.ts';
import type { PieceLine } from './format.ts';
import { type CheckedRow, checkExport, type OpenFile, PieceRefused, readRows } from './read-export.ts';
import { rowSchemas } from './row-schemas.ts';

/** Bounds of one insert. */
const rowsAtOnce = 1000;
const bytesAtOnce = 1024 * 1024;

/** What an import changes. */
export interface ImportTarget {
  readonly store: Store;
  /** The key that stays valid whatever the export has. */
  readonly firstKey: Insertable<ApiKeysTable>;
  /** True if teams may share the e-mail address of an administrator afterwards. */
  readonly sharesEmails: boolean;
}

/**
 * Puts what an export has in the place of all that a sandbox holds; its first key stays valid. The whole file is checked
 * first, while the files of documents are put on the disk under temporary names; then all rows are written in one
 * transaction, which other calls wait for. Either all of that happens or nothing. Returns the ids of the keys that are gone.
 * @throws ControlProblem for anything but a whole export, and where the sandbox holds something that is not to be replaced
 * @throws Failure `invalidInput` if the file can't be read
 */
export async function importFrom(
  target: ImportTarget,
  { file: path, replace }: ImportRequest,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { store, firstKey } = target;
  if (!replace) await refuseFilled(store.db, firstKey.key_id, path);
  const file = openExport(path);
  const staged = new StagedFiles(store.files);
  let isComplete = false;
  try {
    const rowsHash = await checkExport(file, staged, signal);
    await staged.settle();
    const { gone, written } = await store.db.transaction().execute(async (db) => {
      // Before any row is locked: who has a turn waits for rows.
      await store.lock(db, locks.rows);
      if (!replace) await refuseFilled(db, firstKey.key_id, path);
      await store.shareLock(db, locks.files);
      await store.lock(db, locks.messages);
      const replaced = await replaceRows(db, target, file, readRows(file, rowsHash, signal));
      await staged.moveIn(signal, () => keepLocks(store, db));
      isComplete = true;
      return replaced;
    });
    await tidy(store.db, written);
    return gone;
  } catch (error) {
    await staged.removeTemporary();
    if (isAway(error)) throw away(path, isComplete, error);
    if (error instanceof DatabaseError && !isDiskFull(error)) throw refusedRows(path, error);
    throw error;
  } finally {
    closeSync(file.handle);
  }
}

/** @throws ControlProblem if there is more than first keys */
async function refuseFilled(db: Kysely<Tables>, firstKey: string, file: string): Promise<void> {
  const team = await db.selectFrom('teams').select('id').limit(1).executeTakeFirst();
  const key = await db
    .selectFrom('api_keys')
    .select('key_id')
    .where('key_id', '<>', firstKey)
    .where(sql<boolean>`not ${isFirstKey}`)
    .executeTakeFirst();
  if (!team && !key) return;
  const line = command('sandbox', 'import', file, '--replace');
  throw new ControlProblem(
    400,
    `The sandbox holds ${team ? 'teams' : 'keys'} already. Nothing was imported.`,
    remark`Put the export in the place of all that it holds: ${line}`,
  );
}

function openExport(path: string): OpenFile {
  let handle: number;
  try {
    handle = openAtOnce(path);
  } catch (error) {
    throw unreadable(path, error);
  }
  const found = fstatSync(handle);
  if (found.isFile()) return { path, handle };
  closeSync(handle);
  throw notRegularFile(path, found, 'Name the file that sandbox export wrote.');
}

/** Returns the ids of the keys that are gone, and the number of rows that came. */
async function replaceRows(
  db: Transaction<Tables>,
  { firstKey, sharesEmails }: ImportTarget,
  { path }: OpenFile,
  rows: AsyncIterable<CheckedRow>,
): Promise<{ readonly gone: readonly string[]; readonly written: number }> {
  let written = 0;
  const before = await db.selectFrom('api_keys').select('key_id').execute();
  const others = await db.selectFrom('api_keys').selectAll().where(isFirstKey).execute();
  for (const table of tables.toReversed()) await sql`delete from ${sql.table(table)}`.execute(db);
  for await (const { table, some } of chunksOf(rows)) {
    const name = sql.table(table);
    const values = sql`jsonb_populate_recordset(null::${name}, ${JSON.stringify(some)}::jsonb)`;
    await sql`insert into ${name} select * from ${values}`.execute(db);
    written += some.length;
  }
  await countOn(db);
  const { secret_hash, is_active, expires_at = null } = firstKey;
  await db
    .insertInto('api_keys')
    .values(firstKey)
    .onConflict((same) => same.column('key_id').doUpdateSet({ secret_hash, is_active, expires_at }))
    .execute();
  const stays = others.filter(({ key_id }) => key_id !== firstKey.key_id);
  for (const { secret_hash, is_active, ...row } of stays) {
    const change = { secret_hash, is_active };
    await db
      .insertInto('api_keys')
      .values({ ...row, ...change })
      .onConflict((same) => same.column('key_id').doUpdateSet(change))
      .execute();
  }
  if (others.length > 0)
    await markFirstKeys(
      db,
      others.map(({ key_id }) => key_id),
    );
  if (!sharesEmails) await refuseSharedEmails(db, path);
  const after = await db.selectFrom('api_keys').select('key_id').execute();
  const kept = new Set(after.map(({ key_id }) => key_id));
  return { gone: before.flatMap(({ key_id }) => (kept.has(key_id) ? [] : [key_id])), written };
}

/** Numbers further messages behind those that came. A sequence isn't rolled back, so it never goes back either. */
async function countOn(db: Transaction<Tables>): Promise<void> {
  await sql`select setval('messages_number_seq', max(number)) from messages
    having max(number) >= (select last_value from messages_number_seq)`.execute(db);
}

async function refuseSharedEmails(db: Transaction<Tables>, path: string): Promise<void> {
  const shared = await db
    .selectFrom('users')
    .select(sql<string>`lower(email)`.as('email'))
    .groupBy(sql`lower(email)`)
    .having(sql<boolean>`count(*) > 1`)
    .limit(1)
    .executeTakeFirst();
  if (shared) throw sharedEmails(path);
}

function sharedEmails(path: string): ControlProblem {
  return new ControlProblem(
    400,
    `Teams in ${path} share the e-mail address of an administrator, which they may not here. Nothing was imported.`,
    remark`Import it into a sandbox that allows that: ${command('sandbox', 'start', '--shared-emails')}`,
  );
}

/** Rows of one table that are written at once. */
async function* chunksOf(rows: AsyncIterable<CheckedRow>) {
  let table: CheckedRow['table'] = tables[0];
  let some: CheckedRow['row'][] = [];
  let size = 0;
  for await (const next of rows) {
    if (some.length > 0 && (next.table !== table || some.length >= rowsAtOnce || size >= bytesAtOnce)) {
      yield { table, some };
      some = [];
      size = 0;
    }
    table = next.table;
    some.push(next.row);
    size += next.bytes;
  }
  if (some.length > 0) yield { table, some };
}

/** Rows that the database doesn't take, such as one that refers to nothing: only an edited export has them. */
function refusedRows(path: string, error: DatabaseError): ControlProblem {
  if (error.message.includes('users_email')) return sharedEmails(path);
  return new ControlProblem(400, `${path} can't be imported: ${error.message}. Nothing was imported.`);
}

/** @param isComplete true if only the answer to its commit was missing */
function away(path: string, isComplete: boolean, error: unknown): ControlProblem {
  const why = `The database went away: ${messageOf(error)}.`;
  if (!isComplete) return new ControlProblem(500, `${why} Nothing was imported.`);
  return new ControlProblem(
    500,
    `${why} Nobody knows whether ${path} was imported: all of it or nothing.`,
    remark`See what the sandbox holds: ${command('sandbox', 'status')}`,
  );
}

/** What is known of a document's file before it is in its place. */
interface Staged {
  /** Bytes that its row says it has. */
  readonly size: number;
  readonly temporary: string;
  readonly place: string;
}

/** The files of an export, under temporary names until all rows are written. */
class StagedFiles {
  readonly #directory: string;
  /** By the ids of their documents. */
  readonly #files = new Map<string, Staged>();
  readonly #places = new Set<string>();
  readonly #whole = new Set<string>();
  readonly #synchronising = new Set<Promise<void>>();
  /** Those in their places where nothing was before. */
  readonly #moved: string[] = [];
  #open: { readonly id: string; readonly handle: FileHandle; written: number } | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** @throws PieceRefused for a document with the file of another one */
  async row({ table, row }: CheckedRow): Promise<void> {
    if (table !== 'documents') return;
    const document = z.parse(rowSchemas.documents, row);
    const place = join(this.#directory, fileUrl(document));
    if (this.#places.has(place)) throw new PieceRefused('another document has this file');
    this.#places.add(place);
    const temporary = join(this.#directory, `${randomUUID()}${temporarySuffix}`);
    this.#files.set(document.id, { size: document.size, temporary, place });
  }

  /** @throws PieceRefused if it belongs to no document, or to one whose file is whole */
  async piece({ file: id, data }: PieceLine): Promise<void> {
    const staged = this.#files.get(id);
    if (!staged || this.#whole.has(id)) throw new PieceRefused('it belongs to no document');
    if (this.#open && this.#open.id !== id) throw new PieceRefused('the file before it is not whole');
    this.#open ??= { id, handle: await open(staged.temporary, 'wx', privateFile), written: 0 };
    const bytes = Buffer.from(data, 'base64');
    await this.#open.handle.writeFile(bytes);
    this.#open.written += bytes.length;
    if (this.#open.written > staged.size) throw new PieceRefused('the file is longer than its document says');
    if (this.#open.written < staged.size) return;
    const { handle } = this.#open;
    this.#open = undefined;
    this.#whole.add(id);
    await this.#synchronise(handle);
  }

  async #synchronise(handle: FileHandle): Promise<void> {
    const done = handle.sync().finally(() => handle.close());
    this.#synchronising.add(done);
    done.then(() => this.#synchronising.delete(done)).catch(() => undefined);
    if (this.#synchronising.size >= filesAtOnce) await Promise.race(this.#synchronising);
  }

  /** @throws ControlProblem if a document lacks its file */
  async settle(): Promise<void> {
    await Promise.all(this.#synchronising);
    const without = [...this.#files.keys()].find((id) => !this.#whole.has(id));
    if (without === undefined) return;
    throw new ControlProblem(
      400,
      `The export lacks the file of the document ${without}. Nothing was imported.`,
    );
  }

  /**
   * Puts all files in their places. One that is there already is the same: no call changes a document's file. Where it fails
   * they are removed again while it has its turn: another import may have the same ones as its own afterwards. Where that is
   * gone they stay; what is litter goes at the next start.
   * @param keep is called now and then, and throws once the turn is gone
   */
  async moveIn(signal: AbortSignal, keep: () => Promise<void>): Promise<void> {
    try {
      await this.#moveAll(keep);
      signal.throwIfAborted();
    } catch (error) {
      for (const some of inChunks(this.#moved, filesAtOnce)) {
        await keep();
        for (const place of some) await rm(place, { force: true });
      }
      throw error;
    }
  }

  async #moveAll(keep: () => Promise<void>): Promise<void> {
    const directories = new Set<string>();
    let done = 0;
    for (const { temporary, place } of this.#files.values()) {
      if (done++ % filesAtOnce === 0) await keep();
      await mkdir(dirname(place), { recursive: true, mode: 0o700 });
      const isThere = await stat(place).then(
        () => true,
        () => false,
      );
      await rename(temporary, place);
      if (!isThere) this.#moved.push(place);
      directories.add(dirname(place));
    }
    for (const some of inChunks([...directories], filesAtOnce)) {
      await keep();
      for (const directory of some) synchroniseDirectory(directory);
    }
    synchroniseDirectory(this.#directory);
  }

  /** Removes what came with an import that failed, but for what has been moved in. */
  async removeTemporary(): Promise<void> {
    await this.#open?.handle.close().catch(() => undefined);
    await Promise.allSettled(this.#synchronising);
    for (const { temporary } of this.#files.values()) await rm(temporary, { force: true });
  }
}
