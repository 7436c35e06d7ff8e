import { type Kysely, sql } from 'kysely';
import type { DeskTables } from './tables.ts';

/** The role of a desk's user: an owner may migrate it, an agent may write to it, and a reader may only read it. */
export type DeskRole = 'owner' | 'agent' | 'reader';

/** A privilege that an agent needs on some columns. `help desk` grants it. */
interface RequiredPrivilege {
  readonly table: keyof DeskTables;
  readonly privilege: 'insert' | 'update';
  /** Undefined for the whole table. */
  readonly columns?: readonly string[];
}

const requiredPrivileges: readonly RequiredPrivilege[] = [
  { table: 'book_records', privilege: 'insert', columns: ['id', 'origin', 'record', 'actor', 'host'] },
  {
    table: 'history',
    privilege: 'insert',
    columns: [
      ...['id', 'origin', 'device', 'event', 'reason', 'lost_at', 'phone_number', 'at', 'actor', 'host'],
    ],
  },
  { table: 'readings', privilege: 'insert' },
  { table: 'readings', privilege: 'update' },
  { table: 'service_keys', privilege: 'insert' },
  { table: 'hook_runs', privilege: 'insert' },
];

export interface RoleResult {
  readonly role: DeskRole;
  /** The privileges that a reader needs to become an agent, such as `insert on history`. */
  readonly missing: readonly string[];
  /** True for a reader who has some of an agent's privileges. */
  readonly isPartial: boolean;
}

/**
 * Returns the role of the user who is connected to a desk.
 * @param schema the schema of the tables
 * @throws DatabaseError
 */
export async function roleIn(db: Kysely<DeskTables>, schema: string): Promise<RoleResult> {
  const table = (name: unknown) => sql`to_regclass(format('%I.%I', cast(${schema} as text), ${name}))`;
  const owner = sql<{ is_owner: boolean }>`select pg_has_role(current_user, relowner, 'usage') as is_owner
    from pg_class where oid = ${table(sql`'history'`)}`;
  if ((await owner.execute(db)).rows[0]?.is_owner) return { role: 'owner', missing: [], isPartial: false };
  const missing: string[] = [];
  for (const { table: name, privilege, columns } of requiredPrivileges) {
    const column = sql`has_column_privilege(${table(sql.lit(name))}, c, ${privilege})`;
    const held = sql<{ is_held: boolean }>`select ${
      columns
        ? sql`(select bool_and(${column}) from unnest(cast(${columns} as text[])) as c)`
        : sql`has_table_privilege(${table(sql.lit(name))}, ${privilege})`
    } as is_held`;
    if (!(await held.execute(db)).rows[0]?.is_held) missing.push(`${privilege} on ${name}`);
  }
  const role = missing.length === 0 ? 'agent' : 'reader';
  return { role, missing, isPartial: role === 'reader' && missing.length < requiredPrivileges.length };
}
