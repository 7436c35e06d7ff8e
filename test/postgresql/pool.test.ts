import { Kysely, PostgresDialect, sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DatabaseError } from '../../src/database/error.ts';
import { type Patience, serverPool } from '../../src/database/pool.ts';
import { createDatabase } from '../support/database-server.ts';
import { eventually } from '../support/eventually.ts';

describe('sessions of a server', () => {
  const open = async (begin: readonly string[], patience: Patience = 'short') => {
    const { url, run, drop } = await createDatabase();
    const pool = serverPool(new URL(url), undefined, patience, begin);
    const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
    onTestFinished(async () => {
      await db.destroy();
      await drop();
    });
    return { db, run };
  };

  it('start with the given statements, also replacement sessions', async () => {
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

  it.each([
    ['short', '1min'],
    ['endless', '1min'],
  ] as const)('end an idle transaction if they are %s after %s', async (patience, time) => {
    const { db } = await open([], patience);
    const set = sql<{
      time: string;
    }>`select current_setting('idle_in_transaction_session_timeout') as time`;
    expect((await set.execute(db)).rows).toEqual([{ time }]);
  });

  it('are refused with the error of a statement that fails there', async () => {
    const { db } = await open(['set no_such_setting = on']);
    const failed = await sql`select 1`.execute(db).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(DatabaseError);
    expect(failed).toMatchObject({ code: '42704' });
  });
});
