import type { Session } from '../cli/context.ts';
import type { Row } from '../output/fields.ts';

/** True if a person has seen what happened on the terminal that stdout is too. */
export function isOnScreen({ terminal, io }: Session): boolean {
  return terminal.interactive && io.stdout.isTTY === true;
}

/** Returns the rows as events if that is wanted and stdout isn't a terminal, else the last one alone. */
export async function eventsOrLast(
  { io }: Session,
  areWanted: boolean,
  rows: AsyncIterable<Row>,
): Promise<Row | AsyncIterable<Row>> {
  return areWanted && io.stdout.isTTY !== true ? rows : lastOf(rows);
}

/**
 * Returns the last of several rows.
 * @param tell is called with each as it comes
 */
export async function lastOf(rows: AsyncIterable<Row>, tell?: (row: Row) => void): Promise<Row> {
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
