import type { OutputShape, Results, Row } from '../command.ts';
import { Failure } from '../errors.ts';
import type { GlobalOptions, OutputFormat } from '../global-options.ts';
import type { Clock, Io } from '../io.ts';
import { colorLevel, loadPaint, takesUnicode } from './colour.ts';
import { csvHeader, csvLine, idLine, idNames, tsvHeader, tsvLine, tsvRecord } from './delimited.ts';
import type { Field, Fields } from './fields.ts';
import { pickMembers, toJson } from './json.ts';
import { inChunks, write } from './output.ts';
import type { Canvas } from './shown.ts';
import {
  fieldsHint,
  headingOf,
  isDeclared,
  isEmpty,
  isObject,
  pickFields,
  unknownField,
  valueAt,
} from './values.ts';

/** What presenting needs; a `Context` has it. */
export interface Stage {
  readonly io: Pick<Io, 'stdout' | 'env'>;
  readonly options: Pick<GlobalOptions, 'output' | 'fields' | 'header' | 'color'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** What was printed. */
export interface Presented {
  /** Rows of a list; an empty one on a terminal deserves a remark. */
  readonly rows: number;
}

type ShapeWithFields = Extract<OutputShape, { readonly fields: Fields }>;

/** A result on its way to stdout. */
interface Job {
  readonly stage: Stage;
  readonly format: OutputFormat;
  /** The declared fields. */
  readonly declared: Fields;
  /** The fields asked for, or those that the format shows by itself. */
  readonly fields: Fields;
  /** The names given with `--fields`. */
  readonly names: readonly string[] | undefined;
}

/** The format of a result: as asked, otherwise a table on a terminal and what scripts like in a pipe. */
export function formatFor(shape: OutputShape, { io, options }: Omit<Stage, 'clock'>): OutputFormat {
  if (options.output !== undefined && options.output !== 'help') return options.output;
  if (io.stdout.isTTY === true) return 'table';
  return shape.kind === 'events' ? 'ndjson' : 'tsv';
}

/** Formats that show whole rows, so that members which nobody declared can be asked for too. */
const wholeRows: ReadonlySet<OutputFormat> = new Set(['json', 'ndjson', 'yaml']);

/**
 * Checks `--fields` and `-o id` against what a command gives, before it does anything. For a command that
 * only reads, JSON and YAML leave names that nobody declared to `present`, which finds them in the data.
 *
 * @throws Failure `usage` that names the valid fields.
 */
export function checkFields(shape: OutputShape, stage: Omit<Stage, 'clock'>, onlyReads: boolean): void {
  if (shape.kind === 'text' || shape.kind === 'nothing') return;
  const format = formatFor(shape, stage);
  if (stage.options.fields?.length === 0) {
    throw new Failure('usage', '--fields names no field.', { hint: fieldsHint(shape.fields) });
  }
  const undeclared = stage.options.fields?.find((name) => !isDeclared(shape.fields, name));
  if (undeclared !== undefined && !(onlyReads && wholeRows.has(format))) {
    throw unknownField(undeclared, shape.fields);
  }
  if (format === 'id' && !shape.fields.some(({ name }) => idNames.some((id) => id === name))) {
    throw new Failure('usage', 'This result has no id to print.', {
      hint: 'Use another format, such as -o json.',
    });
  }
}

/** What `-o help` prints: the fields of a command's result, one a line. */
export function describeFields(shape: OutputShape): string {
  if (shape.kind === 'text') return 'This command prints text; it has no fields.\n';
  if (shape.kind === 'nothing') return 'This command prints no result.\n';
  const widest = Math.max(...shape.fields.map(({ name }) => name.length));
  const lines = shape.fields.map((field) => `  ${field.name.padEnd(widest)}  ${headingOf(field)}\n`);
  return `Fields for --fields; -o json also has members that are not listed here:\n${lines.join('')}`;
}

/**
 * Prints a command's result on stdout in the format asked for.
 *
 * @throws Failure `usage` for a field that isn't there.
 */
export async function present(
  result: Results[OutputShape['kind']],
  shape: OutputShape,
  stage: Stage,
): Promise<Presented> {
  if (shape.kind === 'nothing') return { rows: 0 };
  if (shape.kind === 'text') {
    if (typeof result !== 'string') throw wrongResult(shape);
    await write(stage.io.stdout, result === '' || result.endsWith('\n') ? result : `${result}\n`);
    return { rows: 0 };
  }
  if (shape.kind === 'events' && isObject(result) && !isRows(result))
    return presentLone(result, shape, stage);
  checkFields(shape, stage, true);
  const job = jobFor(shape, stage);
  if (shape.kind === 'record') {
    if (!isObject(result)) throw wrongResult(shape);
    await presentRecord(result, job);
    return { rows: 1 };
  }
  if (!isRows(result)) throw wrongResult(shape);
  const asCards = shape.kind === 'events' && shape.cards === true && job.format === 'table';
  if (asCards) return { rows: await presentCards(result, job) };
  return { rows: await presentRows(result, job, shape.kind) };
}

/** A lone row of events, where there was nothing to wait for: a record without the details of other events. */
async function presentLone(row: Row, { fields }: ShapeWithFields, stage: Stage): Promise<Presented> {
  const shape = { kind: 'record', fields } as const;
  checkFields(shape, stage, true);
  const job = jobFor(shape, stage);
  const isShown = ({ name, detail }: Field): boolean => !detail || !isEmpty(valueAt(row, name));
  await presentRecord(row, job.names ? job : { ...job, fields: fields.filter(isShown) });
  return { rows: 1 };
}

function wrongResult({ kind }: OutputShape): TypeError {
  return new TypeError(`A command whose output is declared as ${kind} returned something else.`);
}

function isRows(result: unknown): result is readonly Row[] | AsyncIterable<Row> {
  return (
    Array.isArray(result) || (typeof result === 'object' && result !== null && Symbol.asyncIterator in result)
  );
}

function jobFor(shape: ShapeWithFields, stage: Stage): Job {
  const names = stage.options.fields;
  const shown = shape.kind === 'record' ? shape.fields : shape.fields.filter(({ detail }) => !detail);
  const fields = names ? pickFields(shape.fields, names) : shown;
  return { stage, format: formatFor(shape, stage), declared: shape.fields, fields, names };
}

async function presentRecord(row: Row, job: Job): Promise<void> {
  const { stdout } = job.stage.io;
  if (wholeRows.has(job.format)) checkPresent([row], job);
  switch (job.format) {
    case 'table': {
      const { drawCard } = await import('./card.ts');
      await write(
        stdout,
        await drawCard(row, job.fields, await canvasFor(job.stage), job.names !== undefined),
      );
      return;
    }
    case 'json':
      await write(stdout, `${toJson(picked(row, job), stdout.isTTY === true)}\n`);
      return;
    case 'yaml': {
      const { toYaml } = await import('./yaml.ts');
      await write(stdout, toYaml(picked(row, job)));
      return;
    }
    case 'tsv':
      await write(stdout, (job.stage.options.header ? 'field\tvalue\n' : '') + tsvRecord(row, job.fields));
      return;
    default:
      await write(stdout, heading(job) + lineOf(row, job));
  }
}

/** Prints each row as a card as soon as it is there, with a blank line between them. */
async function presentCards(rows: readonly Row[] | AsyncIterable<Row>, job: Job): Promise<number> {
  let count = 0;
  for await (const row of rows) {
    if (count > 0) await write(job.stage.io.stdout, '\n');
    await presentRecord(row, job);
    count += 1;
  }
  return count;
}

/** Prints rows; gives how many. JSON and YAML need them all, every other format prints them as they come. */
async function presentRows(
  rows: readonly Row[] | AsyncIterable<Row>,
  job: Job,
  kind: 'list' | 'events',
): Promise<number> {
  if (job.format === 'table') return presentTable(rows, job);
  if (kind === 'list' && (job.format === 'json' || job.format === 'yaml')) return presentWhole(rows, job);
  const { stdout } = job.stage.io;
  const line = await lineWriter(job);
  let count = 0;
  if (!(await write(stdout, heading(job)))) return count;
  for await (const chunk of inChunks(rows)) {
    if (count === 0 && wholeRows.has(job.format)) checkPresent(chunk.slice(0, 1), job);
    count += chunk.length;
    if (!(await write(stdout, chunk.map(line).join('')))) break;
  }
  return count;
}

async function presentTable(rows: readonly Row[] | AsyncIterable<Row>, job: Job): Promise<number> {
  const { drawTable } = await import('./table.ts');
  let count = 0;
  const counted = async function* (): AsyncGenerator<readonly Row[]> {
    for await (const chunk of inChunks(rows)) {
      count += chunk.length;
      yield chunk;
    }
  };
  for await (const text of drawTable(counted(), job.fields, await canvasFor(job.stage))) {
    if (!(await write(job.stage.io.stdout, text))) break;
  }
  return count;
}

async function presentWhole(rows: readonly Row[] | AsyncIterable<Row>, job: Job): Promise<number> {
  const all: Row[] = [];
  for await (const row of rows) all.push(row);
  checkPresent(all, job);
  const { stdout } = job.stage.io;
  const chosen = all.map((row) => picked(row, job));
  if (job.format === 'json') {
    await write(stdout, `${toJson(chosen, stdout.isTTY === true)}\n`);
  } else {
    const { toYaml } = await import('./yaml.ts');
    await write(stdout, toYaml(chosen));
  }
  return all.length;
}

/** @throws Failure `usage` where a name is neither declared nor a member of any of the rows. */
function checkPresent(rows: readonly Row[], { names, declared }: Job): void {
  if (rows.length === 0) return;
  const missing = names?.find(
    (name) => !isDeclared(declared, name) && rows.every((row) => valueAt(row, name) === undefined),
  );
  if (missing !== undefined) throw unknownField(missing, declared);
}

function picked(row: Row, { names }: Job): Row {
  return names ? pickMembers(row, names) : row;
}

function heading({ format, fields, stage }: Job): string {
  if (format === 'csv') return csvHeader(fields);
  return format === 'tsv' && stage.options.header ? tsvHeader(fields) : '';
}

/** How each row of a streamed format is printed. */
async function lineWriter(job: Job): Promise<(row: Row) => string> {
  if (job.format !== 'yaml') return (row) => lineOf(row, job);
  const { toYaml } = await import('./yaml.ts');
  return (row) => `---\n${toYaml(picked(row, job))}`;
}

function lineOf(row: Row, job: Job): string {
  if (job.format === 'csv') return csvLine(row, job.fields);
  if (job.format === 'tsv') return tsvLine(row, job.fields);
  return job.format === 'id' ? idLine(row) : `${toJson(picked(row, job))}\n`;
}

async function canvasFor({ io, options, clock }: Stage): Promise<Canvas> {
  const { stdout, env } = io;
  return {
    columns: stdout.isTTY === true ? stdout.columns || 80 : Number.POSITIVE_INFINITY,
    paint: await loadPaint(colorLevel(stdout, env, options.color)),
    unicode: takesUnicode(env),
    now: clock.now(),
  };
}
