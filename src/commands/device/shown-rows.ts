import type { Session } from '../../cli/context.ts';
import type { Row } from '../../output/row.ts';

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
