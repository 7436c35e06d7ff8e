import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { postgresDifferences } from '../../database/differences.ts';
import { migrate, NewerSchema as NewerMigration } from '../../database/migrate.ts';
import { type Migrations, NewerSchema } from '../../database/migrations.ts';
import type { Database } from '../../database/open.ts';
import { schema } from './schema.ts';

/** Tells one state of the schema from any other. */
export function migrationsHash(): string {
  return createHash('sha256').update(JSON.stringify(schema)).digest('hex');
}

const names = Object.keys(schema.migrations);

/** The migrations of the schema. */
export const migrations: Migrations = {
  first: names[0] ?? '',
  last: names.at(-1) ?? '',
  has: (name) => Object.hasOwn(schema.migrations, name),
  async migrateToLatest(db) {
    await migrate(postgresDatabase(db), schema).catch((error: unknown) => {
      throw error instanceof NewerMigration ? new NewerSchema(error.migration) : error;
    });
  },
};

/** Returns a database of PostgreSQL with what statements have to know of the engine. */
export function postgresDatabase<T>(db: Kysely<T>): Database<T> {
  return {
    ...postgresDifferences,
    db,
    schema: undefined,
    hasTable: (name) => postgresDifferences.hasTable(db, name),
    close: () => db.destroy(),
  };
}
