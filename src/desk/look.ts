import { sql } from 'kysely';
import * as z from 'zod/mini';
import { logText } from '../lib/files/append-log.ts';
import { copyLine } from './book-copy.ts';
import { clockAhead } from './clock-ahead.ts';
import type { ConnectedDesk } from './connect.ts';
import { learnt } from './device-book-lines.ts';
import { type RoleResult, roleIn } from './privileges.ts';
import { readBook } from './read-book.ts';

/** What a look at a desk found. */
export interface DeskLook extends RoleResult {
  /** The user who connected (`session_user`). */
  readonly user: string;
  /** Devices of all services in the book, without the forgotten ones. */
  readonly devices: number;
  /** Events in the history. */
  readonly events: number;
  /** Machines that wrote something in the last day. */
  readonly machines: number;
  /** The version of botctl that migrated it last. */
  readonly botctl: string;
  /** How far the clock of the database is ahead of that of this machine, in milliseconds. */
  readonly clockAheadMs: number;
}

const counted = z.object({
  user: z.string(),
  events: z.number(),
  machines: z.number(),
  botctl: z.string(),
});

/**
 * Looks at a desk and changes nothing there.
 * @param now returns milliseconds since 1970 by the clock of this machine
 * @throws Failure if the database fails
 */
export async function lookAtDesk(desk: ConnectedDesk, now: () => number): Promise<DeskLook> {
  const { db, schema } = desk;
  try {
    const role = await roleIn(db, schema);
    const table = (name: string) => sql.id(schema, name);
    const { rows } = await sql`select session_user as user,
      (select botctl_version from ${table('desk')}) as botctl,
      (select count(*) from ${table('history')}) as events,
      (select count(*) from (
        select host from ${table('book_records')} where at > now() - interval '1 day'
        union select host from ${table('history')} where at > now() - interval '1 day'
        union select host from ${table('readings')} where read_at > now() - interval '1 day'
      ) as seen) as machines`.execute(db);
    const found = z.parse(counted, rows[0]);
    return { ...role, ...found, devices: await devicesIn(desk), clockAheadMs: await clockAhead(desk, now) };
  } catch (error) {
    throw desk.failureOf(error);
  }
}

/**
 * Looks at the role of the user and at the clock of a desk. Unlike `lookAtDesk`, it reads no rows of the device book or the history.
 * @param now returns milliseconds since 1970 by the clock of this machine
 * @throws Failure if the database fails
 */
export async function lookAtRole(
  desk: ConnectedDesk,
  now: () => number,
): Promise<RoleResult & Pick<DeskLook, 'clockAheadMs'>> {
  try {
    return { ...(await roleIn(desk.db, desk.schema)), clockAheadMs: await clockAhead(desk, now) };
  } catch (error) {
    throw desk.failureOf(error);
  }
}

/** Returns how many devices are in the book, by the rules that decide which are forgotten. */
async function devicesIn({ db }: ConnectedDesk): Promise<number> {
  return learnt(logText((await readBook(db)).map(copyLine))).size;
}

/**
 * Returns how many events of the history are older than a duration.
 * @throws Failure if the database fails
 */
export async function eventsOlderThan({ db, failureOf }: ConnectedDesk, keepMs: number): Promise<number> {
  const before = sql<Date>`now() - ${keepMs} * interval '1 ms'`;
  const found = db
    .selectFrom('history')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('at', '<', before);
  try {
    return (await found.executeTakeFirstOrThrow()).count;
  } catch (error) {
    throw failureOf(error);
  }
}

/**
 * Stores how long a desk keeps its history.
 * @throws Failure if the user is not its owner, or the database fails
 */
export async function keepHistory({ db, failureOf }: ConnectedDesk, keepMs: number): Promise<void> {
  try {
    await db.updateTable('desk').set({ keep_ms: keepMs }).execute();
  } catch (error) {
    throw failureOf(error);
  }
}
