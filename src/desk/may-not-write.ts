import { type Kysely, sql } from 'kysely';
import { DatabaseError } from '../database/error.ts';
import { Failure } from '../lib/errors.ts';
import type { DeskTables } from './tables.ts';

/** PostgreSQL's code for a missing privilege. */
const forbidden = '42501';

/** PostgreSQL's code for a read-only transaction. */
const readOnly = '25006';

/** Returns whether the database user may not write, or the session is read-only. */
export function mayNotWrite(thrown: unknown): boolean {
  return [forbidden, readOnly].includes(codeOf(thrown) ?? '');
}

/** Returns whether the database user lacks a privilege. */
export function isForbidden(thrown: unknown): boolean {
  return codeOf(thrown) === forbidden;
}

/**
 * Returns whether a failed write only shows that the server accepts no writes at the moment: it is a standby, or its
 * administrator made the database read-only. Returns false if the user's own setting makes sessions read-only.
 */
async function isStandby(thrown: unknown, db: Kysely<DeskTables>): Promise<boolean> {
  if (codeOf(thrown) !== readOnly) return false;
  const own = sql<{
    is_own: boolean;
  }>`select setting = 'on' and source in ('user', 'database user', 'client', 'session') as is_own
    from pg_settings where name = 'default_transaction_read_only'`;
  return (await own.execute(db)).rows[0]?.is_own !== true;
}

/**
 * Returns whether the database user may only read, for a reason other than that the server accepts no writes at the
 * moment.
 */
export async function mayOnlyRead(thrown: unknown, db: Kysely<DeskTables>): Promise<boolean> {
  return mayNotWrite(thrown) && !(await isStandby(thrown, db));
}

function codeOf(thrown: unknown): string | undefined {
  const error = thrown instanceof Failure ? thrown.cause : thrown;
  return error instanceof DatabaseError ? error.code : undefined;
}
