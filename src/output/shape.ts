import type { RemarkText } from '../lib/text/remark.ts';
import type { Body } from './body.ts';
import type { Fields, Row } from './fields.ts';
import type { RenderContext } from './options.ts';

/** The kind of a command's result, and the fields of its rows. */
export type OutputShape =
  | ListShape
  /** A single object. */
  | {
      readonly kind: 'record';
      readonly fields: Fields;
      /** Draws the object instead of a card, unless fields are picked. */
      drawOne?(row: Row, context: RenderContext): Promise<string>;
      /** Draws several such objects. */
      drawSeveral?(rows: readonly Row[], context: RenderContext): Promise<string>;
    }
  /** Events over time; the last one shows how it ended. `cards`: a terminal shows each event as a card. */
  | {
      readonly kind: 'events';
      readonly fields: Fields;
      readonly cards?: boolean;
    }
  /** A result in its final form, such as a JSON document, a script or the body of a response. */
  | { readonly kind: 'text' }
  /** No result: the command prints on stderr only. */
  | { readonly kind: 'nothing' };

/** Many rows of one kind. */
export interface ListShape {
  readonly kind: 'list';
  readonly fields: Fields;
  /** True if the result has further fields, such as the columns of a file. */
  readonly isOpen?: boolean;
  readonly empty?: EmptyList;
  /** Draws the rows instead of a table, unless fields are picked. */
  draw?(rows: readonly Row[], context: RenderContext): Promise<string>;
  /** Draws the rows one by one instead, each as soon as it arrives. */
  drawEach?(row: Row, context: RenderContext): Promise<string>;
  /** Returns the list as Markdown; without this function `-o markdown` is refused. */
  markdown?(rows: readonly Row[], context: RenderContext): Promise<string>;
}

/** The notes for a list without rows. */
export interface EmptyList {
  /** The note if there is nothing at all, with the command that creates one. */
  readonly none: RemarkText;
  /** The note if no row matches the options; `none` if not set. */
  readonly noMatch?: RemarkText;
}

/** The result of `run`, by the kind of output. */
export interface Results {
  list: readonly Row[] | AsyncIterable<Row>;
  /** Undefined if the messages on stderr are enough for the user. */
  record: Row | undefined;
  /** A single row if there is nothing to wait for; it is printed as a record. */
  events: AsyncIterable<Row> | Row;
  text: string | Body;
  // biome-ignore lint/suspicious/noConfusingVoidType: it is what an async `run` without a result returns
  nothing: void;
}
