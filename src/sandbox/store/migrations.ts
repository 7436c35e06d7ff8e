import { createHash } from 'node:crypto';
import { type Kysely, type Migration, Migrator, sql } from 'kysely';
import firstSchema from './migrations/001_first_schema.sql?raw';
import sessionsThatGoDown from './migrations/002_sessions_that_go_down.sql?raw';
import messagesInOrder from './migrations/003_messages_in_order.sql?raw';
import theServiceItself from './migrations/004_the_service_itself.sql?raw';
import theFirstKeyOfEachProcess from './migrations/005_the_first_key_of_each_process.sql?raw';
import documentsOfAType from './migrations/006_documents_of_a_type.sql?raw';

/**
 * Brings the schema to its newest step.
 * @throws Error if a step fails, or if the schema has steps that this version doesn't know
 */
export async function migrateToLatest<T>(db: Kysely<T>): Promise<void> {
  if (await isLatest(db)) return;
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

/** Kysely's own introspection of the schema would add a fifth of a second to every start. */
async function isLatest<T>(db: Kysely<T>): Promise<boolean> {
  const done = sql<{ name: string }>`select name from kysely_migration order by name`;
  // A new database has no such table.
  const rows = await done.execute(db).then(
    (found) => found.rows,
    () => [],
  );
  return JSON.stringify(rows.map(({ name }) => name)) === JSON.stringify(Object.keys(steps).sort());
}

/** Tells one state of the steps from any other. */
export function migrationsHash(): string {
  return createHash('sha256').update(JSON.stringify(steps)).digest('hex');
}

/**
 * The schema, step by step. A step that has landed is never edited; a change is a new step.
 * Written to the floor of PostgreSQL 15, so that the same steps run on a server.
 */
const steps: Readonly<Record<string, string>> = {
  '001_first_schema': firstSchema,
  '002_sessions_that_go_down': sessionsThatGoDown,
  '003_messages_in_order': messagesInOrder,
  '004_the_service_itself': theServiceItself,
  '005_the_first_key_of_each_process': theFirstKeyOfEachProcess,
  '006_documents_of_a_type': documentsOfAType,
};

/** The name of the first step. */
export const firstMigration: string = Object.keys(steps).sort()[0] ?? '';

/** The name of the newest step. */
export const lastMigration: string = Object.keys(steps).sort().at(-1) ?? '';

/** True if the schema has had this step. */
export function isMigration(name: string): boolean {
  return Object.hasOwn(steps, name);
}

const migrations: Record<string, Migration> = Object.fromEntries(
  Object.entries(steps).map(([name, statements]) => [
    name,
    {
      async up(db: Kysely<unknown>): Promise<void> {
        for (const statement of statements.trim().split(/;\n+/)) await sql.raw(statement).execute(db);
      },
    },
  ]),
);
