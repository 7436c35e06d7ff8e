import { once } from 'node:events';
import { createServer } from 'node:net';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { DatabaseError } from '../../src/database/error.ts';
import { databaseFailure } from '../../src/database/failure.ts';
import { type Patience, serverPool } from '../../src/database/pool.ts';
import { createDatabase, needsServer } from '../support/database-server.ts';
import { eventually } from '../support/eventually.ts';

// A server of its own speaks no more of PostgreSQL's protocol than that it has no TLS.

describe('a server without TLS', () => {
  it.each(['require', 'verify-ca', 'verify-full'])(
    'is refused where it is asked for, in our words alone: %s',
    async (mode) => {
      const server = createServer((socket) => void socket.once('data', () => socket.end('N')));
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      onTestFinished(() => void server.close());
      const warnings: Error[] = [];
      const hear = (warning: Error): void => void warnings.push(warning);
      process.on('warning', hear);
      onTestFinished(() => void process.off('warning', hear));
      const { port } = z.parse(z.object({ port: z.number() }), server.address());
      const url = new URL(`postgres://ana@127.0.0.1:${port}/x?sslmode=${mode}`);
      const pool = serverPool(url, undefined, 'short');
      const refused = await pool.connect().catch((error: unknown) => error);
      expect(databaseFailure(refused, new URL('postgres://host/x'), 'X')).toMatchObject({
        exitCode: 8,
        message: expect.stringContaining('does not support SSL'),
        hint: expect.stringContaining('sslmode=disable'),
      });
      await pool.end();
      expect(warnings).toEqual([]);
    },
  );
});

it('a file of certificates that is not there is the address’s to mend', async () => {
  const pool = serverPool(new URL('postgres://127.0.0.1:1/x?sslrootcert=/no/such/file'), undefined, 'short');
  const refused = await pool.connect().catch((error: unknown) => error);
  expect(databaseFailure(refused, new URL('postgres://host/x'), 'X')).toMatchObject({
    message: expect.stringContaining('/no/such/file'),
    hint: expect.stringContaining('sslrootcert=FILE'),
  });
  await pool.end();
});

describe('sessions of a server', needsServer, () => {
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

  it.each([
    ['short', '1min'],
    ['endless', '1min'],
    ['fed', '15min'],
  ] as const)(
    'end a transaction in which nothing happens, where they are %s after %s',
    async (patience, time) => {
      const { db } = await open([], patience);
      const set = sql<{
        time: string;
      }>`select current_setting('idle_in_transaction_session_timeout') as time`;
      expect((await set.execute(db)).rows).toEqual([{ time }]);
    },
  );

  it('are refused with the error of a statement that fails there', async () => {
    const { db } = await open(['set no_such_setting = on']);
    const failed = await sql`select 1`.execute(db).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(DatabaseError);
    expect(failed).toMatchObject({ code: '42704' });
  });
});
