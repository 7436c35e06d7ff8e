import { statSync } from 'node:fs';
import { sql } from 'kysely';
import { DatabaseError } from './error.ts';
import { fileFailure } from './failure.ts';
import { type Schema, schemaState } from './migrate.ts';
import { type Database, openFile } from './open.ts';

/** Bytes up to which all of a file is checked. 118 MB take 0.3 to 0.5 s, during which no other process commits. */
const maxFullCheckBytes = 256 * 1024 ** 2;

/** What a file is, and what to check of it. */
interface FileToCheck {
  /** The schema that it must not be newer than. */
  readonly schema?: Schema;
  /** As for `openFile`. */
  readonly isShared: boolean;
  readonly user: string;
  /** The tables that are checked if the file is too large to be checked as a whole. */
  readonly important: readonly string[];
}

/**
 * Checks that a SQLite file, which must exist, can be read and written, and that its contents are intact. Changes nothing in it.
 * Returns its size in bytes, and whether all of it was checked.
 * @throws Failure if not; see `fileFailure`
 * @throws DatabaseError `busy` if another process has a file that is not shared
 */
export async function checkFile(
  file: string,
  { schema, isShared, user, important }: FileToCheck,
): Promise<{ readonly size: number; readonly isWhole: boolean }> {
  try {
    const { size } = statSync(file);
    const database = await openFile<unknown>(file, { isShared, user });
    try {
      if (schema) await schemaState(database, schema);
      const isWhole = size <= maxFullCheckBytes;
      if (isWhole) await check(database, sql`1`);
      else
        for (const table of important)
          if (await database.hasTable(table)) await check(database, sql.table(table));
      return { size, isWhole };
    } finally {
      await database.close();
    }
  } catch (error) {
    const isInUse = !isShared && error instanceof DatabaseError && error.kind === 'busy';
    throw isInUse ? error : fileFailure(error, file);
  }
}

async function check({ db }: Database<unknown>, what: ReturnType<typeof sql>): Promise<void> {
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check(${what})`.execute(db);
  const found = rows[0]?.quick_check;
  if (found !== 'ok') throw new DatabaseError(String(found), undefined, { kind: 'corrupt' });
}
