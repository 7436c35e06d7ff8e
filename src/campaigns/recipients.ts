import { type CsvRow, columnNames, csvRows, headerProblems, widthProblem } from '../lib/csv.ts';
import { errorCode, inputFailure } from '../lib/errors.ts';
import { type Bytes, chunksOf, concatBytes, linesOf, skipBytes } from '../lib/files/bytes.ts';
import { decodeSendableText, decodeText } from '../lib/files/decode-text.ts';
import { isObject, parseJson } from '../lib/json-object.ts';
import { oneLine } from '../lib/text/sentence.ts';
import { numberText } from '../phone-numbers/number-forms.ts';

/** A row of a list of recipients. */
export interface Recipient {
  /** The line of the file on which it starts. */
  readonly line: number;
  /** Its cells by the names of their columns. Columns that the row lacks are missing. */
  readonly cells: ReadonlyMap<string, string>;
  /** Why the row can't be read. */
  readonly problem?: string | undefined;
}

/** A list of recipients that has not been checked yet. */
export interface Recipients {
  /** In the order of the file; for NDJSON in the order of their first appearance. */
  readonly columns: readonly string[];
  /**
   * Reads the rows from the start, one at a time, since a list may be long.
   * @throws Failure `invalidInput` if a closing quote is missing
   */
  rows(): AsyncIterable<Recipient>;
  /** The encoding, if it was guessed. The guess may be wrong. */
  readonly guessedEncoding?: string | undefined;
}

/**
 * Reads recipients from CSV or NDJSON. A file that starts with a brace is NDJSON.
 * @param file its name in messages
 * @param options whether the file may be one number per line; the column is then called phone
 * @throws Failure `invalidInput` with every problem of the file as a whole
 */
export async function readRecipients(
  bytes: Bytes,
  file: string,
  { mayLackHead = false } = {},
): Promise<Recipients> {
  const { utf8, guessed: guessedEncoding } = decodeRecipients(bytes, file);
  const start = utf8.subarray(0, maxStart).toString('utf8');
  const isHeadless = mayLackHead && startsWithNumber(start);
  const read = /^\s*\{/.test(start) ? await readLines(utf8, file) : await readTable(utf8, file, isHeadless);
  return { ...read, ...(guessedEncoding !== undefined && { guessedEncoding }) };
}

/** The number of bytes from which the format is recognised. */
const maxStart = 1024;

/** Returns whether a first line consists of a phone number only. */
function startsWithNumber(start: string): boolean {
  const [line = ''] = start.trimStart().split(/[\n\r]/);
  const text = numberText(line.trim().replace(/^["']|["']$/g, ''));
  return /^(?:tel:.*|\+?[\d\s()./\p{Pd}\u2212]{7,})$/iu.test(text);
}

async function readTable(utf8: Bytes, file: string, isHeadless: boolean): Promise<Recipients> {
  const content = isHeadless ? concatBytes(Buffer.from('phone\n'), utf8) : utf8;
  const [head, first] = await readFirstRows(content, file);
  const names = columnNames(head);
  const problems = headerProblems({ names, rows: first ? [first] : [] }, file);
  if (problems.length > 0) throw inputFailure(problems.map((problem) => oneLine(problem, 200)));
  return {
    columns: names,
    async *rows() {
      let isHead = true;
      for await (const row of csvRows(content, file)) {
        if (!isHead && hasCells(row)) {
          const cells = new Map(names.map((name, at) => [name, row.cells[at] ?? '']));
          yield { line: row.line - (isHeadless ? 1 : 0), cells, problem: widthProblem(row, { names }) };
        }
        isHead = false;
      }
    },
  };
}

/** Returns the first row, and the first row below it that is not empty. */
async function readFirstRows(content: Bytes, file: string): Promise<readonly CsvRow[]> {
  const found: CsvRow[] = [];
  for await (const row of csvRows(content, file)) {
    if (found.length === 0 || hasCells(row)) found.push(row);
    if (found.length > 1) break;
  }
  return found;
}

function hasCells({ cells }: CsvRow): boolean {
  return cells.some((cell) => cell.trim() !== '');
}

async function readLines(utf8: Bytes, file: string): Promise<Recipients> {
  const rows = async function* (): AsyncGenerator<Recipient, void> {
    let line = 0;
    for (const written of linesOf(utf8)) {
      line += 1;
      if (written.trim() !== '') yield parseRecipient(line, written);
    }
  };
  const columns = new Set<string>();
  for await (const { cells } of rows()) for (const name of cells.keys()) columns.add(name);
  if (columns.size === 0) throw inputFailure([`${file} has no JSON object with fields.`]);
  return { columns: [...columns], rows };
}

function parseRecipient(line: number, written: string): Recipient {
  const value = parseJson(written);
  if (!isObject(value)) return { line, cells: new Map(), problem: 'the line is not a JSON object.' };
  const members = Object.entries(value).filter(([, member]) => member !== null);
  const nested = members.find(([, member]) => typeof member === 'object');
  const wrong = nested
    ? `${oneLine(nested[0], 40)} must be text, a number, or true or false.`
    : members.some(([, member]) => typeof member === 'number') && numberProblem(written);
  return {
    line,
    cells: new Map(members.map(([name, member]) => [name, String(member)])),
    problem: wrong || undefined,
  };
}

/** The strings, the punctuation and the other values of a line of JSON. */
const jsonTokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Returns the problem of a number that JSON parses as a different one, such as an id of 17 digits or more. */
function numberProblem(written: string): string | undefined {
  const changed = written.match(jsonTokens)?.find((one) => /^[-\d]/.test(one) && String(Number(one)) !== one);
  if (changed === undefined) return undefined;
  return `${oneLine(changed, 40)} must be in quotes: as a number it is ${Number(changed)}.`;
}

/** The maximum length of a byte order mark, in bytes. */
const maxBomLength = 4;

/** The first bytes of files that spreadsheet programs save by default instead of CSV. */
const spreadsheets = [
  [0x50, 0x4b, 0x03, 0x04],
  [0xd0, 0xcf, 0x11, 0xe0],
];

/**
 * Returns the text of a file in UTF-8, without its byte order mark. The encoding is that of the byte order mark, else
 * UTF-8 if the bytes are valid UTF-8, else windows-1252, in which Excel saves CSV. Characters that must not be sent are
 * reported later as problems of their row.
 * @throws Failure `invalidInput` if the file is not text
 */
function decodeRecipients(bytes: Bytes, file: string): { readonly utf8: Bytes; readonly guessed?: string } {
  const start = bytes.subarray(0, maxBomLength);
  const begins = (mark: readonly number[]): boolean => mark.every((byte, at) => start[at] === byte);
  if (spreadsheets.some(begins))
    throw inputFailure([`${file} is a spreadsheet. Save it as CSV, in UTF-8 if possible.`]);
  const whole = (): Buffer => bytes.subarray(0, bytes.length);
  const source = { path: file === 'stdin' ? undefined : file, label: file };
  if (begins([0xff, 0xfe]) || begins([0xfe, 0xff])) return { utf8: Buffer.from(decodeText(whole(), source)) };
  for (const piece of chunksOf(bytes)) {
    // This throws and names the place.
    if (piece.includes(0)) decodeSendableText(whole(), source);
  }
  if (isUtf8(chunksOf(bytes))) return { utf8: begins([0xef, 0xbb, 0xbf]) ? skipBytes(bytes, 3) : bytes };
  // Without `stream`, Node 20 decodes it as Latin-1: its quotes become control characters.
  const text = new TextDecoder('windows-1252').decode(whole(), { stream: true });
  return { utf8: Buffer.from(text), guessed: 'windows-1252' };
}

/** Returns whether bytes in chunks are UTF-8. A chunk may end within a character. */
function isUtf8(pieces: Iterable<Buffer>): boolean {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for (const piece of pieces) decoder.decode(piece, { stream: true });
    decoder.decode();
    return true;
  } catch (error) {
    if (errorCode(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA') return false;
    throw error;
  }
}
