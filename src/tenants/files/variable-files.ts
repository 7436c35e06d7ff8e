import { headerProblems, readCsv, widthProblem } from '../../lib/csv.ts';
import { inputFailure } from '../../lib/errors.ts';
import { type FileProblem, readFileValue } from './file-value.ts';

/** Variables by name. Values are texts; the field decides how a value is parsed. */
export type Variables = ReadonlyMap<string, string>;

/** The variables of one row, with its position. */
export interface VariableRow {
  readonly line: number;
  readonly variables: Variables;
}

/**
 * Reads variables from YAML or JSON: names with values, one level deep. Values are unchanged, so that `+55…`
 * keeps its plus and `007` its zeros.
 * @param file its name in messages
 * @throws Failure `invalidInput` as `readFileValue`
 */
export async function readVariables(
  content: string,
  file: string,
): Promise<{ readonly variables: Variables; readonly problems: readonly FileProblem[] }> {
  const { root, problems } = await readFileValue(content, file);
  const variables = new Map<string, string>();
  const wrong: FileProblem[] = [...problems];
  if (root?.kind !== 'fields') {
    const message = `${file} has no variables: write names and values, such as region: south.`;
    if (root) wrong.push({ place: root.place, field: '', message });
    return { variables, problems: wrong };
  }
  for (const [name, { place, value }] of root.members) {
    if (value.kind === 'scalar' && value.value !== null) {
      variables.set(name, value.source ?? String(value.value));
    } else {
      wrong.push({ place, field: name, message: `${name} must be text, a number, or true or false.` });
    }
  }
  return { variables, problems: wrong };
}

/**
 * Reads rows of variables from CSV; the first line has the names. The format is that of `readCsv`.
 * @param file its name in messages
 * @throws Failure `invalidInput` that lists every wrong line
 */
export async function readRows(content: string, file: string): Promise<readonly VariableRow[]> {
  const table = await readCsv(content, file);
  const { names, rows } = table;
  const problems = [
    ...headerProblems(table, file),
    ...rows.flatMap((row) => {
      const wrong = widthProblem(row, table);
      return wrong === undefined ? [] : [`${file}:${row.line}: ${wrong}`];
    }),
  ];
  if (problems.length > 0) throw inputFailure(problems);
  return rows.map(({ cells, line }) => ({
    line,
    variables: new Map(names.map((name, at) => [name, cells[at] ?? ''])),
  }));
}
