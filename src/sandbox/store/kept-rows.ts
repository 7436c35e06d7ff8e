import { type Kysely, sql } from 'kysely';
import { type Tables, tables } from './tables.ts';

const names = sql.lit(`{${tables.join(',')}}`);
const namesBackward = sql.lit(`{${tables.toReversed().join(',')}}`);

/** Copies the rows of all tables into tables of a schema beside them, in the place of an earlier copy. */
export async function keepRows(db: Kysely<Tables>): Promise<void> {
  const copying = sql`do $$
    declare name text;
    begin
      drop schema if exists kept cascade;
      create schema kept;
      foreach name in array ${names}::text[] loop
        execute format('create table kept.%1$I as table %1$I', name);
      end loop;
    end $$`;
  await copying.execute(db);
}

/** Puts the copies of `keepRows()` in the place of all rows. */
export async function restoreRows(db: Kysely<Tables>): Promise<void> {
  const restoring = sql`do $$
    declare name text;
    begin
      foreach name in array ${namesBackward}::text[] loop
        execute format('delete from %I', name);
      end loop;
      foreach name in array ${names}::text[] loop
        execute format('insert into %1$I table kept.%1$I', name);
      end loop;
    end $$`;
  await restoring.execute(db);
}
