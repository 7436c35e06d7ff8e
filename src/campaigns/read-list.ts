import { createHash } from 'node:crypto';
import { inputFailure } from '../lib/errors.ts';
import { chunksOf } from '../lib/files/bytes.ts';
import { readFileOptionBytes } from '../lib/files/text-input.ts';
import type { Io } from '../lib/io.ts';
import { fold } from '../lib/text/compare.ts';
import { oneLine } from '../lib/text/sentence.ts';
import { mostSimilar } from '../lib/text/similar.ts';
import { columnList, columnSuggestion } from './column-words.ts';
import { type Recipients, readRecipients } from './recipients.ts';

/** A list of recipients with the columns that identify the recipients. */
export interface RecipientList {
  readonly recipients: Recipients;
  /** Its name in messages. */
  readonly file: string;
  readonly sha256: string;
  readonly toColumn: string;
  readonly keyColumn: string | undefined;
}

export interface ListOptions {
  /** The path of the file, or `-` for stdin. */
  readonly recipients: string;
  /** The column with the numbers. If it is undefined, the column is found by its name. */
  readonly toColumn?: string | undefined;
  readonly keyColumn?: string | undefined;
  /** Whether the list may consist of numbers only, without a header. */
  readonly mayLackHead?: boolean;
}

/**
 * Reads a list of recipients.
 * @throws Failure `invalidInput` if it can't be read, or lacks a column
 */
export async function readList(io: Io, given: ListOptions): Promise<RecipientList> {
  const bytes = await readFileOptionBytes(io, given.recipients, '--recipients');
  const file = given.recipients === '-' ? 'stdin' : given.recipients;
  const recipients = await readRecipients(bytes, file, given);
  const { columns } = recipients;
  const { keyColumn } = given;
  const toColumn = given.toColumn ?? findNumberColumn(columns, file);
  const problems = [
    noColumnProblem('--to-column', toColumn, columns, file),
    noColumnProblem('--key-column', keyColumn, columns, file),
  ].filter((problem) => problem !== undefined);
  if (problems.length > 0) throw inputFailure(problems, columnsHint(columns));
  const digest = createHash('sha256');
  for (const piece of chunksOf(bytes)) digest.update(piece);
  const sha256 = digest.digest('hex');
  return { recipients, file, sha256, toColumn, keyColumn };
}

function findNumberColumn(columns: readonly string[], file: string): string {
  const found = phoneColumns(columns);
  if (found[0] !== undefined && found.length === 1) return found[0];
  const why = found.length === 0 ? 'No column' : 'More than one column';
  throw inputFailure(
    [`${why} of ${file} has a usual name for phone numbers. Name it with --to-column.`],
    columnsHint(columns),
  );
}

function noColumnProblem(
  option: string,
  name: string | undefined,
  columns: readonly string[],
  file: string,
): string | undefined {
  if (name === undefined || columns.includes(name)) return undefined;
  const near = mostSimilar(name, columns);
  return `${option}: ${file} has no column ${oneLine(name, 40)}.${columnSuggestion(name, near)}`;
}

function columnsHint(columns: readonly string[]): string {
  return `Its columns are ${columnList(columns)}.`;
}

/** Usual names of columns of phone numbers, folded and without separators. */
const usualNames: ReadonlySet<string> = new Set(
  'PHONE PHONENUMBER PHONENO TELEPHONE MOBILE MOBILENUMBER MOBILEPHONE CELL CELLPHONE NUMBER TO MSISDN WHATSAPP TELEFONE CELULAR FONE NUMERO TELEFONO MOVIL TEL'.split(
    ' ',
  ),
);

/** Returns the columns whose names suggest phone numbers. */
export function phoneColumns(columns: readonly string[]): readonly string[] {
  return columns.filter((name) => usualNames.has(fold(name).replace(/[\s_.-]/g, '')));
}
