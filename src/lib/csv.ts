import { inputFailure } from './errors.ts';
import type { Bytes } from './files/bytes.ts';
import { pluralize } from './text/numbers.ts';

/** A row of a CSV file, and the line on which it begins. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** A CSV file: the names in its first row, and the other rows with any number of cells. */
export interface CsvTable {
  readonly names: readonly string[];
  readonly rows: readonly CsvRow[];
}

/** Matches a first line that declares the separator, as Excel supports it. */
const separatorLine = /^sep=([^\r\n])\r?\n/i;

/** Bytes parsed at a time: few enough that V8 frees their rows before it moves them to the old generation. */
const chunkBytes = 8 * 1024;

/** Maximum bytes of the first row. */
const maxHeaderBytes = 64 * 1024;

/**
 * Reads CSV with column names in the first row: see `csvRows`.
 * @throws Failure as `csvRows`
 */
export async function readCsv(content: string, file: string): Promise<CsvTable> {
  const rows: CsvRow[] = [];
  for await (const row of csvRows(Buffer.from(content), file)) rows.push(row);
  const [head, ...others] = rows;
  return { names: columnNames(head), rows: others };
}

/** Returns the column names in a first row. */
export function columnNames(head: CsvRow | undefined): readonly string[] {
  return (head?.cells ?? []).map((name) => name.trim());
}

/**
 * Yields the rows of CSV, including the first one. The separator is a comma, a semicolon or a tab, whichever is most
 * frequent in the first line.
 * @param content in UTF-8, without a byte order mark
 * @param file its name in messages
 * @throws Failure `invalidInput` if a quote is missing
 */
export async function* csvRows(content: Bytes, file: string): AsyncGenerator<CsvRow, void> {
  const { parse, CsvError } = await import('csv-parse');
  const start = content.subarray(0, maxHeaderBytes).toString('utf8');
  const [said, separator] = separatorLine.exec(start) ?? [''];
  const before = said === '' ? 0 : 1;
  let rows: CsvRow[] = [];
  // Lines counted twice by the parser: it counts the two characters of a CRLF within a cell as two lines.
  let twice = 0;
  const parser = parse({
    delimiter: separator ?? delimiterOf(start.slice(said.length)),
    // A concatenated file may have mixed line endings.
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
  // Each write reports its own error.
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
    throw inputFailure([`${file} is not valid CSV: missing or extra quote near line ${line}.`]);
  } finally {
    parser.destroy();
  }
}

function done(work: (tell: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    work((error) => (error ? reject(error) : resolve()));
  });
}

/** Returns the problems with the first row of a CSV file, or with the file as a whole. */
export function headerProblems({ names, rows }: CsvTable, file: string): readonly string[] {
  return [
    rows.length === 0 && `${file} has no rows below its header.`,
    ...names.map((name, at) => name === '' && `${file}:1: column ${at + 1} has no name.`),
    ...names.map(
      (name, at) => names.indexOf(name) < at && name !== '' && `${file}:1: two columns are named ${name}.`,
    ),
  ].filter((problem) => problem !== false);
}

/** Describes the problem with the number of cells in a row; undefined if there is none. */
export function widthProblem({ cells }: CsvRow, { names }: Pick<CsvTable, 'names'>): string | undefined {
  if (cells.length === names.length) return undefined;
  return `the row has ${pluralize(cells.length, 'cell')}, but the header has ${pluralize(names.length, 'column')}.`;
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
