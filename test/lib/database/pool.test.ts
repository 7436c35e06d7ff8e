import { Kysely, PostgresDialect, sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DatabaseError } from '../../../src/lib/database/error.ts';
import { serverPool } from '../../../src/lib/database/pool.ts';
import { createDatabase, testServer } from '../../support/database-server.ts';
import { eventually } from '../../support/eventually.ts';

describe.runIf(testServer)('sessions of a server', () => {
  const open = async (begin: readonly string[]) => {
    const { url, run, drop } = await createDatabase();
    const pool = serverPool(new URL(url), undefined, 'short', begin);
    const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
    onTestFinished(async () => {
      await db.destroy();
      await drop();
    });
    return { db, run };
  };

  it('begin with the statements that were given, also those that take the place of others', async () => {
    const { db, run } = await open(["set application_name = 'one'", 'set synchronous_commit = local']);
    const read = sql<{ name: string; commit: string; pid: number }>`select pg_backend_pid() as pid,
      current_setting('application_name') as name, current_setting('synchronous_commit') as commit`;
    const [first] = (await read.execute(db)).rows;
    expect(first).toMatchObject({ name: 'one', commit: 'local' });
    await run(`select pg_terminate_backend(${first?.pid})`);
    const next = await eventually(async () => {
      const [found] = (await read.execute(db)).rows;
      return found?.pid !== first?.pid && found;
    });
    expect(next).toMatchObject({ name: 'one', commit: 'local' });
  });

  it('are refused with the error of a statement that fails there', async () => {
    const { db } = await open(['set no_such_setting = on']);
    const failed = await sql`select 1`.execute(db).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(DatabaseError);
    expect(failed).toMatchObject({ code: '42704' });
  });
});
