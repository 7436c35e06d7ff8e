import { type Kysely, type RawBuilder, sql } from 'kysely';

/** Tells our numbers from those of others in the database: "botc". */
const ours = 0x626f7463;

/** The turn in which a schema is brought to its newest step, in every database of ours. */
export const schemaTurn = 1;

/** Returns the arguments that name a turn to PostgreSQL's functions for advisory locks. */
export function turnNumbers(turn: number): RawBuilder<unknown> {
  return sql`${sql.lit(ours)}, ${sql.lit(turn)}`;
}

/** Does something in a turn of the session, over several transactions; other sessions wait for theirs. */
export async function inTurn<T>(session: Kysely<unknown>, turn: number, work: () => Promise<T>): Promise<T> {
  await sql`select pg_advisory_lock(${turnNumbers(turn)})`.execute(session);
  try {
    return await work();
  } finally {
    // A session that is gone has no turn any more.
    await sql`select pg_advisory_unlock(${turnNumbers(turn)})`.execute(session).catch(() => undefined);
  }
}
