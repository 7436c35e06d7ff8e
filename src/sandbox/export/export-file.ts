import { createHash } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Selectable, sql, type Transaction } from 'kysely';
import { errorCode } from '../../lib/files/error-code.ts';
import { unwritable } from '../../lib/files/file-failure.ts';
import {
  placeNewFile,
  privateFile,
  synchroniseDirectory,
  temporaryName,
} from '../../lib/files/private-file.ts';
import { ControlProblem } from '../control/problem.ts';
import type { ExportRequest, SandboxCounts } from '../control/protocol.ts';
import { fileUrl } from '../document-files.ts';
import type { Service } from '../service.ts';
import { migrations } from '../store/migrations.ts';
import { type DocumentsTable, type Tables, tables } from '../store/tables.ts';
import {
  type End,
  formatName,
  formatVersion,
  type Head,
  type PieceLine,
  pieceBytes,
  type RowLine,
} from './format.ts';

/** Rows read at a time: one may have a megabyte. */
const rowsAtOnce = 100;

/** Characters that are written at once, at least. */
const blockSize = 256 * 1024;

/** What was written. */
export interface Exported extends SandboxCounts {
  readonly bytes: number;
}

/** The file of a document, as it is named here and on the disk. */
type DocumentFile = Pick<Selectable<DocumentsTable>, 'id' | 'name' | 'size'> & { readonly path: string };

/**
 * Writes all that a sandbox holds to a file for this user only. The rows are those of one moment: calls that come while
 * they are read wait for that. The files are read afterwards, since no call changes the file of a document.
 * @throws ControlProblem if a document's file is not there any more, or if there is a file that is not to be replaced
 * @throws Failure `invalidInput` if the file can't be written
 */
export async function exportTo(
  service: Service,
  { file, replace }: ExportRequest,
  signal: AbortSignal,
): Promise<Exported> {
  const temporary = temporaryName(file);
  try {
    const exported = await writeTo(await open(temporary, 'wx', privateFile), service, signal);
    await put(temporary, file, replace);
    synchroniseDirectory(dirname(file));
    return exported;
  } catch (error) {
    throw error instanceof Error && 'syscall' in error ? unwritable(file, error) : error;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function put(temporary: string, file: string, replaces: boolean): Promise<void> {
  if (replaces) return rename(temporary, file);
  try {
    placeNewFile(temporary, file);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    throw new ControlProblem(400, `${file} is there already. Nothing was written.`, 'Name a new file.');
  }
}

async function writeTo(handle: FileHandle, service: Service, signal: AbortSignal): Promise<Exported> {
  const lines = new LineWriter(handle, signal);
  try {
    const { counts, files } = await writeRows(lines, service);
    for (const file of files) await writeFile(lines, file);
    await lines.end();
    await handle.sync();
    return { ...counts, bytes: lines.bytes };
  } finally {
    await handle.close();
  }
}

async function writeRows(lines: LineWriter, { store, clock }: Service) {
  const counts = { teams: 0, bots: 0, documents: 0, devices: 0, messages: 0 };
  const files: DocumentFile[] = [];
  const isCounted = (table: string): table is keyof typeof counts => Object.hasOwn(counts, table);
  await store.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (db) => {
      const head: Head = {
        format: formatName,
        version: formatVersion,
        schema: migrations.last,
        exported_at: new Date().toISOString(),
        clock: { now: clock.now().toISOString(), frozen: clock.isFrozen },
      };
      await lines.add(head);
      for (const table of tables) {
        for await (const row of rowsOf(db, table)) {
          if (isCounted(table)) counts[table] += 1;
          const line: RowLine = { table, row: plain(row) };
          await lines.add(line);
        }
      }
      for await (const row of rowsOf(db, 'documents')) {
        files.push({ id: row.id, name: row.name, size: row.size, path: join(store.files, fileUrl(row)) });
      }
    });
  return { counts, files };
}

/** Reads a table in the order of its key, so that the same rows make the same file. */
async function* rowsOf<T extends keyof Tables>(
  db: Transaction<Tables>,
  table: T,
): AsyncGenerator<Selectable<Tables[T]>> {
  await sql`declare exported no scroll cursor for select * from ${sql.table(table)} order by 1, 2`.execute(
    db,
  );
  const next = sql<Selectable<Tables[T]>>`fetch ${sql.lit(rowsAtOnce)} from exported`;
  for (;;) {
    const { rows } = await next.execute(db);
    yield* rows;
    if (rows.length < rowsAtOnce) break;
  }
  await sql`close exported`.execute(db);
}

/** Returns a row as JSON has it: times write themselves. */
function plain(row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
    ]),
  );
}

async function writeFile(lines: LineWriter, { id, name, size, path }: DocumentFile): Promise<void> {
  const gone = (): ControlProblem =>
    new ControlProblem(
      400,
      `The file of the document ${name} (${id}) is not there as it was. Nothing was exported.`,
    );
  const handle = await open(path).catch(() => {
    throw gone();
  });
  try {
    const piece = Buffer.alloc(pieceBytes);
    let read = 0;
    for (;;) {
      const { bytesRead } = await handle.read(piece, 0, pieceBytes);
      if (bytesRead === 0) break;
      read += bytesRead;
      const line: PieceLine = { file: id, data: piece.toString('base64', 0, bytesRead) };
      await lines.add(line);
    }
    if (read !== size) throw gone();
  } finally {
    await handle.close();
  }
}

/** Writes lines of JSON, counts and hashes them. */
class LineWriter {
  bytes = 0;
  readonly #handle: FileHandle;
  readonly #signal: AbortSignal;
  readonly #hash = createHash('sha256');
  #lines = 0;
  #block = '';

  constructor(handle: FileHandle, signal: AbortSignal) {
    this.#handle = handle;
    this.#signal = signal;
  }

  async add(value: unknown): Promise<void> {
    this.#lines += 1;
    this.#block += `${JSON.stringify(value)}\n`;
    if (this.#block.length >= blockSize) await this.#write();
  }

  /** Writes the last line. */
  async end(): Promise<void> {
    await this.#write();
    const end: End = { lines: this.#lines, sha256: this.#hash.copy().digest('hex') };
    await this.add(end);
    await this.#write();
  }

  async #write(): Promise<void> {
    this.#signal.throwIfAborted();
    const block = Buffer.from(this.#block);
    this.#block = '';
    this.#hash.update(block);
    this.bytes += block.length;
    await this.#handle.writeFile(block);
  }
}
