import type { TestDatabase } from './database-server.ts';

/** The clock of a database on a server, as campaigns read it. */
export interface ServerClock {
  /** Sets it forward, or back. */
  advance(milliseconds: number): Promise<void>;
  /** Sets it to a time, in milliseconds since 1970. It goes on by itself. */
  set(time: number): Promise<void>;
  /** Sets it forward to a time, unless it is there already. */
  reach(time: number): Promise<void>;
}

/**
 * Takes over the clock of a database, for sessions that begin later: a function that is found before PostgreSQL's own. The
 * tables of campaigns have to be there, or they would be created beside the function.
 */
export async function takeClock({ url, run }: TestDatabase): Promise<ServerClock> {
  const name = new URL(url).pathname.slice(1);
  await run('create schema fake');
  await run('create table fake.clock as select 0::float8 as ahead');
  await run(`create function fake.clock_timestamp() returns timestamptz language sql volatile as $$
    select pg_catalog.clock_timestamp() + (select ahead from fake.clock) * interval '1 millisecond' $$`);
  await run(`alter database ${name} set search_path = fake, pg_catalog, public`);
  const aheadOf = (time: number) => `${time} - extract(epoch from pg_catalog.clock_timestamp()) * 1000`;
  const update = async (ahead: string) => void (await run(`update fake.clock set ahead = ${ahead}`));
  return {
    advance: (milliseconds) => update(`ahead + ${milliseconds}`),
    set: (time) => update(aheadOf(time)),
    reach: (time) => update(`greatest(ahead, ${aheadOf(time)})`),
  };
}
