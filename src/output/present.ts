import { Failure } from '../lib/errors.ts';
import { batchesOfOne, collect } from '../lib/iterables.ts';
import { firstFew } from '../lib/text/sentence.ts';
import { colorLevel, loadPaint, takesUnicode } from '../terminal/colour.ts';
import { sanitise } from '../terminal/sanitise.ts';
import { rulerIfLoaded, wrap } from '../terminal/width.ts';
import { isBody, presentBody } from './body.ts';
import { csvHeader, csvLine, idLine, idNames, tsvHeader, tsvLine, tsvRecord } from './delimited.ts';
import type { Field, Fields, Row } from './fields.ts';
import { jsonPieces, pickMembers, piecesOf, toJson, toJsonLines } from './json.ts';
import type { OutputFormat, PresentOptions, RenderContext } from './options.ts';
import type { OutputShape, Results } from './shape.ts';
import {
  fieldsHint,
  hasMembers,
  headingOf,
  isAnyMember,
  isDeclared,
  isEmpty,
  isRows,
  memberName,
  pickFields,
  unknownFieldFailure,
  valueAt,
} from './values.ts';
import { inChunks, write, writePieces } from './write.ts';

/** A summary of what was printed. */
export interface PresentResult {
  /** The number of rows of a list; a terminal gets a note if it is empty. */
  readonly rows: number;
}

type ShapeWithFields = Extract<OutputShape, { readonly fields: Fields }>;

/** The state of printing a result. */
interface RenderJob {
  readonly target: PresentOptions;
  readonly format: OutputFormat;
  /** The requested fields, or those that the format shows by default. */
  readonly fields: Fields;
  /** The members named with `--fields`. */
  readonly names: readonly string[] | undefined;
  /** The number of rows so far. */
  count: number;
}

/** Returns the format of a result: the requested one, otherwise a table on a terminal, and NDJSON or TSV in a pipe. */
export function formatFor(shape: OutputShape, { io, options }: Omit<PresentOptions, 'clock'>): OutputFormat {
  if (options.output !== undefined && options.output !== 'help') return options.output;
  if (io.stdout.isTTY === true) return 'table';
  return shape.kind === 'events' ? 'ndjson' : 'tsv';
}

/**
 * Checks `--fields` and `-o id` against the output of a command, before it does anything.
 *
 * @throws Failure `usage` that names the valid fields.
 */
export function checkFields(shape: OutputShape, target: Omit<PresentOptions, 'clock'>): void {
  if (shape.kind === 'text' || shape.kind === 'nothing') return;
  const format = formatFor(shape, target);
  if (target.options.fields?.length === 0) {
    throw new Failure('usage', '--fields is empty.', { hint: fieldsHint(shape.fields) });
  }
  const unknown = target.options.fields?.find(
    (name) => !isAnyMember(name) && !isDeclared(shape.fields, name),
  );
  if (unknown !== undefined) throw unknownFieldFailure(unknown, shape.fields);
  if (format === 'id' && !shape.fields.some(({ name }) => idNames.some((id) => id === name))) {
    throw new Failure('usage', 'This result has no id to print.', {
      hint: 'Use another format, such as -o json.',
    });
  }
}

/**
 * Returns the output of `-o help`: the fields of a command's result, one per line.
 * @param options the options that take such a field
 * @param columns the width at which the introduction is wrapped
 */
export function describeFields(
  shape: OutputShape,
  options: readonly string[] = ['--fields'],
  columns = 80,
): string {
  if (shape.kind === 'text') return 'This command prints text; it has no fields.\n';
  if (shape.kind === 'nothing') return 'This command prints no result.\n';
  const widest = Math.max(...shape.fields.map(({ name }) => name.length));
  const lines = shape.fields.map(
    (field) => `  ${sanitise(field.name).padEnd(widest)}  ${headingOf(field)}\n`,
  );
  const before = options.slice(0, -1).join(', ');
  const where = before === '' ? options.at(-1) : `${before} and ${options.at(-1)}`;
  const words =
    `Fields for ${where}. -o json also has members that are not listed here; ` +
    `${options.length > 1 ? 'these options also take' : 'the option also takes'} them, with a dot before the name: .member`;
  const ruler = rulerIfLoaded(words);
  const wrapped = ruler ? wrap(ruler, words, columns).join('\n') : words;
  return `${wrapped}\n${lines.join('')}`;
}

/** Returns the note about columns without room. @param isPicked true if the fields were requested by name */
export function omittedColumnsNote(fields: Fields, isPicked: boolean): string {
  const names = fields.map(({ name }) => name);
  const ids = fields.some(({ name }) => idNames.some((id) => id === name)) ? '; -o id prints ids' : '';
  // The note takes one line of a usual terminal.
  const named = firstFew(names, names.length > 4 ? 3 : 4);
  if (isPicked) return `No room for ${named}: use a wider terminal, or -o json.`;
  return `No room for ${named}: choose with --fields${ids}.`;
}

/**
 * Prints a command's result on stdout in the requested format.
 *
 * @throws Failure `usage` for a field that doesn't exist
 */
export async function present(
  result: Results[OutputShape['kind']],
  shape: OutputShape,
  target: PresentOptions,
): Promise<PresentResult> {
  if (shape.kind === 'nothing') return { rows: 0 };
  if (shape.kind === 'text') {
    await presentText(result, target);
    return { rows: 0 };
  }
  // If there was nothing to wait for, the result is a single row, which is printed as a record.
  const isLone = shape.kind === 'events' && !isRows(result);
  const job = jobFor(isLone ? { ...shape, kind: 'record' } : shape, target);
  if (shape.kind === 'list') await presentList(result, shape, job);
  else if (shape.kind === 'record') await presentOne(result, shape, job);
  else if (isRows(result)) await presentEvents(result, shape, job);
  else await presentLone(result, shape, job);
  return { rows: job.count };
}

type ShapeOf<K extends OutputShape['kind']> = Extract<OutputShape, { readonly kind: K }>;

async function presentText(result: unknown, target: PresentOptions): Promise<void> {
  if (isBody(result)) return presentBody(result, target);
  if (typeof result !== 'string') throw wrongResultError({ kind: 'text' });
  await write(target.io.stdout, result === '' || result.endsWith('\n') ? result : `${result}\n`);
}

async function presentOne(result: unknown, shape: ShapeOf<'record'>, job: RenderJob): Promise<void> {
  if (result === undefined) return;
  if (!hasMembers(result)) throw wrongResultError(shape);
  const { target } = job;
  if (shape.drawOne && job.format === 'table' && !job.names)
    await write(target.io.stdout, await shape.drawOne(result, await renderContextFor(target)));
  else await presentRecord(result, job);
}

/** Prints a list. On a terminal the command may draw it itself, unless fields are picked. */
async function presentList(result: unknown, shape: ShapeOf<'list'>, job: RenderJob): Promise<void> {
  if (!isRows(result)) throw wrongResultError(shape);
  const { target, format, names } = job;
  const { stdout } = target.io;
  const isDrawn = format === 'table' && !names;
  const whole = format === 'markdown' ? 'markdown' : isDrawn && 'draw';
  if (whole && shape[whole]) {
    const all = await collect(result);
    job.count = all.length;
    await write(stdout, await shape[whole](all, await renderContextFor(target)));
  } else if (isDrawn && shape.drawEach) {
    const context = await renderContextFor(target);
    for await (const row of result) {
      if (!(await write(stdout, await shape.drawEach(row, context)))) break;
      job.count += 1;
    }
  } else await presentRows(result, job, 'list');
}

async function presentEvents(rows: Rows, { cards }: ShapeOf<'events'>, job: RenderJob): Promise<void> {
  if (cards && job.format === 'table') await presentCards(rows, job);
  else await presentRows(rows, job, cards ? 'records' : 'events');
}

/** Prints the single row of events. Leaves out details that this row lacks, and in a card every field that it lacks. */
async function presentLone(row: unknown, shape: ShapeOf<'events'>, job: RenderJob): Promise<void> {
  if (!hasMembers(row)) throw wrongResultError(shape);
  const isShown = ({ name, detail }: Field): boolean =>
    !isEmpty(valueAt(row, name)) || (!detail && job.format !== 'table');
  await presentRecord(row, job.names ? job : { ...job, fields: job.fields.filter(isShown) });
}

function wrongResultError({ kind }: OutputShape): TypeError {
  return new TypeError(`A command whose output is declared as ${kind} returned something else.`);
}

/** @throws Failure `usage` for a field that doesn't exist */
function jobFor(shape: ShapeWithFields, target: PresentOptions): RenderJob {
  checkFields(shape, target);
  const asked = target.options.fields;
  const format = formatFor(shape, target);
  const isText = format === 'tsv' || format === 'csv';
  const isShown = ({ detail, isDelimited }: Field): boolean => !detail || (isText && isDelimited === true);
  const shown = shape.kind === 'record' ? shape.fields : shape.fields.filter(isShown);
  const fields = asked ? pickFields(shape.fields, asked).map(asRequestedField) : shown;
  return { target, format, fields, names: asked?.map(memberName), count: 0 };
}

/** Returns a field that was requested by name, so that no other field takes its place. */
function asRequestedField({ namedBy: _, shownAs: __, importance = 5, ...field }: Field): Field {
  return { ...field, importance: Math.max(importance, 5) };
}

async function presentRecord(row: Row, job: RenderJob): Promise<void> {
  const { target, format, fields, names } = job;
  const { stdout } = target.io;
  switch (format) {
    case 'table': {
      const { drawCard } = await import('./card.ts');
      const context = await renderContextFor(target);
      await write(stdout, await drawCard(row, fields, context, names !== undefined));
      return;
    }
    case 'json':
      await write(stdout, `${toJson(pickRow(row, job), stdout.isTTY === true)}\n`);
      return;
    case 'yaml':
      await write(stdout, (await import('./yaml.ts')).toYaml(pickRow(row, job)));
      return;
    case 'tsv':
      await write(stdout, (target.options.header ? 'field\tvalue\n' : '') + tsvRecord(row, fields));
      return;
    default:
      await write(stdout, heading(job) + lineOf(row, job));
  }
}

type Rows = readonly Row[] | AsyncIterable<Row>;

/** Yields the same chunks, and counts their rows. @param change applied to each row */
async function* countRows(
  chunks: AsyncIterable<readonly Row[]>,
  job: RenderJob,
  change?: (row: Row) => Row,
): AsyncGenerator<readonly Row[]> {
  for await (const chunk of chunks) {
    job.count += chunk.length;
    yield change ? chunk.map(change) : chunk;
  }
}

/** Prints each row as a card as soon as it arrives, with a blank line between them. */
async function presentCards(rows: Rows, job: RenderJob): Promise<void> {
  for await (const row of rows) {
    if (job.count > 0) await write(job.target.io.stdout, '\n');
    await presentRecord(row, job);
    job.count += 1;
  }
}

/**
 * Prints rows. JSON and YAML of a list are printed once it is complete, everything else as it arrives. Events are one
 * JSON document; records are one document each, so that a script can read the first while the command still runs.
 */
async function presentRows(rows: Rows, job: RenderJob, kind: 'list' | 'events' | 'records'): Promise<void> {
  if (job.format === 'table') return presentTable(rows, job);
  if (kind === 'list' && (job.format === 'json' || job.format === 'yaml')) return presentWhole(rows, job);
  if (kind === 'events' && job.format === 'json') return presentArray(rows, job);
  const { stdout, signal } = job.target.io;
  const lines = await linesWriter(job);
  if (!(await write(stdout, heading(job)))) return;
  // An event is written before the work continues, because the work may ask the user something about it.
  for await (const chunk of countRows(kind === 'events' ? batchesOfOne(rows) : inChunks(rows), job)) {
    signal?.throwIfAborted();
    if (!(await write(stdout, lines(chunk)))) return;
  }
}

async function presentTable(rows: Rows, job: RenderJob): Promise<void> {
  const { drawTable } = await import('./table.ts');
  const { target, fields, names } = job;
  const { stdout, signal } = target.io;
  const context = await renderContextFor(target);
  const onOmitted = (left: Fields): void => target.onOmitted?.(left);
  const chunks = countRows(inChunks(rows), job);
  for await (const text of drawTable(chunks, fields, context, onOmitted, names !== undefined)) {
    signal?.throwIfAborted();
    if (!(await write(stdout, text))) return;
  }
}

/** Prints events as one JSON array, each on its own line as it arrives. The array is closed even if the work fails. */
async function presentArray(rows: Rows, job: RenderJob): Promise<void> {
  const { stdout } = job.target.io;
  try {
    for await (const row of rows) {
      job.count += 1;
      const start = job.count === 1 ? '[' : ',';
      if (!(await write(stdout, `${start}\n${toJson(pickRow(row, job))}`))) return;
    }
  } finally {
    await write(stdout, job.count === 0 ? '[]\n' : '\n]\n');
  }
}

async function presentWhole(rows: Rows, job: RenderJob): Promise<void> {
  const { stdout } = job.target.io;
  const chunks = countRows(inChunks(rows), job, (row) => pickRow(row, job));
  if (job.format === 'json') return writePieces(stdout, await jsonPieces(chunks, stdout.isTTY === true));
  const { toYaml } = await import('./yaml.ts');
  const pieces = await piecesOf(chunks, (chunk) => toYaml(chunk));
  await writePieces(stdout, job.count === 0 ? [toYaml([])] : pieces);
}

function pickRow(row: Row, { names }: RenderJob): Row {
  return names ? pickMembers(row, names) : row;
}

function heading({ format, fields, target }: RenderJob): string {
  if (format === 'csv') return csvHeader(fields);
  return format === 'tsv' && target.options.header ? tsvHeader(fields) : '';
}

/** Returns the function that formats rows of a streamed format. */
async function linesWriter(job: RenderJob): Promise<(rows: readonly Row[]) => string> {
  if (job.format === 'ndjson') return (rows) => toJsonLines(rows.map((row) => pickRow(row, job)));
  if (job.format !== 'yaml') return (rows) => rows.map((row) => lineOf(row, job)).join('');
  const { toYaml } = await import('./yaml.ts');
  return (rows) => rows.map((row) => `---\n${toYaml(pickRow(row, job))}`).join('');
}

function lineOf(row: Row, job: RenderJob): string {
  if (job.format === 'csv') return csvLine(row, job.fields);
  if (job.format === 'tsv') return tsvLine(row, job.fields);
  return job.format === 'id' ? idLine(row) : `${toJson(pickRow(row, job))}\n`;
}

async function renderContextFor({
  io,
  options,
  clock,
  redactResult,
}: PresentOptions): Promise<RenderContext> {
  const { stdout, env } = io;
  return {
    columns: stdout.isTTY === true ? stdout.columns || 80 : Number.POSITIVE_INFINITY,
    paint: await loadPaint(colorLevel(stdout, env, options.color)),
    unicode: takesUnicode(env),
    service: options,
    now: clock.now(),
    redact: (text) => redactResult?.(text) ?? text,
  };
}
