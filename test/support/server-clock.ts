import type { TestDatabase } from './database-server.ts';

/** The clock of a database on a server of this machine, as campaigns read it. */
export interface ServerClock {
  /** Sets it forward, or back. */
  advance(milliseconds: number): Promise<void>;
  /** Sets it to a time, in milliseconds since 1970. It goes on by itself. */
  set(time: number): Promise<void>;
  /** Sets it forward to a time, unless it is there already. */
  reach(time: number): Promise<void>;
}

/** Takes over the clock of a database, for sessions that begin later: a function that is found before PostgreSQL's own. */
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
