import { inputFailure } from '../../lib/errors.ts';
import { withoutMark } from '../../lib/text/byte-order-mark.ts';
import { readWritten } from './read-written.ts';
import type { FileProblem } from './written.ts';

/** Variables by name; always texts: what a field takes decides how one is read. */
export type Variables = ReadonlyMap<string, string>;

/** The variables of one row, and where it stands. */
export interface VariableRow {
  readonly line: number;
  readonly variables: Variables;
}

/**
 * Reads variables from YAML or JSON: names with values, one level deep. Values stay as they were typed, so that `+55…`
 * keeps its plus and `007` its zeros.
 * @param file what it is called in messages
 * @throws Failure `invalidInput` as `readWritten`
 */
export async function readVariables(
  content: string,
  file: string,
): Promise<{ readonly variables: Variables; readonly problems: readonly FileProblem[] }> {
  const { root, problems } = await readWritten(content, file);
  const variables = new Map<string, string>();
  const wrong: FileProblem[] = [...problems];
  if (root?.kind !== 'fields') {
    const says = `${file} holds no variables: write names with values, such as region: south.`;
    if (root) wrong.push({ place: root.place, field: '', says });
    return { variables, problems: wrong };
  }
  for (const [name, { place, value }] of root.members) {
    if (value.kind === 'scalar' && value.value !== null) {
      variables.set(name, value.source ?? String(value.value));
    } else {
      wrong.push({ place, field: name, says: `${name} must be text, a number, or true or false.` });
    }
  }
  return { variables, problems: wrong };
}

/**
 * Reads rows of variables from CSV, whose first line names them. Cells stand between commas, semicolons or tabs, whichever
 * the first line has most of.
 * @param file what it is called in messages
 * @throws Failure `invalidInput` that names every line that is wrong
 */
export async function readRows(content: string, file: string): Promise<readonly VariableRow[]> {
  const { parse, CsvError } = await import('csv-parse/sync');
  const text = withoutMark(content);
  const rows: { readonly cells: readonly string[]; readonly line: number }[] = [];
  try {
    parse(text, {
      delimiter: delimiterOf(text),
      skipEmptyLines: true,
      relaxColumnCount: true,
      onRecord(cells: readonly string[], { lines }) {
        rows.push({ cells, line: lines });
        return null;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw inputFailure([`${file} is no CSV: a quote is missing or too many, near line ${lineOf(error)}.`]);
  }
  const [head, ...others] = rows;
  const names = (head?.cells ?? []).map((name) => name.trim());
  const problems = [
    text.includes('\uFFFD') && `${file} is not in UTF-8: save it as that.`,
    others.length === 0 && `${file} has no rows below the names of its columns.`,
    ...names.map((name, at) => name === '' && `${file}:1: column ${at + 1} has no name.`),
    ...names.map(
      (name, at) => names.indexOf(name) < at && name !== '' && `${file}:1: two columns are called ${name}.`,
    ),
    ...others.map(
      ({ cells, line }) =>
        cells.length !== names.length &&
        `${file}:${line}: the row has ${cells.length} cells, and there are ${names.length} columns.`,
    ),
  ].filter((problem) => problem !== false);
  if (problems.length > 0) throw inputFailure(problems);
  return others.map(({ cells, line }) => ({
    line,
    variables: new Map(names.map((name, at) => [name, cells[at] ?? ''])),
  }));
}

function delimiterOf(text: string): string {
  const [head = ''] = text.replace(/"[^"]*"/g, '').split(/\r?\n/, 1);
  const count = (delimiter: string): number => head.split(delimiter).length;
  return [',', ';', '\t'].reduce((best, one) => (count(one) > count(best) ? one : best));
}

function lineOf(error: object): number {
  return 'lines' in error && typeof error.lines === 'number' ? error.lines : 1;
}
