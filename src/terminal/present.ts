import type { OutputShape, Results, Row } from '../command.ts';
import { Failure } from '../errors.ts';
import type { GlobalOptions, OutputFormat } from '../input/global-options.ts';
import type { Clock, Io } from '../io.ts';
import { isBody, presentBody } from './body.ts';
import { colorLevel, loadPaint, takesUnicode } from './colour.ts';
import { csvHeader, csvLine, idLine, idNames, tsvHeader, tsvLine, tsvRecord } from './delimited.ts';
import type { Field, Fields } from './fields.ts';
import { pickMembers, toJson, toJsonLines } from './json.ts';
import { inChunks, write } from './output.ts';
import type { Canvas } from './shown.ts';
import {
  fieldsHint,
  hasMembers,
  headingOf,
  isAnyMember,
  isDeclared,
  isEmpty,
  memberName,
  pickFields,
  unknownField,
  valueAt,
} from './values.ts';
import { rulerIfLoaded, wrap } from './width.ts';

/** What presenting needs; a `Context` has it. */
export interface Stage {
  readonly io: Pick<Io, 'stdout' | 'env'>;
  readonly options: Pick<GlobalOptions, 'output' | 'fields' | 'header' | 'color'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Masks secrets in a value before a table or card cuts or wraps it; where not given, none are known. */
  redactResult?(text: string): string;
  /** Is told the fields that a table has no room for. */
  onLeftOut?(fields: Fields): void;
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
  /** The fields asked for, or those that the format shows by itself. */
  readonly fields: Fields;
  /** The members named with `--fields`. */
  readonly names: readonly string[] | undefined;
}

/** The format of a result: as asked, otherwise a table on a terminal and what scripts like in a pipe. */
export function formatFor(shape: OutputShape, { io, options }: Omit<Stage, 'clock'>): OutputFormat {
  if (options.output !== undefined && options.output !== 'help') return options.output;
  if (io.stdout.isTTY === true) return 'table';
  return shape.kind === 'events' ? 'ndjson' : 'tsv';
}

/**
 * Checks `--fields` and `-o id` against what a command gives, before it does anything.
 *
 * @throws Failure `usage` that names the valid fields.
 */
export function checkFields(shape: OutputShape, stage: Omit<Stage, 'clock'>): void {
  if (shape.kind === 'text' || shape.kind === 'nothing') return;
  const format = formatFor(shape, stage);
  if (stage.options.fields?.length === 0) {
    throw new Failure('usage', '--fields names no field.', { hint: fieldsHint(shape.fields) });
  }
  const unknown = stage.options.fields?.find((name) => !isAnyMember(name) && !isDeclared(shape.fields, name));
  if (unknown !== undefined) throw unknownField(unknown, shape.fields);
  if (format === 'id' && !shape.fields.some(({ name }) => idNames.some((id) => id === name))) {
    throw new Failure('usage', 'This result has no id to print.', {
      hint: 'Use another format, such as -o json.',
    });
  }
}

/**
 * What `-o help` prints: the fields of a command's result, one a line.
 * @param options that take such a field
 * @param columns that the words before them are wrapped at
 */
export function describeFields(
  shape: OutputShape,
  options: readonly string[] = ['--fields'],
  columns = 80,
): string {
  if (shape.kind === 'text') return 'This command prints text; it has no fields.\n';
  if (shape.kind === 'nothing') return 'This command prints no result.\n';
  const widest = Math.max(...shape.fields.map(({ name }) => name.length));
  const lines = shape.fields.map((field) => `  ${field.name.padEnd(widest)}  ${headingOf(field)}\n`);
  const before = options.slice(0, -1).join(', ');
  const where = before === '' ? options.at(-1) : `${before} and ${options.at(-1)}`;
  const words =
    `Fields for ${where}. -o json also has members that are not listed here; ` +
    `${options.length > 1 ? 'each of these options' : 'the option'} takes them too, with a dot before the name: .member`;
  const ruler = rulerIfLoaded(words);
  const wrapped = ruler ? wrap(ruler, words, columns).join('\n') : words;
  return `${wrapped}\n${lines.join('')}`;
}

/** What to say of columns that a table has no room for. */
export function leftOutNote(fields: Fields): string {
  const names = fields.map(({ name }) => name).join(', ');
  const ids = fields.some(({ name }) => idNames.some((id) => id === name)) ? '; -o id prints ids' : '';
  return `No room for ${names}: choose with --fields${ids}.`;
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
    if (isBody(result)) {
      await presentBody(result, stage);
      return { rows: 0 };
    }
    if (typeof result !== 'string') throw wrongResult(shape);
    await write(stage.io.stdout, result === '' || result.endsWith('\n') ? result : `${result}\n`);
    return { rows: 0 };
  }
  if (shape.kind === 'events' && hasMembers(result) && !isRows(result))
    return presentLone(result, shape, stage);
  if (shape.kind === 'events' && Array.isArray(result)) {
    const fields = shape.fields.filter(({ name }) => shape.states?.includes(name) ?? true);
    const { drawStates: draw } = shape;
    return present(result, { kind: 'list', fields, ...(draw && { draw }) }, stage);
  }
  if (shape.kind === 'record' && shape.several && Array.isArray(result))
    return present(result, { kind: 'list', fields: shape.fields }, stage);
  checkFields(shape, stage);
  const job = jobFor(shape, stage);
  if (shape.kind === 'record') {
    if (result === undefined) return { rows: 0 };
    if (!hasMembers(result)) throw wrongResult(shape);
    await presentRecord(result, job);
    return { rows: 1 };
  }
  if (!isRows(result)) throw wrongResult(shape);
  if (shape.kind === 'list' && shape.draw && job.format === 'table' && !job.names) {
    const all: Row[] = [];
    for await (const row of result) all.push(row);
    await write(stage.io.stdout, await shape.draw(all, await canvasFor(stage)));
    return { rows: all.length };
  }
  if (shape.kind === 'list' && shape.drawEach && job.format === 'table' && !job.names) {
    const canvas = await canvasFor(stage);
    let count = 0;
    for await (const row of result) {
      if (!(await write(stage.io.stdout, await shape.drawEach(row, canvas)))) break;
      count += 1;
    }
    return { rows: count };
  }
  const asCards = shape.kind === 'events' && shape.cards === true && job.format === 'table';
  if (asCards) return { rows: await presentCards(result, job) };
  return { rows: await presentRows(result, job, shape.kind) };
}

/** A lone row of events, where there was nothing to wait for: a record without the details of other rows. */
async function presentLone(
  row: Row,
  { fields, states }: Extract<OutputShape, { readonly kind: 'events' }>,
  stage: Stage,
): Promise<Presented> {
  const shape = { kind: 'record', fields } as const;
  checkFields(shape, stage);
  const job = jobFor(shape, stage);
  const isState = !('event' in row);
  const isOwn = ({ name, detail }: Field): boolean =>
    !detail && (states === undefined || states.includes(name) === isState);
  const isShown = (field: Field): boolean => isOwn(field) || !isEmpty(valueAt(row, field.name));
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
  const asked = stage.options.fields;
  const shown = shape.kind === 'record' ? shape.fields : shape.fields.filter(({ detail }) => !detail);
  const fields = asked ? pickFields(shape.fields, asked).map(asAskedFor) : shown;
  return { stage, format: formatFor(shape, stage), fields, names: asked?.map(memberName) };
}

/** A field that somebody named gives up its place to none that wasn't. */
function asAskedFor({ namedBy: _, importance = 5, ...field }: Field): Field {
  return { ...field, importance: Math.max(importance, 5) };
}

async function presentRecord(row: Row, job: Job): Promise<void> {
  const { stdout } = job.stage.io;
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
  const lines = await linesWriter(job);
  let count = 0;
  if (!(await write(stdout, heading(job)))) return count;
  for await (const chunk of inChunks(rows)) {
    count += chunk.length;
    if (!(await write(stdout, lines(chunk)))) break;
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
  const { stage, fields } = job;
  const drawn = drawTable(counted(), fields, await canvasFor(stage), (left) => stage.onLeftOut?.(left));
  for await (const text of drawn) {
    if (!(await write(job.stage.io.stdout, text))) break;
  }
  return count;
}

async function presentWhole(rows: readonly Row[] | AsyncIterable<Row>, job: Job): Promise<number> {
  const all: Row[] = [];
  for await (const row of rows) all.push(row);
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

function picked(row: Row, { names }: Job): Row {
  return names ? pickMembers(row, names) : row;
}

function heading({ format, fields, stage }: Job): string {
  if (format === 'csv') return csvHeader(fields);
  return format === 'tsv' && stage.options.header ? tsvHeader(fields) : '';
}

/** How the rows of a streamed format are printed. */
async function linesWriter(job: Job): Promise<(rows: readonly Row[]) => string> {
  if (job.format === 'ndjson') return (rows) => toJsonLines(rows.map((row) => picked(row, job)));
  if (job.format !== 'yaml') return (rows) => rows.map((row) => lineOf(row, job)).join('');
  const { toYaml } = await import('./yaml.ts');
  return (rows) => rows.map((row) => `---\n${toYaml(picked(row, job))}`).join('');
}

function lineOf(row: Row, job: Job): string {
  if (job.format === 'csv') return csvLine(row, job.fields);
  if (job.format === 'tsv') return tsvLine(row, job.fields);
  return job.format === 'id' ? idLine(row) : `${toJson(picked(row, job))}\n`;
}

async function canvasFor({ io, options, clock, redactResult }: Stage): Promise<Canvas> {
  const { stdout, env } = io;
  return {
    columns: stdout.isTTY === true ? stdout.columns || 80 : Number.POSITIVE_INFINITY,
    paint: await loadPaint(colorLevel(stdout, env, options.color)),
    unicode: takesUnicode(env),
    now: clock.now(),
    redact: (text) => redactResult?.(text) ?? text,
  };
}
