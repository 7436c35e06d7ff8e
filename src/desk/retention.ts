import { sql } from 'kysely';
import type { ConnectedDesk } from './connect.ts';

/**
 * Returns how many events of the history are older than a duration.
 * @throws Failure if the database fails
 */
export function eventsOlderThan(desk: ConnectedDesk, keepMs: number): Promise<number> {
  const before = sql<Date>`now() - ${keepMs} * interval '1 ms'`;
  return desk.run(async (db) => {
    const found = db
      .selectFrom('history')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('at', '<', before);
    return (await found.executeTakeFirstOrThrow()).count;
  });
}

/**
 * Sets how long a desk keeps its history.
 * @throws Failure if the user is not its owner, or the database fails
 */
export async function setRetention(desk: ConnectedDesk, keepMs: number): Promise<void> {
  await desk.run((db) => db.updateTable('desk').set({ keep_ms: keepMs }).execute());
}
