import type { Session } from '../cli/context.ts';
import type { Row } from '../output/fields.ts';
import type { ForeignCommand } from '../resources/devices/other-agents.ts';
import type { PageAddress } from './words.ts';

/**
 * Returns the rows as events if that is wanted, or the last one alone if a person sees what happens on the terminal that stdout is too.
 * @param tell is called there with each as it comes
 */
export async function eventsOrLast(
  { terminal, io }: Session,
  areWanted: boolean,
  rows: AsyncIterable<Row>,
  tell?: (row: Row) => void,
): Promise<Row | AsyncIterable<Row>> {
  if (terminal.interactive && io.stdout.isTTY === true) return lastOf(rows, tell);
  return areWanted ? rows : lastOf(rows);
}

async function lastOf(rows: AsyncIterable<Row>, tell?: (row: Row) => void): Promise<Row> {
  let last: Row = {};
  for await (const row of rows) {
    tell?.(row);
    last = row;
  }
  return last;
}

/** Shows a person what happens: on a screen, in plain lines, or next to nothing off a terminal. */
export interface EventView<Event> {
  /** Aborted when the person leaves: `declined` with q, `interrupted` with Ctrl-C. */
  readonly signal: AbortSignal;
  /** True if it covers the terminal: what is written elsewhere meanwhile may land on it. */
  readonly coversTerminal?: boolean;
  show(event: Event): void | Promise<void>;
  /** Restores the terminal as it was; safe to call twice. */
  close(): void;
}

/** The part of a command's context that a view of a pairing needs. */
export type ViewContext = Pick<Session, 'terminal' | 'clock' | 'io'>;

/** The actions of a person while a pairing is followed. Each may throw a Failure, whose message the view shows. */
export interface PairingActions {
  /** Opens the web page that shows the code, unless it is open. */
  page(): Promise<PageAddress>;
  /** Saves the picture of the current code, and returns the path of the file. */
  file(): Promise<string>;
  /** Asks for a new code: disconnects, then connects. The result arrives as events. Missing if none can be asked for. */
  renew?(): void;
}

/** The places and actions that a view shows beside the pairing. */
export interface PairingView {
  readonly actions: PairingActions;
  /** The number that is to be paired, as it is shown. */
  readonly expected?: string | undefined;
  /** Returns the command of another person who may be looking at the same code. */
  others?(): ForeignCommand | undefined;
  /** The file that holds the current picture, if any. */
  readonly file: string | undefined;
  /** The web page that shows the code, if it is open. */
  readonly page?: PageAddress | undefined;
}
