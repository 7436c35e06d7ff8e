import { type Kysely, sql } from 'kysely';
import { DatabaseError } from '../database/error.ts';
import { Failure } from '../lib/errors.ts';
import type { DeskTables } from './tables.ts';

/** PostgreSQL's code for a missing privilege. */
const forbidden = '42501';

/** PostgreSQL's code for a transaction that may only read. */
const readOnly = '25006';

/** True if the user of the database may not write there, or the session may only read. */
export function mayNotWrite(thrown: unknown): boolean {
  return [forbidden, readOnly].includes(codeOf(thrown) ?? '');
}

/** True if the user of the database lacks a privilege. */
export function isForbidden(thrown: unknown): boolean {
  return codeOf(thrown) === forbidden;
}

/**
 * True if a failed write says no more than that the server takes none at the moment: it is a standby, or its administrator made the
 * database read-only. A user whose own setting says so may only read.
 */
async function isStandby(thrown: unknown, db: Kysely<DeskTables>): Promise<boolean> {
  if (codeOf(thrown) !== readOnly) return false;
  const own = sql<{
    is_own: boolean;
  }>`select setting = 'on' and source in ('user', 'database user', 'client', 'session') as is_own
    from pg_settings where name = 'default_transaction_read_only'`;
  return (await own.execute(db)).rows[0]?.is_own !== true;
}

/** True if the user of the database may only read, and not because the server takes no writes at the moment. */
export async function mayOnlyRead(thrown: unknown, db: Kysely<DeskTables>): Promise<boolean> {
  return mayNotWrite(thrown) && !(await isStandby(thrown, db));
}

function codeOf(thrown: unknown): string | undefined {
  const error = thrown instanceof Failure ? thrown.cause : thrown;
  return error instanceof DatabaseError ? error.code : undefined;
}
