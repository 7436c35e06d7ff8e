import { type Kysely, type Migration, Migrator, sql } from 'kysely';
import { Failure } from '../lib/errors.ts';
import type { RemarkText } from '../lib/text/remark.ts';

/** The steps of a schema. */
export interface Migrations {
  /** The name of the first one. */
  readonly first: string;
  /** The name of the newest one. */
  readonly last: string;
  /** True if the schema has this step. */
  has(name: string): boolean;
  /**
   * Brings the schema of a database to its newest step.
   * @throws NewerSchema if the database has had steps that this version doesn't know
   * @throws Error if a step fails
   */
  migrateToLatest<T>(db: Kysely<T>): Promise<void>;
}

/** A newer version has made the schema of a database. */
export class NewerSchema extends Error {
  /** @param step a step that this version doesn't know */
  constructor(readonly step: string) {
    super(`it has had the step ${step}, which this version doesn't know`);
  }

  /** Returns it as a failure. @param what the database, as it is shown */
  asFailure(what: string, hint: RemarkText): Failure {
    const message = `${what} was made by a newer botctl: this one doesn't know ${this.step}.`;
    return new Failure('invalidInput', message, { hint, cause: this });
  }
}

/** Returns the steps of a schema. @param steps the statements of each by its name; they are done in the order of the names */
export function migrationsOf(steps: Readonly<Record<string, string>>): Migrations {
  const names = Object.keys(steps).sort();
  const migrations = Object.fromEntries(
    Object.entries(steps).map(([name, statements]) => [name, migrationOf(statements)]),
  );
  return {
    first: names[0] ?? '',
    last: names.at(-1) ?? '',
    has: (name) => Object.hasOwn(steps, name),
    async migrateToLatest(db) {
      if (await hasHad(db, names)) return;
      const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
      const { error } = await migrator.migrateToLatest();
      if (error !== undefined) throw error;
    },
  };
}

/**
 * Returns whether a database has had the steps, and no others. Kysely's own introspection of the schema would add a fifth of
 * a second to every start.
 * @throws NewerSchema
 */
async function hasHad<T>(db: Kysely<T>, names: readonly string[]): Promise<boolean> {
  const done = sql<{ name: string }>`select name from kysely_migration order by name`;
  // A new database has no such table.
  const rows = await done.execute(db).then(
    (found) => found.rows,
    () => [],
  );
  const had = rows.map(({ name }) => name);
  const newer = had.find((name) => !names.includes(name));
  if (newer !== undefined) throw new NewerSchema(newer);
  return had.length === names.length;
}

function migrationOf(statements: string): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      for (const statement of statements.trim().split(/;\n+/)) await sql.raw(statement).execute(db);
    },
  };
}
