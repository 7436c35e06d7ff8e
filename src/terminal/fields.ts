/** How a value is shown where people read it. Scripts always get it as the API gave it. */
export type FieldKind = 'text' | 'id' | 'time' | 'flag' | 'number' | 'bytes' | 'phone' | 'state';

/** What a colour means; `terminal/colour.ts` chooses the colour. */
export type Tone = 'good' | 'warning' | 'bad' | 'quiet';

/** A member of a row: its name in JSON, its heading in a table. */
export interface Field {
  /** The API's own name, or a path into the row: `quotas.bots`. */
  readonly name: string;
  /** Heading in tables and cards; made from the name where it is not given. */
  readonly heading?: string;
  readonly kind?: FieldKind;
  /** Shown only in a detail card, not as a table column. */
  readonly detail?: boolean;
  /** Columns with a lower importance give up their width first; 1 to 9, 5 where not given. */
  readonly importance?: number;
  /** The tone of a value; none where not given. */
  tone?(value: unknown): Tone | undefined;
}

/** The fields of a kind of row, in the order of their columns. */
export type Fields = readonly Field[];
