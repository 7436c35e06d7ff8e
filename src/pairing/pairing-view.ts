import type { Context } from '../cli/context.ts';
import type { CodeStyle } from '../qr/styles.ts';

/** The part of a command's context that a view needs. */
export type PairingContext = Pick<Context, 'terminal' | 'clock' | 'io'>;

/** The address of the web page that shows the code. */
export interface PageAddress {
  readonly url: string;
  /** The command that makes the page reachable from another machine, at the same address. */
  readonly sshLine: string;
}

/**
 * The actions of a person while a pairing is followed. One that is missing isn't offered. Each may throw a
 * Failure, whose message the view shows.
 */
export interface PairingActions {
  /** Opens the web page that shows the code, unless it is open. */
  page?(): Promise<PageAddress>;
  /** Saves the picture of the current code, and returns the path of the file. */
  file?(): Promise<string>;
  /** Asks for a new code: disconnects, then connects. The result arrives as events. */
  renew?(): void;
}

/** The choice of a person for the drawing of codes. */
export interface DrawingOptions {
  readonly style: CodeStyle;
  /** Exchanges black and white, for a terminal without colours whose background is light. */
  readonly invert: boolean;
}
