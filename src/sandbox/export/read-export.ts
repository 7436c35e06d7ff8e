import { createHash, type Hash } from 'node:crypto';
import { read } from 'node:fs';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import { parseJson } from '../../lib/json-object.ts';
import { ControlProblem } from '../control/problem.ts';
import { check } from '../http/check.ts';
import { Refusal } from '../service.ts';
import { migrations } from '../store/migrations.ts';
import { tables } from '../store/tables.ts';
import { type End, formatName, formatVersion, head, type PieceLine, pieceLine, rowLine } from './format.ts';
import { keysOf, rowSchemas } from './row-schemas.ts';

/** Bytes of a line, at most: more than any row or piece takes. */
const maxLineBytes = 32 * 1024 * 1024;

/** Bytes read at a time. */
const chunkBytes = 256 * 1024;

const newline = 10;

const readAt = promisify(read);

/** A row that was checked, in the form that the database reads. */
export interface CheckedRow {
  readonly table: (typeof tables)[number];
  readonly row: Readonly<Record<string, unknown>>;
  /** Bytes of its line. */
  readonly bytes: number;
}

/** A file that is read from its beginning, as often as it is needed. */
export interface OpenFile {
  readonly path: string;
  readonly handle: number;
}

/** Is told of what an export has while it is checked. Both throw `PieceRefused`. */
export interface ExportReader {
  row(row: CheckedRow): Promise<void>;
  piece(line: PieceLine): Promise<void>;
}

/**
 * Checks a whole export: its head, its end, its hash, and each row by the schema of its table. Returns the hash of its
 * rows, for `readRows()`.
 * @throws ControlProblem if it is no export, one of another version, cut short or changed
 */
export async function checkExport(
  file: OpenFile,
  reader: ExportReader,
  signal: AbortSignal,
): Promise<string> {
  const whole = createHash('sha256');
  const ids = new Set<string>();
  let number = 0;
  let table = 0;
  let rowsHash: string | undefined;
  let isEnded = false;
  for await (const line of linesOf(file, signal)) {
    number += 1;
    if (isEnded) throw changed(file, number, 'nothing comes after the end');
    if (number > 1 && line.at(-1) !== newline) break;
    const value = parseJson(decoded(line));
    if (number === 1) checkHead(file, value);
    else if (z.safeParse(rowLine, value).success && rowsHash === undefined) {
      const checked = checkRow(file, value, number, line.length);
      const place = tables.indexOf(checked.table);
      if (place < table) throw changed(file, number, 'its rows are in another order');
      table = place;
      const key = [checked.table, ...keysOf[checked.table].map((name) => checked.row[name])].join(' ');
      if (ids.has(key)) throw changed(file, number, 'the row is there already');
      ids.add(key);
      await reader.row(checked).catch((error: unknown) => told(file, number, error));
    } else {
      rowsHash ??= whole.copy().digest('hex');
      const piece = z.safeParse(pieceLine, value);
      if (piece.success) await reader.piece(piece.data).catch((error: unknown) => told(file, number, error));
      else {
        if (!line.equals(endOf(number - 1, whole)))
          throw changed(file, number, 'it is not what was exported');
        isEnded = true;
      }
    }
    whole.update(line);
  }
  if (!isEnded || rowsHash === undefined) {
    throw number === 0
      ? noExport(file)
      : new ControlProblem(400, `${file.path} is cut short. Nothing was imported.`);
  }
  return rowsHash;
}

/**
 * Reads the rows of an export that was checked.
 * @param rowsHash what the check returned
 * @throws ControlProblem if the file was changed meanwhile
 */
export async function* readRows(
  file: OpenFile,
  rowsHash: string,
  signal: AbortSignal,
): AsyncGenerator<CheckedRow> {
  const hash = createHash('sha256');
  let number = 0;
  for await (const line of linesOf(file, signal)) {
    number += 1;
    const value = parseJson(decoded(line));
    if (number > 1 && !z.safeParse(rowLine, value).success) break;
    hash.update(line);
    if (number > 1) yield checkRow(file, value, number, line.length);
  }
  if (hash.digest('hex') !== rowsHash) throw changed(file, number, 'it changed while it was read');
}

function checkHead(file: OpenFile, value: unknown): void {
  const known = z.safeParse(z.looseObject({ format: z.literal(formatName), version: z.unknown() }), value);
  if (!known.success) throw noExport(file);
  const { version } = known.data;
  if (version !== formatVersion) {
    const words = `${file.path} is an export of version ${JSON.stringify(version)}; this botctl reads version ${formatVersion}.`;
    throw new ControlProblem(400, `${words} Nothing was imported.`);
  }
  const parsed = z.safeParse(head, value);
  if (!parsed.success) throw changed(file, 1, 'its head is not what was exported');
  const { schema } = parsed.data;
  if (migrations.has(schema)) return;
  throw new ControlProblem(
    400,
    `${file.path} was made by a newer botctl (its schema is ${schema}). Nothing was imported.`,
    'Import it with that one.',
  );
}

function checkRow(file: OpenFile, value: unknown, number: number, bytes: number): CheckedRow {
  const { table, row } = z.parse(rowLine, value);
  try {
    return { table, row: check(rowSchemas[table], row, 'row'), bytes };
  } catch (error) {
    if (error instanceof Refusal) throw changed(file, number, error.message);
    throw error;
  }
}

function endOf(lines: number, hash: Hash): Buffer {
  const end: End = { lines, sha256: hash.copy().digest('hex') };
  return Buffer.from(`${JSON.stringify(end)}\n`);
}

/** Reads the lines of a file, each with its newline, which the last one may lack. */
async function* linesOf({ path, handle }: OpenFile, signal: AbortSignal): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  let size = 0;
  for (let position = 0; ; ) {
    signal.throwIfAborted();
    const { bytesRead, buffer } = await readAt(handle, Buffer.alloc(chunkBytes), 0, chunkBytes, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    let bytes = buffer.subarray(0, bytesRead);
    for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline)) {
      yield Buffer.concat([...rest, bytes.subarray(0, at + 1)]);
      bytes = bytes.subarray(at + 1);
      rest = [];
      size = 0;
    }
    rest.push(bytes);
    size += bytes.length;
    if (size > maxLineBytes) throw noExport({ path, handle });
  }
  if (size > 0) yield Buffer.concat(rest);
}

/** Returns the text of a line, or an empty one if it is no text. */
function decoded(line: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line);
  } catch {
    return '';
  }
}

function noExport({ path }: OpenFile): ControlProblem {
  return new ControlProblem(400, `${path} is no export of a sandbox. Nothing was imported.`);
}

function changed({ path }: OpenFile, line: number, why: string): ControlProblem {
  const words = `${path} is damaged, or was edited (line ${line}: ${why.replace(/\.$/, '')}).`;
  return new ControlProblem(400, `${words} Nothing was imported.`);
}

function told(file: OpenFile, line: number, error: unknown): never {
  throw error instanceof PieceRefused ? changed(file, line, error.message) : error;
}

/** A piece of a file doesn't belong where it is. */
export class PieceRefused extends Error {
  override readonly name = 'PieceRefused';
}
