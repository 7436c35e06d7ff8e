import type { GivenService } from '../lib/text/remark.ts';
import type { Paint } from '../terminal/colour.ts';

/** The surroundings that a table or card is drawn for. */
export interface RenderContext {
  /** Columns of the terminal; Infinity where it is none, so that nothing is cut or wrapped. */
  readonly columns: number;
  readonly paint: Paint;
  readonly unicode: boolean;
  /** Repeated by the command lines that lead on. */
  readonly given?: GivenService | undefined;
  /** Milliseconds since 1970, for relative times. */
  readonly now: number;
  /**
   * Masks secrets in a value. It happens before the value is cut or wrapped: of a secret in two lines the
   * stream would see neither half.
   */
  redact(text: string): string;
}
