import { statSync } from 'node:fs';
import { sql } from 'kysely';
import { DatabaseError } from './error.ts';
import { fileFailure } from './failure.ts';
import { type Schema, schemaState } from './migrate.ts';
import { type Database, openFile } from './open.ts';

/**
 * Files up to this many bytes are checked completely. 118 MB take 0.3 to 0.5 s, during which no other process commits.
 */
const maxFullCheckBytes = 256 * 1024 ** 2;

interface FileToCheck {
  /** The schema that this version supports. The file must not have a newer one. */
  readonly schema?: Schema;
  /** As for `openFile`. */
  readonly isShared: boolean;
  readonly user: string;
  /** The tables to check if the file is too large to be checked completely. */
  readonly important: readonly string[];
}

/**
 * Checks that an existing SQLite file can be read and written, and that its contents are intact. Changes nothing in it.
 * Returns its size in bytes, and whether it was checked completely.
 * @throws Failure if not; see `fileFailure`
 * @throws DatabaseError `busy` if another process has a file open that is not shared
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
