import type { Clock } from '../lib/clock.ts';
import type { Io } from '../lib/io.ts';
import type { ServiceOptions } from '../lib/text/remark.ts';
import type { Paint } from '../terminal/colour.ts';
import type { Fields } from './fields.ts';

/** The part of a `Context` that presenting needs. */
export interface PresentOptions {
  readonly io: Pick<Io, 'stdout' | 'env'> & Partial<Pick<Io, 'signal'>>;
  readonly options: FormatOptions & ServiceOptions;
  readonly clock: Pick<Clock, 'now'>;
  /** Masks secrets in a value before a table or card cuts or wraps it; if not set, none are known. */
  redactResult?(text: string): string;
  /** Called with the fields that a table has no room for. */
  onOmitted?(fields: Fields): void;
}

/** The formats of results. */
export const outputFormats = ['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'id', 'markdown'] as const;

/** A format of results. */
export type OutputFormat = (typeof outputFormats)[number];

/** The options that choose the format of a result. */
export interface FormatOptions {
  /** `help` asks for the fields of the command's output. */
  readonly output: OutputFormat | 'help' | undefined;
  readonly fields: readonly string[] | undefined;
  /** True if TSV has a heading line. */
  readonly header: boolean;
  /** False with `--no-color`. */
  readonly color: boolean;
}

/** The surroundings that a table or card is drawn for. */
export interface RenderContext {
  /** Columns of the terminal; Infinity if there is none, so that nothing is cut or wrapped. */
  readonly columns: number;
  readonly paint: Paint;
  readonly unicode: boolean;
  /** The options that suggested command lines repeat. */
  readonly service?: ServiceOptions | undefined;
  /** Milliseconds since 1970, for relative times. */
  readonly now: number;
  /**
   * Masks secrets in a value. Call it before the value is cut or wrapped: the stream would recognise neither half of a
   * secret that is split over two lines.
   */
  redact(text: string): string;
}
