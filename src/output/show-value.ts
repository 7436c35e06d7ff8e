import { flagOf } from '../lib/parse.ts';
import { byteSize, groupedNumber } from '../lib/text/numbers.ts';
import { durationInWords, localTime, parseTime, relativeTime } from '../lib/time.ts';
import type { Tone } from '../terminal/colour.ts';
import { sanitise } from '../terminal/sanitise.ts';
import type { Field, Row } from './fields.ts';
import { objectText } from './json.ts';
import type { RenderContext } from './options.ts';
import { isEmpty } from './values.ts';

/** A value for display. */
export interface DisplayValue {
  /** Safe to print; one line. */
  readonly text: string;
  readonly tone: Tone | undefined;
}

/** Returns a value of a row for display, as one line. */
export function displayValue(field: Field, value: unknown, row: Row, context: RenderContext): DisplayValue {
  if (isEmpty(value)) return { text: context.unicode ? '–' : '-', tone: 'quiet' };
  const { now } = context;
  const read = field.kind === 'flag' ? (flagOf(value) ?? value) : value;
  return {
    text: context.redact(sanitise(textOf(field, read, now))),
    tone: field.tone?.(read, { now, row }),
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
    if (field.isLocal) return localTime(moment);
    return relativeTime(field.isPast ? Math.min(moment, now) : moment, now);
  }
  return field.kind === 'phone' && /^[1-9]\d{6,14}$/.test(text) ? `+${text}` : text;
}

function numberText({ kind }: Field, value: number): string {
  // A number that serves as an id is not a quantity, and is shown as it has to be typed.
  if (kind === 'id') return String(value);
  if (kind === 'bytes') return byteSize(value);
  if (kind === 'clock') return clockText(value);
  return kind === 'seconds' ? durationInWords(value) : groupedNumber(value);
}

function clockText(seconds: number): string {
  if (Math.abs(seconds) < 1) return 'less than a second';
  return `${durationInWords(seconds)} ${seconds > 0 ? 'ahead' : 'behind'}`;
}
