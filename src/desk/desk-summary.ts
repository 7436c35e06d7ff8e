import { sql } from 'kysely';
import * as z from 'zod/mini';
import { logText } from '../lib/files/append-log.ts';
import { copyLine } from './book-copy.ts';
import { clockAhead } from './clock-ahead.ts';
import type { ConnectedDesk } from './connect.ts';
import { foldRecords } from './device-book-lines.ts';
import { type RoleResult, roleIn } from './privileges.ts';
import { readBook } from './read-book.ts';

/** The role of a user in a desk, and the clock of its database. */
export interface RoleSummary extends RoleResult {
  /** How far the clock of the database is ahead of this machine's, in milliseconds. */
  readonly clockAheadMs: number;
}

/** The content of a desk, for display. */
export interface DeskSummary extends RoleSummary {
  /** The user of the connection (`session_user`). */
  readonly user: string;
  /** The number of devices of all services in the book, without forgotten ones. */
  readonly devices: number;
  /** The number of events in the history. */
  readonly events: number;
  /** The number of machines that wrote something in the last day. */
  readonly machines: number;
  /** The version of botctl that migrated it last. */
  readonly botctl: string;
}

const counts = z.object({
  user: z.string(),
  events: z.number(),
  machines: z.number(),
  botctl: z.string(),
});

/**
 * Summarizes a desk without changing it.
 * @param now returns milliseconds since 1970 by the clock of this machine
 * @throws Failure if the database fails
 */
export async function summarizeDesk(desk: ConnectedDesk, now: () => number): Promise<DeskSummary> {
  const role = await summarizeRole(desk, now);
  return desk.run(async (db) => {
    const table = (name: string) => sql.id(desk.schema, name);
    const { rows } = await sql`select session_user as user,
      (select botctl_version from ${table('desk')}) as botctl,
      (select count(*) from ${table('history')}) as events,
      (select count(*) from (
        select host from ${table('book_records')} where at > now() - interval '1 day'
        union select host from ${table('history')} where at > now() - interval '1 day'
        union select host from ${table('readings')} where read_at > now() - interval '1 day'
      ) as seen) as machines`.execute(db);
    const devices = foldRecords(logText((await readBook(db)).map(copyLine))).known.size;
    return { ...role, ...z.parse(counts, rows[0]), devices };
  });
}

/**
 * Summarizes the role of the user and the clock of a desk. It reads no rows of the device book or the history.
 * @param now returns milliseconds since 1970 by the clock of this machine
 * @throws Failure if the database fails
 */
export function summarizeRole(desk: ConnectedDesk, now: () => number): Promise<RoleSummary> {
  return desk.run(async (db) => ({
    ...(await roleIn(db, desk.schema)),
    clockAheadMs: await clockAhead(desk, now),
  }));
}
