import { Failure } from '../lib/errors.ts';
import { escapeTsv } from '../lib/text/quote.ts';
import { sanitise, withoutControls } from '../terminal/sanitise.ts';
import type { Field, Fields, Row } from './fields.ts';
import { objectText } from './json.ts';
import { valueAt } from './values.ts';

/** Returns a value for scripts: as the API returned it, nested ones as JSON, missing and null as empty text. */
function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? objectText(value) : String(value);
}

/** Returns a cell of a TSV line, with tabs, line breaks and backslashes as `\t`, `\n`, `\r` and `\\`. */
function tsvCell(value: unknown): string {
  return escapeTsv(withoutControls(cellText(value)));
}

/** Returns a row as a TSV line. */
export function tsvLine(row: Row, fields: Fields): string {
  return `${fields.map((field) => tsvCell(valueAt(row, field.name))).join('\t')}\n`;
}

/** Returns the heading line of TSV: the names of the fields. */
export function tsvHeader(fields: Fields): string {
  return `${fields.map((field) => tsvCell(field.name)).join('\t')}\n`;
}

/** Returns one object as TSV: a line for each field, with its name and its value. */
export function tsvRecord(row: Row, fields: Fields): string {
  return fields.map(({ name }) => `${tsvCell(name)}\t${tsvCell(valueAt(row, name))}\n`).join('');
}

/** Returns a row as a CSV line (RFC 4180), including its line end. */
export function csvLine(row: Row, fields: Fields): string {
  return `${fields.map((field) => csvCell(valueAt(row, field.name), field)).join(',')}\r\n`;
}

/** Returns the heading line of CSV: the names of the fields. */
export function csvHeader(fields: Fields): string {
  return `${fields.map((field) => csvCell(field.name, field)).join(',')}\r\n`;
}

/**
 * The beginning of a cell that a spreadsheet may run as a formula (OWASP, CSV Injection), wide forms included. A plus
 * followed by digits alone computes nothing, so phone numbers can be imported again unchanged.
 */
const formula = /^(?!\+\d+$)[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

function csvCell(value: unknown, { escapesLineBreaks }: Pick<Field, 'escapesLineBreaks'>): string {
  const safe = withoutControls(cellText(value));
  const text = escapesLineBreaks ? safe.replaceAll('\r', '\\r').replaceAll('\n', '\\n') : safe;
  const harmless =
    typeof value !== 'number' && typeof value !== 'bigint' && formula.test(text) ? `'${text}` : text;
  return /[",\r\n\t]|^ | $/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** Members that identify an object; the first one present counts. */
export const idNames = ['id', 'request_id', 'key_id', 'device_id'] as const;

/** The failure for a result without an id, which `-o id` can't print. */
export class MissingId extends Failure {
  constructor() {
    super('usage', 'This result has no id.', { hint: 'Use another format, such as -o json.' });
  }
}

/** Returns the id of a row: null for one that has none yet, undefined if its kind has none. */
export function idIn(row: Row): unknown {
  return idNames.map((name) => row[name]).find((id) => id !== undefined);
}

/**
 * Returns a row's id as a line, or an empty text if the row has none yet (null).
 * @throws MissingId if the row has none
 */
export function idLine(row: Row): string {
  const id = idIn(row);
  if (id === null) return '';
  if (typeof id === 'string' || typeof id === 'number') return `${sanitise(String(id))}\n`;
  throw new MissingId();
}
