import type { TestDatabase } from './database-server.ts';

/** The clock of a database on a local server, as campaigns read it. */
export interface ServerClock {
  /** Moves it forward or back. */
  advance(milliseconds: number): Promise<void>;
  /** Sets it to a time, in milliseconds since 1970, from which it runs on. */
  set(time: number): Promise<void>;
  /** Moves it forward to a time, unless it is past that already. */
  reach(time: number): Promise<void>;
}

/** Replaces the clock of a database for later sessions, by a function that is found before PostgreSQL's own. */
export async function takeClock({ url, run }: TestDatabase): Promise<ServerClock> {
  const name = new URL(url).pathname.slice(1);
  let ahead = 0;
  const setAhead = async (milliseconds: number) => {
    ahead = Math.round(milliseconds);
    await run(`create or replace function fake.clock_timestamp() returns timestamptz language sql volatile as
      $$ select pg_catalog.clock_timestamp() + ${ahead} * interval '1 millisecond' $$`);
  };
  await run('create schema fake');
  await setAhead(0);
  await run(`alter database ${name} set search_path = fake, pg_catalog, public`);
  return {
    advance: (milliseconds) => setAhead(ahead + milliseconds),
    set: (time) => setAhead(time - Date.now()),
    reach: (time) => setAhead(Math.max(ahead, time - Date.now())),
  };
}
