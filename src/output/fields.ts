import type { JsonObject } from '../lib/json-object.ts';
import type { Tone } from '../terminal/colour.ts';

/** The kind of a field decides how people see its values. Scripts always get it as the API gave it. */
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
  /** A line to run; never broken, so that it can be copied. */
  | 'command';

/** The context that a tone may depend on beside the value. */
export interface ToneContext {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The row that the value is of. */
  readonly row: Row;
}

/** A member of a row: its name in JSON, its heading in a table. */
export interface Field {
  /** The API's own name, or a path into the row: `quotas.bots`. */
  readonly name: string;
  /** Heading in tables and cards; made from the name where it is not given. */
  readonly heading?: string;
  readonly kind?: FieldKind;
  /** A time in the past even if the clock of this machine is behind: never `in 3 seconds`. */
  readonly isPast?: boolean;
  /** Shown only in a detail card, not as a table column. */
  readonly detail?: boolean;
  /** A detail that is a column of TSV and CSV anyway, as they have nothing in its place. */
  readonly isDelimited?: boolean;
  /** A time that people see as the date and the time of their clock, and not as an age. */
  readonly isLocal?: boolean;
  /** Its line breaks are `\n` and `\r` in CSV, of which other programs then make one line a row. */
  readonly escapesLineBreaks?: boolean;
  /** The field that it mostly says the same as; a card leaves it out then. */
  readonly sameAs?: string;
  /** The field that names the same thing, beside an id: the column of the id gives up its place first. */
  readonly namedBy?: string;
  /** The member that people see in its place, beside an id, where a row has one: the name. */
  readonly shownAs?: string;
  /** The columns that its values usually take, where that is not as its kind says. */
  readonly usualWidth?: number;
  /** Its end is shown where there is no room for all of it, as that of a path tells most. */
  readonly keepsEnd?: boolean;
  /** Columns with a lower importance give up their width first; 1 to 9, 5 if not set. */
  readonly importance?: number;
  /** The tone of a value; none if not set. */
  tone?(value: unknown, context: ToneContext): Tone | undefined;
}

/** The fields of a kind of row, in the order of their columns. */
export type Fields = readonly Field[];

/** A thing of the API or of botctl, as the runner prints it. */
export type Row = JsonObject;
