/**
 * Seeds an empty sandbox with so many bots and a fifth as many teams, and inserts the same rows without anything around
 * that, in turns. Prints the milliseconds of each pair.
 *
 *     seed-case.cjs DATA FILES BOTS ROUNDS
 */
import { sql } from 'kysely';
import { inChunks } from '../../src/lib/chunks.ts';
import { openClock } from '../../src/sandbox/clock.ts';
import { seed } from '../../src/sandbox/seed.ts';
import { openCaseStore, runCase } from './case-store.ts';
import { inTurns } from './measure.ts';

/** Tables that such a seed fills, in the order in which they refer to each other. */
const filled = ['teams', 'users', 'bots'] as const;

/** Rows of one statement, as of the seed's. */
const rowsAtOnce = 1000;

runCase(async ([data = '', files = '', count, rounds]) => {
  const bots = Number(count);
  const store = await openCaseStore(data, files);
  const clock = await openClock(store);
  const empty = (): Promise<unknown> => sql`truncate teams cascade`.execute(store.db);
  const timed = async (work: () => Promise<unknown>): Promise<number> => {
    await empty();
    const begun = performance.now();
    await work();
    return performance.now() - begun;
  };
  const seeding = (): Promise<unknown> => seed({ store, clock }, { teams: bots / 5, bots, documents: 0 });

  await seeding();
  const inserts: { readonly table: (typeof filled)[number]; readonly rows: string }[] = [];
  for (const table of filled) {
    const found = await store.db.selectFrom(table).selectAll().execute();
    for (const rows of inChunks<unknown>(found, rowsAtOnce))
      inserts.push({ table, rows: JSON.stringify(rows) });
  }
  const inserting = (): Promise<unknown> =>
    store.db.transaction().execute(async (step) => {
      for (const { table, rows } of inserts) {
        const name = sql.table(table);
        await sql`insert into ${name} select * from json_populate_recordset(null::${name}, ${rows}::text::json)`.execute(
          step,
        );
      }
    });
  const pairs = await inTurns(
    Number(rounds),
    () => timed(seeding),
    () => timed(inserting),
  );
  await store.close();
  process.stdout.write(JSON.stringify(pairs));
});
