/**
 * Seeds an empty sandbox with so many bots and a fifth as many teams, and inserts the same rows without anything around
 * that, in turns. Prints the milliseconds of each pair.
 *
 *     seed-case.cjs DATA FILES BOTS ROUNDS
 */
import { inChunks } from '../../src/lib/chunks.ts';
import { openClock } from '../../src/sandbox/clock.ts';
import { seed } from '../../src/sandbox/seed.ts';
import { openCaseStore, runCase } from './case-store.ts';
import { inTurns } from './measure.ts';

/** Rows of one statement, as of the seed's. */
const rowsAtOnce = 1000;

runCase(async ([data = '', files = '', count, rounds]) => {
  const number = Number(count);
  const store = await openCaseStore(data, files);
  const clock = await openClock(store);
  const empty = (): Promise<unknown> => store.db.deleteFrom('teams').execute();
  const timed = async (work: () => Promise<unknown>): Promise<number> => {
    await empty();
    const begun = performance.now();
    await work();
    return performance.now() - begun;
  };
  const seeding = (): Promise<unknown> =>
    seed({ store, clock }, { teams: number / 5, bots: number, documents: 0 });

  await seeding();
  const [teams, users, bots] = [
    await store.db.selectFrom('teams').selectAll().execute(),
    await store.db.selectFrom('users').selectAll().execute(),
    await store.db.selectFrom('bots').selectAll().execute(),
  ];
  const botRows = bots.map((bot) => ({ ...bot, questions: '[]', actions: '[]' }));
  const inserting = (): Promise<unknown> =>
    store.db.transaction().execute(async (transaction) => {
      for (const rows of inChunks(teams, rowsAtOnce))
        await transaction.insertInto('teams').values(rows).execute();
      for (const rows of inChunks(users, rowsAtOnce))
        await transaction.insertInto('users').values(rows).execute();
      for (const rows of inChunks(botRows, rowsAtOnce))
        await transaction.insertInto('bots').values(rows).execute();
    });
  const pairs = await inTurns(
    Number(rounds),
    () => timed(seeding),
    () => timed(inserting),
  );
  await store.close();
  process.stdout.write(JSON.stringify(pairs));
});
