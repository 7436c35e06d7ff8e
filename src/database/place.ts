import { type Kysely, sql } from 'kysely';

/**
 * Returns what tells a database from its copies: the numbers of its server's data, where the user may read that, and of itself
 * there. They stay with replicas that take over and with backups of the server's whole data, and not with dumps and templates.
 */
export async function placeOf<T>(db: Kysely<T>): Promise<string> {
  const here = sql<{ oid: string; may_read: boolean }>`select oid::text,
    has_function_privilege('pg_control_system()', 'execute') as may_read
    from pg_database where datname = current_database()`;
  const [row] = (await here.execute(db)).rows;
  if (!row?.may_read) return String(row?.oid);
  const cluster = sql<{ id: string }>`select system_identifier::text as id from pg_control_system()`;
  return `${(await cluster.execute(db)).rows[0]?.id}/${row.oid}`;
}
