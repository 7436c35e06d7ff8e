import type { Row } from '../command.ts';
import type { Paint } from './colour.ts';
import type { Field, Tone } from './fields.ts';
import { objectText } from './json.ts';
import { byteSize, groupedNumber } from './numbers.ts';
import { sanitise } from './sanitise.ts';
import { parseTime, relativeTime, timeSpan } from './time.ts';
import { isEmpty } from './values.ts';

/** What a table or card is drawn for. */
export interface Canvas {
  /** Columns of the terminal; Infinity where it is none, so that nothing is cut or wrapped. */
  readonly columns: number;
  readonly paint: Paint;
  readonly unicode: boolean;
  /** Milliseconds since 1970, for relative times. */
  readonly now: number;
  /**
   * Masks secrets in a value. It happens before the value is cut or wrapped: of a secret in two lines the
   * stream would see neither half.
   */
  redact(text: string): string;
}

/** A value as a person sees it. */
export interface Shown {
  /** Safe to print; one line. */
  readonly text: string;
  readonly tone: Tone | undefined;
}

/** Shows a value of a row in one line. */
export function show(field: Field, value: unknown, row: Row, canvas: Canvas): Shown {
  if (isEmpty(value)) return { text: canvas.unicode ? '–' : '-', tone: 'quiet' };
  const { now } = canvas;
  return {
    text: canvas.redact(sanitise(textOf(field, value, now))),
    tone: field.tone?.(value, { now, row }),
  };
}

function textOf(field: Field, value: unknown, now: number): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return numberText(field, value);
  if (Array.isArray(value)) return value.map((one) => textOf({ name: field.name }, one, now)).join(', ');
  if (typeof value === 'object' && value !== null) return objectText(value);
  const text = String(value);
  if (field.kind === 'time') {
    const moment = parseTime(text);
    if (moment === undefined) return text;
    return relativeTime(field.isOver ? Math.min(moment, now) : moment, now);
  }
  return field.kind === 'phone' && /^[1-9]\d{6,14}$/.test(text) ? `+${text}` : text;
}

function numberText({ kind }: Field, value: number): string {
  // A number that stands for something is no quantity, and is typed as it is.
  if (kind === 'id') return String(value);
  if (kind === 'bytes') return byteSize(value);
  return kind === 'seconds' ? timeSpan(value) : groupedNumber(value);
}
