import type { Session } from '../cli/context.ts';
import type { Row } from '../output/fields.ts';
import type { ForeignCommand } from '../resources/devices/other-agents.ts';
import type { PageAddress } from './words.ts';

/**
 * Returns the rows as events if requested, or only the last one if a user follows the events on the terminal that is also stdout.
 * @param tell receives each event in that case
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

/** Shows events to the user: on a screen, in plain lines, or almost nothing without a terminal. */
export interface EventView<Event> {
  /** Aborted when the user leaves: `declined` with q, `interrupted` with Ctrl-C. */
  readonly signal: AbortSignal;
  /** True if it covers the terminal: other output may overwrite it. */
  readonly coversTerminal?: boolean;
  show(event: Event): void | Promise<void>;
  /** Restores the terminal; safe to call twice. */
  close(): void;
}

/** The dependencies of a view of a pairing. */
export type ViewContext = Pick<Session, 'terminal' | 'clock' | 'io'>;

/** The user's actions during a pairing. Each may throw a Failure, whose message the view shows. */
export interface PairingActions {
  /** Opens the web page that shows the code, unless it is open. */
  page(): Promise<PageAddress>;
  /** Saves the picture of the current code, and returns the path of the file. */
  file(): Promise<string>;
  /** Requests a new code: disconnects, then connects. The result arrives as events. Missing if that is not possible. */
  renew?(): void;
}

/** The places and actions in the view of a pairing. */
export interface PairingView {
  readonly actions: PairingActions;
  /** The expected number, as it is displayed. */
  readonly expected?: string | undefined;
  /** Returns the command of another person who may be looking at the same code. */
  others?(): ForeignCommand | undefined;
  /** The file with the current picture, if any. */
  readonly file: string | undefined;
  /** The web page that shows the code, if it is open. */
  readonly page?: PageAddress | undefined;
}
