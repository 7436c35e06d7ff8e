import { migrate, type Schema, statementsForBoth } from '../../src/database/migrate.ts';
import type { Database } from '../../src/database/open.ts';
import { newDatabase } from './engines.ts';

/** A table that several connections read and write. */
export interface Counters {
  counters: { name: string; count: number };
}

export const counters: Schema = {
  create: statementsForBoth('create table counters (name text primary key, count integer not null)'),
  migrations: { '001_counters': undefined },
};

/** Opens a new database twice, as two processes do. */
export async function openTwice(
  create = newDatabase,
): Promise<readonly [Database<Counters>, Database<Counters>]> {
  const place = await create();
  const both = [await place.open<Counters>(), await place.open<Counters>()] as const;
  await migrate(both[0], counters);
  return both;
}
