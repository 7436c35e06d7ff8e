import type { Clock } from '../lib/clock.ts';
import type { Io } from '../lib/io.ts';
import type { GivenService } from '../lib/text/remark.ts';
import type { Fields } from './fields.ts';
import type { FormatOptions } from './formats.ts';
import type { Row } from './row.ts';

/** The part of a `Context` that presenting needs. */
export interface PresentOptions {
  readonly io: Pick<Io, 'stdout' | 'env'> & Partial<Pick<Io, 'signal'>>;
  readonly options: FormatOptions & GivenService;
  readonly clock: Pick<Clock, 'now'>;
  /** Masks secrets in a value before a table or card cuts or wraps it; if not set, none are known. */
  redactResult?(text: string): string;
  /** Returns a list as Markdown, where the command has such a form. */
  markdown?(rows: readonly Row[]): Promise<string>;
  /** Called with the fields that a table has no room for. */
  onLeftOut?(fields: Fields): void;
}
