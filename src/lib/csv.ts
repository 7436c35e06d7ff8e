import { inputFailure } from './errors.ts';
import type { Bytes } from './files/bytes.ts';

/** A row of a CSV file, and the line that it begins in. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** A CSV file: the names in its first row, and the other rows, however many cells they have. */
export interface CsvTable {
  readonly names: readonly string[];
  readonly rows: readonly CsvRow[];
}

/** The first line with which Excel is told the separator. */
const separatorLine = /^sep=([^\r\n])\r?\n/i;

/** Bytes that are parsed at a time: so few that their rows are gone before V8 takes them for what stays. */
const chunkBytes = 8 * 1024;

/** More bytes than the first row of any list has. */
const maxHeaderBytes = 64 * 1024;

/**
 * Reads CSV whose first row names the columns: see `csvRows`.
 * @throws Failure as `csvRows`
 */
export async function readCsv(content: string, file: string): Promise<CsvTable> {
  const rows: CsvRow[] = [];
  for await (const row of csvRows(Buffer.from(content), file)) rows.push(row);
  const [head, ...others] = rows;
  return { names: columnNames(head), rows: others };
}

/** Returns the names of columns that a first row has. */
export function columnNames(head: CsvRow | undefined): readonly string[] {
  return (head?.cells ?? []).map((name) => name.trim());
}

/**
 * Yields the rows of CSV, the first one included. Cells stand between commas, semicolons or tabs, whichever the first line
 * has most of.
 * @param content in UTF-8, without a byte order mark
 * @param file what it is called in messages
 * @throws Failure `invalidInput` where a quote is missing
 */
export async function* csvRows(content: Bytes, file: string): AsyncGenerator<CsvRow, void> {
  const { parse, CsvError } = await import('csv-parse');
  const start = content.subarray(0, maxHeaderBytes).toString('utf8');
  const [said, separator] = separatorLine.exec(start) ?? [''];
  const before = said === '' ? 0 : 1;
  let rows: CsvRow[] = [];
  // What the parser has counted twice: it takes the two characters of one break within a cell for two.
  let twice = 0;
  const parser = parse({
    delimiter: separator ?? delimiterOf(start.slice(said.length)),
    // Of files that were put together each may end its lines in its own way.
    recordDelimiter: ['\r\n', '\n', '\r'],
    skipEmptyLines: true,
    relaxColumnCount: true,
    onRecord(cells: readonly string[], { lines }) {
      const breaks = lineBreaksIn(cells);
      const counted = breaks.join('').length;
      rows.push({ cells, line: lines + before - twice - counted });
      twice += counted - breaks.length;
      return null;
    },
  });
  const taken = (): readonly CsvRow[] => {
    const all = rows;
    rows = [];
    return all;
  };
  // Each step tells its own error.
  parser.on('error', () => undefined);
  try {
    for (let at = Buffer.byteLength(said); at < content.length; at += chunkBytes) {
      await done((tell) => parser.write(content.subarray(at, at + chunkBytes), tell));
      yield* taken();
    }
    await done((tell) => parser.end(tell));
    yield* taken();
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = lineOf(error) + before - twice;
    throw inputFailure([`${file} is no CSV: a quote is missing or too many, near line ${line}.`]);
  } finally {
    parser.destroy();
  }
}

function done(work: (tell: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    work((error) => (error ? reject(error) : resolve()));
  });
}

/** Returns what is wrong with the first row of a CSV file, or with the file as a whole. */
export function headerProblems({ names, rows }: CsvTable, file: string): readonly string[] {
  return [
    rows.length === 0 && `${file} has no rows below the names of its columns.`,
    ...names.map((name, at) => name === '' && `${file}:1: column ${at + 1} has no name.`),
    ...names.map(
      (name, at) => names.indexOf(name) < at && name !== '' && `${file}:1: two columns are called ${name}.`,
    ),
  ].filter((problem) => problem !== false);
}

/** Returns what is wrong with the number of cells in a row, in words, or undefined if nothing is. */
export function widthProblem({ cells }: CsvRow, { names }: Pick<CsvTable, 'names'>): string | undefined {
  if (cells.length === names.length) return undefined;
  return `the row has ${cells.length} cells, and there are ${names.length} columns.`;
}

/** Returns the line breaks within cells. */
function lineBreaksIn(cells: readonly string[]): readonly string[] {
  return cells.flatMap((cell) => cell.match(/\r\n|\r|\n/g) ?? []);
}

function delimiterOf(text: string): string {
  const [head = ''] = text.replace(/"[^"]*"/g, '').split(/[\r\n]/, 1);
  const count = (delimiter: string): number => head.split(delimiter).length;
  return [',', ';', '\t'].reduce((best, one) => (count(one) > count(best) ? one : best));
}

function lineOf(error: object): number {
  return 'lines' in error && typeof error.lines === 'number' ? error.lines : 1;
}
