import type { RemarkText } from '../lib/text/remark.ts';
import type { Body } from './body.ts';
import type { Fields, Row } from './fields.ts';
import type { RenderContext } from './options.ts';

/** The kind of a command's result, and the fields of its rows. */
export type OutputShape =
  | ListShape
  /** One thing. */
  | {
      readonly kind: 'record';
      readonly fields: Fields;
      /** What people see instead of a card, where they don't pick fields. */
      drawOne?(row: Row, context: RenderContext): Promise<string>;
      /** The same of several of them. */
      drawSeveral?(rows: readonly Row[], context: RenderContext): Promise<string>;
    }
  /**
   * Things that happen over time; the last says how it ended. `cards`: people see each like a record.
   */
  | {
      readonly kind: 'events';
      readonly fields: Fields;
      readonly cards?: boolean;
    }
  /** A result in its final form, such as a JSON document, a script or the body of an answer. */
  | { readonly kind: 'text' }
  /** Nothing: the command speaks for itself on stderr. */
  | { readonly kind: 'nothing' };

/** Many rows of one kind. */
export interface ListShape {
  readonly kind: 'list';
  readonly fields: Fields;
  /** The result brings further fields, such as the columns of a file. */
  readonly isOpen?: boolean;
  readonly empty?: EmptyList;
  /** What people see instead of a table, where they don't pick fields. */
  draw?(rows: readonly Row[], context: RenderContext): Promise<string>;
  /** The same row by row, each shown as soon as it is there. */
  drawEach?(row: Row, context: RenderContext): Promise<string>;
  /** Its form as Markdown; `-o markdown` is refused where there is none. */
  markdown?(rows: readonly Row[], context: RenderContext): Promise<string>;
}

/** The remarks on a list without rows. */
export interface EmptyList {
  /** The remark if there is nothing at all, with the line that makes one. */
  readonly none: RemarkText;
  /** The remark if there may be some, but none that the options ask for; as `none` if not set. */
  readonly noMatch?: RemarkText;
}

/** The result of `run`, by the kind of output. */
export interface Results {
  list: readonly Row[] | AsyncIterable<Row>;
  /** Undefined if a person needs to see no more than what was said. */
  record: Row | undefined;
  /** Where there is nothing to wait for, one row alone, which is printed as a record. */
  events: AsyncIterable<Row> | Row;
  text: string | Body;
  // biome-ignore lint/suspicious/noConfusingVoidType: it is what an async `run` without a result returns
  nothing: void;
}
