import { problemsOfHead, readCsv, wrongWidth } from '../lib/csv.ts';
import { inputFailure } from '../lib/errors.ts';
import { isObject, parseJson } from '../lib/json-object.ts';
import { withoutMark } from '../lib/text/byte-order-mark.ts';
import { oneLine } from '../lib/text/one-line.ts';

/** A row of a list of recipients. */
export interface Recipient {
  /** The line of the file that it begins in. */
  readonly line: number;
  /** Its cells by the names of their columns; a column that the row lacks is not there. */
  readonly cells: ReadonlyMap<string, string>;
  /** What makes the row none that can be read, in words. */
  readonly wrong?: string | undefined;
}

/** A list of recipients, read and not yet checked. */
export interface Recipients {
  /** In the order of the file; of NDJSON in that in which they first come. */
  readonly columns: readonly string[];
  readonly rows: readonly Recipient[];
  /** The encoding, where it had to be recognised: it may be another one. */
  readonly guessed?: string | undefined;
}

/**
 * Reads recipients from CSV or NDJSON: whatever begins with a brace is the latter.
 * @param file what it is called in messages
 * @param options whether it may be numbers alone, one a line; their column is called phone then
 * @throws Failure `invalidInput` with everything that is wrong with the file as a whole
 */
export async function readRecipients(
  bytes: Uint8Array,
  file: string,
  { mayLackHead = false } = {},
): Promise<Recipients> {
  const { text, guessed } = decoded(bytes, file);
  const isHeadless = mayLackHead && startsWithNumber.test(text);
  const read = /^\s*\{/.test(text) ? readLines(text, file) : await readTable(text, file, isHeadless);
  return { ...read, ...(guessed !== undefined && { guessed }) };
}

/** A first line with a phone number and nothing else. */
const startsWithNumber = /^\ufeff?\s*['"]?\+?[\d\s().-]{7,}['"]?\s*(?:\n|$)/;

async function readTable(text: string, file: string, isHeadless: boolean): Promise<Recipients> {
  const table = await readCsv(isHeadless ? `phone\n${withoutMark(text)}` : text, file);
  const { names } = table;
  const rows = table.rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  const problems = problemsOfHead({ names, rows }, file);
  if (problems.length > 0) throw inputFailure(problems.map((problem) => oneLine(problem, 200)));
  return {
    columns: names,
    rows: rows.map((row) => ({
      line: row.line - (isHeadless ? 1 : 0),
      cells: new Map(names.map((name, at) => [name, row.cells[at] ?? ''])),
      wrong: wrongWidth(row, table),
    })),
  };
}

function readLines(text: string, file: string): Recipients {
  const columns = new Set<string>();
  const rows = text.split('\n').flatMap((written, index): readonly Recipient[] => {
    if (written.trim() === '') return [];
    const row = recipientIn(index + 1, parseJson(written));
    for (const name of row.cells.keys()) columns.add(name);
    return [row];
  });
  if (columns.size === 0) throw inputFailure([`${file} has no line with members.`]);
  return { columns: [...columns], rows };
}

function recipientIn(line: number, value: unknown): Recipient {
  if (!isObject(value)) return { line, cells: new Map(), wrong: 'the line is no JSON object.' };
  const members = Object.entries(value).filter(([, member]) => member !== null);
  const nested = members.find(([, member]) => typeof member === 'object');
  const wrong = nested && `${oneLine(nested[0], 40)} must be text, a number, or true or false.`;
  return { line, cells: new Map(members.map(([name, member]) => [name, String(member)])), wrong };
}

/** Beginnings of files that spreadsheets save when they are not asked for CSV. */
const spreadsheets = [
  [0x50, 0x4b, 0x03, 0x04],
  [0xd0, 0xcf, 0x11, 0xe0],
];

/**
 * Returns the text of a file: by its byte order mark, as UTF-8 where that is what it is, and else as windows-1252, in
 * which Excel saves CSV.
 */
function decoded(bytes: Uint8Array, file: string): { readonly text: string; readonly guessed?: string } {
  const begins = (mark: readonly number[]): boolean => mark.every((byte, at) => bytes[at] === byte);
  if (spreadsheets.some(begins))
    throw inputFailure([`${file} is a spreadsheet: save it as CSV, in UTF-8 where that is offered.`]);
  if (begins([0xff, 0xfe])) return { text: withoutMark(new TextDecoder('utf-16le').decode(bytes)) };
  if (begins([0xfe, 0xff])) return { text: withoutMark(new TextDecoder('utf-16be').decode(bytes)) };
  if (bytes.includes(0)) throw inputFailure([`${file} is no text: it has NUL bytes.`]);
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    // Without `stream`, Node 20 decodes it as Latin-1: its quotes become control characters.
    const text = new TextDecoder('windows-1252').decode(bytes, { stream: true });
    return { text, guessed: 'windows-1252' };
  }
}
