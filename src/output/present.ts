import { Failure } from '../lib/errors.ts';
import { collect, singly } from '../lib/iterables.ts';
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
  unknownField,
  valueAt,
} from './values.ts';
import { inChunks, write, writePieces } from './write.ts';

/** The extent of what was printed. */
export interface Presented {
  /** Rows of a list; an empty one on a terminal deserves a remark. */
  readonly rows: number;
}

type ShapeWithFields = Extract<OutputShape, { readonly fields: Fields }>;

/** A result on its way to stdout. */
interface RenderJob {
  readonly target: PresentOptions;
  readonly format: OutputFormat;
  /** The fields asked for, or those that the format shows by itself. */
  readonly fields: Fields;
  /** The members named with `--fields`. */
  readonly names: readonly string[] | undefined;
}

/** The format of a result: as asked, otherwise a table on a terminal and what scripts like in a pipe. */
export function formatFor(shape: OutputShape, { io, options }: Omit<PresentOptions, 'clock'>): OutputFormat {
  if (options.output !== undefined && options.output !== 'help') return options.output;
  if (io.stdout.isTTY === true) return 'table';
  return shape.kind === 'events' ? 'ndjson' : 'tsv';
}

/**
 * Checks `--fields` and `-o id` against what a command gives, before it does anything.
 *
 * @throws Failure `usage` that names the valid fields.
 */
export function checkFields(shape: OutputShape, target: Omit<PresentOptions, 'clock'>): void {
  if (shape.kind === 'text' || shape.kind === 'nothing') return;
  const format = formatFor(shape, target);
  if (target.options.fields?.length === 0) {
    throw new Failure('usage', '--fields names no field.', { hint: fieldsHint(shape.fields) });
  }
  const unknown = target.options.fields?.find(
    (name) => !isAnyMember(name) && !isDeclared(shape.fields, name),
  );
  if (unknown !== undefined) throw unknownField(unknown, shape.fields);
  if (format === 'id' && !shape.fields.some(({ name }) => idNames.some((id) => id === name))) {
    throw new Failure('usage', 'This result has no id to print.', {
      hint: 'Use another format, such as -o json.',
    });
  }
}

/**
 * Returns what `-o help` prints: the fields of a command's result, one a line.
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
  const lines = shape.fields.map(
    (field) => `  ${sanitise(field.name).padEnd(widest)}  ${headingOf(field)}\n`,
  );
  const before = options.slice(0, -1).join(', ');
  const where = before === '' ? options.at(-1) : `${before} and ${options.at(-1)}`;
  const words =
    `Fields for ${where}. -o json also has members that are not listed here; ` +
    `${options.length > 1 ? 'each of these options' : 'the option'} takes them too, with a dot before the name: .member`;
  const ruler = rulerIfLoaded(words);
  const wrapped = ruler ? wrap(ruler, words, columns).join('\n') : words;
  return `${wrapped}\n${lines.join('')}`;
}

/** The remark on columns that a table has no room for. */
export function leftOutNote(fields: Fields): string {
  const names = fields.map(({ name }) => name);
  const ids = fields.some(({ name }) => idNames.some((id) => id === name)) ? '; -o id prints ids' : '';
  // The remark takes one line of a usual terminal.
  const named = firstFew(names, names.length > 4 ? 3 : 4);
  return `No room for ${named}: choose with --fields${ids}.`;
}

/**
 * Prints a command's result on stdout in the format asked for.
 *
 * @throws Failure `usage` for a field that isn't there.
 */
export async function present(
  result: Results[OutputShape['kind']],
  shape: OutputShape,
  target: PresentOptions,
): Promise<Presented> {
  switch (shape.kind) {
    case 'nothing':
      return { rows: 0 };
    case 'text':
      await presentText(result, target);
      return { rows: 0 };
    case 'record':
      return presentOne(result, shape, target);
    case 'events':
      return isRows(result) ? presentEvents(result, shape, target) : presentLone(result, shape, target);
    case 'list':
      return presentList(result, shape, target);
  }
}

type ShapeOf<K extends OutputShape['kind']> = Extract<OutputShape, { readonly kind: K }>;

async function presentText(result: unknown, target: PresentOptions): Promise<void> {
  if (isBody(result)) return presentBody(result, target);
  if (typeof result !== 'string') throw wrongResult({ kind: 'text' });
  await write(target.io.stdout, result === '' || result.endsWith('\n') ? result : `${result}\n`);
}

async function presentOne(
  result: unknown,
  shape: ShapeOf<'record'>,
  target: PresentOptions,
): Promise<Presented> {
  if (result === undefined) return { rows: 0 };
  if (!hasMembers(result)) throw wrongResult(shape);
  const job = jobFor(shape, target);
  if (shape.drawOne && job.format === 'table' && !job.names) {
    await write(target.io.stdout, await shape.drawOne(result, await renderContextFor(target)));
  } else await presentRecord(result, job);
  return { rows: 1 };
}

/** People see what the command draws, unless they pick fields. */
async function presentList(
  result: unknown,
  shape: ShapeOf<'list'>,
  target: PresentOptions,
): Promise<Presented> {
  if (!isRows(result)) throw wrongResult(shape);
  const job = jobFor(shape, target);
  const isDrawn = job.format === 'table' && !job.names;
  const whole = job.format === 'markdown' ? 'markdown' : isDrawn && 'draw';
  if (whole && shape[whole]) {
    const all = await collect(result);
    await write(target.io.stdout, await shape[whole](all, await renderContextFor(target)));
    return { rows: all.length };
  }
  if (isDrawn && shape.drawEach) {
    const context = await renderContextFor(target);
    let rows = 0;
    for await (const row of result) {
      if (!(await write(target.io.stdout, await shape.drawEach(row, context)))) break;
      rows += 1;
    }
    return { rows };
  }
  return { rows: await presentRows(result, job, 'list') };
}

async function presentEvents(
  rows: AsyncIterable<Row> | readonly Row[],
  shape: ShapeOf<'events'>,
  target: PresentOptions,
): Promise<Presented> {
  const job = jobFor(shape, target);
  const asCards = shape.cards === true && job.format === 'table';
  return {
    rows: await (asCards
      ? presentCards(rows, job)
      : presentRows(rows, job, shape.cards ? 'records' : 'events')),
  };
}

/** A lone row of events, where there was nothing to wait for: a record without the details of other rows. */
async function presentLone(
  row: unknown,
  events: ShapeOf<'events'>,
  target: PresentOptions,
): Promise<Presented> {
  if (!hasMembers(row)) throw wrongResult(events);
  const { fields } = events;
  const shape = { kind: 'record', fields } as const;
  const job = jobFor(shape, target);
  const isShown = ({ name, detail }: Field): boolean => !detail || !isEmpty(valueAt(row, name));
  await presentRecord(row, job.names ? job : { ...job, fields: fields.filter(isShown) });
  return { rows: 1 };
}

function wrongResult({ kind }: OutputShape): TypeError {
  return new TypeError(`A command whose output is declared as ${kind} returned something else.`);
}

/** @throws Failure `usage` for a field that isn't there */
function jobFor(shape: ShapeWithFields, target: PresentOptions): RenderJob {
  checkFields(shape, target);
  const asked = target.options.fields;
  const shown = shape.kind === 'record' ? shape.fields : shape.fields.filter(({ detail }) => !detail);
  const fields = asked ? pickFields(shape.fields, asked).map(asAskedFor) : shown;
  return { target, format: formatFor(shape, target), fields, names: asked?.map(memberName) };
}

/** A field that was asked for by name gives up its place to no other. */
function asAskedFor({ namedBy: _, shownAs: __, importance = 5, ...field }: Field): Field {
  return { ...field, importance: Math.max(importance, 5) };
}

async function presentRecord(row: Row, job: RenderJob): Promise<void> {
  const { stdout } = job.target.io;
  switch (job.format) {
    case 'table': {
      const { drawCard } = await import('./card.ts');
      await write(
        stdout,
        await drawCard(row, job.fields, await renderContextFor(job.target), job.names !== undefined),
      );
      return;
    }
    case 'json':
    case 'yaml':
      return writeWhole(picked(row, job), job);
    case 'tsv':
      await write(stdout, (job.target.options.header ? 'field\tvalue\n' : '') + tsvRecord(row, job.fields));
      return;
    default:
      await write(stdout, heading(job) + lineOf(row, job));
  }
}

/** Prints each row as a card as soon as it is there, with a blank line between them. */
async function presentCards(rows: readonly Row[] | AsyncIterable<Row>, job: RenderJob): Promise<number> {
  let count = 0;
  for await (const row of rows) {
    if (count > 0) await write(job.target.io.stdout, '\n');
    await presentRecord(row, job);
    count += 1;
  }
  return count;
}

/**
 * Prints rows; gives how many. JSON and YAML need all of a list; everything else is printed as it comes. Events are one
 * document of JSON; records are one each, so that a script can read the first while the command still runs.
 */
async function presentRows(
  rows: readonly Row[] | AsyncIterable<Row>,
  job: RenderJob,
  kind: 'list' | 'events' | 'records',
): Promise<number> {
  if (job.format === 'table') return presentTable(rows, job);
  if (kind === 'list' && (job.format === 'json' || job.format === 'yaml')) return presentWhole(rows, job);
  if (kind === 'events' && job.format === 'json') return presentArray(rows, job);
  const { stdout, signal } = job.target.io;
  const lines = await linesWriter(job);
  let count = 0;
  if (!(await write(stdout, heading(job)))) return count;
  // An event is written before the work goes on, which may ask the user something about it.
  for await (const chunk of kind === 'events' ? singly(rows) : inChunks(rows)) {
    signal?.throwIfAborted();
    count += chunk.length;
    if (!(await write(stdout, lines(chunk)))) break;
  }
  return count;
}

async function presentTable(rows: readonly Row[] | AsyncIterable<Row>, job: RenderJob): Promise<number> {
  const { drawTable } = await import('./table.ts');
  let count = 0;
  const counted = async function* (): AsyncGenerator<readonly Row[]> {
    for await (const chunk of inChunks(rows)) {
      job.target.io.signal?.throwIfAborted();
      count += chunk.length;
      yield chunk;
    }
  };
  const { target, fields, names } = job;
  const onLeftOut = (left: Fields): void => target.onLeftOut?.(left);
  const drawn = drawTable(counted(), fields, await renderContextFor(target), onLeftOut, names !== undefined);
  for await (const text of drawn) {
    if (!(await write(job.target.io.stdout, text))) break;
  }
  return count;
}

/** Prints events as one array of JSON, each on a line of its own as it comes; it is whole even if the work fails. */
async function presentArray(rows: readonly Row[] | AsyncIterable<Row>, job: RenderJob): Promise<number> {
  const { stdout } = job.target.io;
  let count = 0;
  try {
    for await (const row of rows) {
      count += 1;
      if (!(await write(stdout, `${count === 1 ? '[' : ','}\n${toJson(picked(row, job))}`))) return count;
    }
    return count;
  } finally {
    await write(stdout, count === 0 ? '[]\n' : '\n]\n');
  }
}

async function presentWhole(rows: readonly Row[] | AsyncIterable<Row>, job: RenderJob): Promise<number> {
  const { stdout } = job.target.io;
  let count = 0;
  const counted = async function* (): AsyncGenerator<readonly Row[]> {
    for await (const chunk of inChunks(rows)) {
      count += chunk.length;
      yield chunk.map((row) => picked(row, job));
    }
  };
  if (job.format === 'json') {
    await writePieces(stdout, await jsonPieces(counted(), stdout.isTTY === true));
    return count;
  }
  const { toYaml } = await import('./yaml.ts');
  const pieces = await piecesOf(counted(), (chunk) => toYaml(chunk));
  await writePieces(stdout, count === 0 ? [toYaml([])] : pieces);
  return count;
}

/** Writes a value as one document of JSON or YAML. */
async function writeWhole(value: unknown, { format, target }: RenderJob): Promise<void> {
  const { stdout } = target.io;
  if (format === 'json') await write(stdout, `${toJson(value, stdout.isTTY === true)}\n`);
  else await write(stdout, (await import('./yaml.ts')).toYaml(value));
}

function picked(row: Row, { names }: RenderJob): Row {
  return names ? pickMembers(row, names) : row;
}

function heading({ format, fields, target }: RenderJob): string {
  if (format === 'csv') return csvHeader(fields);
  return format === 'tsv' && target.options.header ? tsvHeader(fields) : '';
}

/** Returns the function that formats rows of a streamed format. */
async function linesWriter(job: RenderJob): Promise<(rows: readonly Row[]) => string> {
  if (job.format === 'ndjson') return (rows) => toJsonLines(rows.map((row) => picked(row, job)));
  if (job.format !== 'yaml') return (rows) => rows.map((row) => lineOf(row, job)).join('');
  const { toYaml } = await import('./yaml.ts');
  return (rows) => rows.map((row) => `---\n${toYaml(picked(row, job))}`).join('');
}

function lineOf(row: Row, job: RenderJob): string {
  if (job.format === 'csv') return csvLine(row, job.fields);
  if (job.format === 'tsv') return tsvLine(row, job.fields);
  return job.format === 'id' ? idLine(row) : `${toJson(picked(row, job))}\n`;
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
    given: options,
    now: clock.now(),
    redact: (text) => redactResult?.(text) ?? text,
  };
}
