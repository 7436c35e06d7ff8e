import type { JsonObject } from '../lib/json-object.ts';
import type { Tone } from '../terminal/colour.ts';

/** The kind of a field decides how its values are displayed. Scripts always get them as the API returned them. */
export type FieldKind =
  | 'text'
  /** Never cut, so that it can be copied. */
  | 'id'
  | 'time'
  | 'flag'
  | 'number'
  | 'bytes'
  /** A number of seconds. */
  | 'seconds'
  /** A number of seconds by which a clock is ahead of that of this machine. */
  | 'clock'
  | 'phone'
  | 'state'
  /** A command to run; never broken, so that it can be copied. */
  | 'command';

/** The context that a tone may depend on beside the value. */
export interface ToneContext {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The row that contains the value. */
  readonly row: Row;
}

/** A member of a row: its name in JSON, its heading in a table. */
export interface Field {
  /** The API's own name, or a path into the row: `quotas.bots`. */
  readonly name: string;
  /** Heading in tables and cards; derived from the name if not set. */
  readonly heading?: string;
  readonly kind?: FieldKind;
  /** True for a time in the past, even if the clock of this machine is behind: never `in 3 seconds`. */
  readonly isPast?: boolean;
  /** Shown only in a detail card, not as a table column. */
  readonly detail?: boolean;
  /** True for a detail that is still a column of TSV and CSV, which have nothing in its place. */
  readonly isDelimited?: boolean;
  /** True for a time that is displayed as a local date and time, and not as an age. */
  readonly isLocal?: boolean;
  /** True if its line breaks are `\n` and `\r` in CSV, so that other programs read one line per row. */
  readonly escapesLineBreaks?: boolean;
  /** A field that mostly has the same value; if so, a card leaves this field out. */
  readonly sameAs?: string;
  /** For an id, the field with the name of the same object: the column of the id is left out first. */
  readonly namedBy?: string;
  /** For an id, the member that is displayed in its place if a row has it: the name. */
  readonly shownAs?: string;
  /** The usual width of its values, if it differs from that of its kind. */
  readonly usualWidth?: number;
  /** True if a value that does not fit is cut at its start, because the end of a path says most. */
  readonly keepsEnd?: boolean;
  /** Columns with a lower importance give up their width first; 1 to 9, 5 if not set. */
  readonly importance?: number;
  /** The tone of a value; none if not set. */
  tone?(value: unknown, context: ToneContext): Tone | undefined;
}

/** The fields of a kind of row, in the order of their columns. */
export type Fields = readonly Field[];

/** An object of the API or of botctl, as the runner prints it. */
export type Row = JsonObject;
