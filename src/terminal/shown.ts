import type { Paint } from './colour.ts';
import type { Field, Tone } from './fields.ts';
import { objectText } from './json.ts';
import { byteSize, groupedNumber } from './numbers.ts';
import { sanitise } from './sanitise.ts';
import { parseTime, relativeTime } from './time.ts';
import { isEmpty } from './values.ts';

/** What a table or card is drawn for. */
export interface Canvas {
  /** Columns of the terminal; Infinity where it is none, so that nothing is cut or wrapped. */
  readonly columns: number;
  readonly paint: Paint;
  readonly unicode: boolean;
  /** Milliseconds since 1970, for relative times. */
  readonly now: number;
}

/** A value as a person sees it. */
export interface Shown {
  /** Safe to print; one line. */
  readonly text: string;
  readonly tone: Tone | undefined;
}

/** Shows a value in one line. */
export function show(field: Field, value: unknown, canvas: Canvas): Shown {
  if (isEmpty(value)) return { text: canvas.unicode ? '–' : '-', tone: 'quiet' };
  return { text: sanitise(textOf(field, value, canvas.now)), tone: field.tone?.(value) };
}

function textOf(field: Field, value: unknown, now: number): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return field.kind === 'bytes' ? byteSize(value) : groupedNumber(value);
  if (Array.isArray(value)) return value.map((one) => textOf({ name: field.name }, one, now)).join(', ');
  if (typeof value === 'object' && value !== null) return objectText(value);
  const text = String(value);
  if (field.kind === 'time') {
    const moment = parseTime(text);
    return moment === undefined ? text : relativeTime(moment, now);
  }
  return field.kind === 'phone' && /^[1-9]\d{6,14}$/.test(text) ? `+${text}` : text;
}
