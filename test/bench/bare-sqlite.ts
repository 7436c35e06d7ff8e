import { createRequire } from 'node:module';

/** The members that `node:sqlite` and libsql have in common. */
interface BareStatement {
  all(...parameters: readonly unknown[]): Record<string, unknown>[];
  run(...parameters: readonly unknown[]): unknown;
}

export interface BareDatabase {
  prepare(sql: string): BareStatement;
  exec(sql: string): void;
}

type Opener = new (file: string) => BareDatabase;

/** Opens a SQLite file as a script written by hand would, with the driver that botctl uses here. */
export function openBare(file: string, pragmas: string): BareDatabase {
  // The types of Node 20 do not have this module.
  const load: (name: string) => { DatabaseSync: Opener } | undefined = process.getBuiltinModule;
  const libsql = (): Opener => createRequire(__filename)('libsql');
  const DatabaseOfDriver = load('node:sqlite')?.DatabaseSync ?? libsql();
  const database = new DatabaseOfDriver(file);
  database.exec(`${pragmas}; pragma synchronous = full; pragma foreign_keys = on`);
  return database;
}

/** Runs statements in a transaction, which is rolled back if they throw. */
export function inTransaction<T>(database: BareDatabase, work: () => T): T {
  database.exec('begin immediate');
  try {
    const result = work();
    database.exec('commit');
    return result;
  } catch (error) {
    database.exec('rollback');
    throw error;
  }
}
