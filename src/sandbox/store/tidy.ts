import { type Kysely, sql } from 'kysely';
import { type Tables, tables } from './tables.ts';

/** Fewer rows than these are soon read in any case. */
const manyRows = 1000;

/**
 * Lets lists go by their indexes alone after many rows were written: PostgreSQL looks into each row otherwise, until it has
 * seen that everybody sees it. Servers do so by themselves some time later, and PGlite never.
 */
export async function tidy(db: Kysely<Tables>, written: number): Promise<void> {
  if (written < manyRows) return;
  // What was written stays, whoever keeps this from its end.
  await sql`vacuum (analyze) ${sql.join(tables.map((table) => sql.table(table)))}`
    .execute(db)
    .catch(() => undefined);
}
