import { createHash } from 'node:crypto';
import { Failure, inputFailure } from '../lib/errors.ts';
import { readBytesOption } from '../lib/files/text-input.ts';
import type { Io } from '../lib/io.ts';
import type { Parse } from '../lib/parse.ts';
import { oneLine } from '../lib/text/one-line.ts';
import { joinRemarks, type RemarkText } from '../lib/text/remark.ts';
import { mostSimilar } from '../lib/text/similar.ts';
import type { Draft, NumberRules, RowProblem } from './draft.ts';
import { phoneColumns } from './numbers.ts';
import type { OptOuts } from './opt-outs.ts';
import { type Recipients, readRecipients } from './recipients.ts';

/** A list of recipients with the columns that decide whom a message goes to. */
export interface RecipientList {
  readonly recipients: Recipients;
  /** What it is called in messages. */
  readonly file: string;
  readonly sha256: string;
  readonly toColumn: string;
  readonly keyColumn: string | undefined;
}

/** How a list is read. */
export interface ListOptions {
  /** Path of the file, or `-` for what is piped in. */
  readonly recipients: string;
  /** The column with the numbers; found by its name if not given. */
  readonly toColumn?: string | undefined;
  readonly keyColumn?: string | undefined;
  /** Whether it may be numbers alone, without the name of a column in front. */
  readonly mayLackHead?: boolean;
}

/**
 * Reads a list of recipients.
 * @throws Failure `invalidInput` where it can't be read, or lacks a column
 */
export async function readList(io: Io, given: ListOptions): Promise<RecipientList> {
  const bytes = await readBytesOption(io, given.recipients, '--recipients');
  const file = given.recipients === '-' ? 'stdin' : given.recipients;
  const recipients = await readRecipients(bytes, file, given);
  const { columns } = recipients;
  const { keyColumn } = given;
  const toColumn = given.toColumn ?? columnOfNumbers(columns, file);
  const problems = [
    noColumn('--to-column', toColumn, columns, file),
    noColumn('--key-column', keyColumn, columns, file),
  ].filter((problem) => problem !== undefined);
  if (problems.length > 0) throw inputFailure(problems, columnsHint(columns));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { recipients, file, sha256, toColumn, keyColumn };
}

function columnOfNumbers(columns: readonly string[], file: string): string {
  const found = phoneColumns(columns);
  if (found[0] !== undefined && found.length === 1) return found[0];
  const why = found.length === 0 ? 'No column' : 'More than one column';
  throw inputFailure(
    [`${why} of ${file} is called as phone numbers usually are: name it with --to-column.`],
    columnsHint(columns),
  );
}

function noColumn(
  option: string,
  name: string | undefined,
  columns: readonly string[],
  file: string,
): string | undefined {
  if (name === undefined || columns.includes(name)) return undefined;
  const near = mostSimilar(name, columns);
  const meant = near === undefined ? '' : ` Did you mean ${oneLine(near, 40)}?`;
  return `${option}: ${file} has no column ${oneLine(name, 40)}.${meant}`;
}

function columnsHint(columns: readonly string[]): string {
  return `Its columns are ${columns.map((name) => oneLine(name, 40)).join(', ')}.`;
}

/**
 * Returns what is known of numbers: loads what that takes.
 * @param region whose numbers are read as they are dialled there, in capitals; undefined if none is set
 * @throws Failure as `OptOuts.test`
 */
export async function numberRules(region: string | undefined, optOuts: OptOuts): Promise<NumberRules> {
  const { knownNumbers } = await import('../lib/national-number.ts');
  return { national: await nationalIn(region), isKnown: knownNumbers(), isOptedOut: optOuts.test() };
}

/** Returns a parser of numbers as they are dialled in a region, or undefined if none is set. */
export async function nationalIn(region: string | undefined): Promise<Parse<string> | undefined> {
  if (region === undefined) return undefined;
  const { nationalNumber } = await import('../lib/national-number.ts');
  return nationalNumber(region);
}

/** Lines with something wrong that are told one by one. */
const mostTold = 100;

/**
 * Refuses a list with something wrong in it, unless rows that are wrong are to be left out.
 * @throws Failure `invalidInput` that names every line, or as many as anybody reads
 */
export function checkProblems(problems: readonly RowProblem[], file: string, skipInvalid: boolean): void {
  if (problems.length === 0 || skipInvalid) return;
  const told = problems.slice(0, mostTold).map(({ line, says }) => `${file}:${line}: ${says}`);
  const more = problems.length - told.length;
  if (more > 0) told.push(`${more} more lines have something wrong.`);
  const isNational = problems.some(({ says }) => says.includes('must say of which country'));
  const hints: readonly (RemarkText | false)[] = [
    isNational && 'Numbers as they are dialled in a country are read with its region: --region BR.',
    'Correct these lines, or leave them out with --skip-invalid. Nothing was written.',
  ];
  throw new Failure('invalidInput', told.join('\n'), { hint: joinRemarks(hints, ' ') });
}

/** Returns what a person is told of rows that are skipped: the first few, a line each. */
export function toldSkips({ rows }: Pick<Draft, 'rows'>, most: number): readonly string[] {
  const skips = rows.filter(({ state }) => state === 'skipped');
  const told = skips.slice(0, most).map(({ line, to, because }) => {
    const whom = to === undefined ? '' : ` (+${to})`;
    return `Line ${line}${whom} is skipped: ${because ?? ''}.`.replace(/\.\.$/, '.');
  });
  return skips.length > most ? [...told, `${skips.length - most} more are skipped.`] : told;
}
