import { expect, it } from 'vitest';
import { DatabaseError } from '../../../src/database/error.ts';
import type { DatabaseWorker } from '../../../src/sandbox/store/database-worker.ts';
import { isDiskFull, leastFree } from '../../../src/sandbox/store/disk.ts';
import { oneSession } from '../../../src/sandbox/store/one-session.ts';

const result = { command: 'SELECT', rowCount: 1, rows: [{ value: 1 }] };

/** A worker that gives up at the statement `panic`. */
function mortalWorker(): DatabaseWorker {
  let isRunning = true;
  return {
    get isRunning() {
      return isRunning;
    },
    async run(sql) {
      isRunning &&= sql !== 'panic';
      if (!isRunning) throw new DatabaseError('could not write to log file: No space left on device');
      return result;
    },
    close: async () => undefined,
    abandon: async () => undefined,
  };
}

/** A pool of a worker, which is opened again as another one that dies. */
function poolOf(
  worker: DatabaseWorker,
  options: Partial<Parameters<typeof oneSession>[1]> = {},
): ReturnType<typeof oneSession> {
  const reopen = async (): Promise<DatabaseWorker> => mortalWorker();
  const usual = { reopen, freeSpace: () => leastFree, onChange: () => undefined, isOurs: () => true };
  return oneSession(worker, { ...usual, ...options });
}

async function run(pool: ReturnType<typeof oneSession>, sql: string): Promise<unknown> {
  const session = await pool.connect();
  try {
    return await session.query(sql, []);
  } finally {
    session.release();
  }
}

it('opens the database again where PostgreSQL gave up, as often as it takes', async () => {
  let attempts = 0;
  const pool = poolOf(mortalWorker(), {
    async reopen() {
      attempts += 1;
      if (attempts === 1) throw new DatabaseError('could not open: No space left on device');
      return mortalWorker();
    },
  });
  const failed: unknown = await run(pool, 'panic').catch((error: unknown) => error);
  expect(isDiskFull(failed)).toBe(true);
  await expect(run(pool, 'select 1')).rejects.toThrow('could not open');
  expect(await run(pool, 'select 1')).toEqual(result);
  expect(await run(pool, 'select 1')).toEqual(result);
  expect(attempts).toBe(2);
});

it.each([
  'insert into "teams"',
  'update "bots"',
  'delete from "keys"',
  'with "gone" as (delete from "keys") select 1',
  'select * from "bots" for update',
])('refuses before the disk is full: %s', async (sql) => {
  let free = leastFree - 1;
  const pool = poolOf(mortalWorker(), { freeSpace: () => free });
  const failed: unknown = await run(pool, sql).catch((error: unknown) => error);
  expect(isDiskFull(failed)).toBe(true);
  expect(await run(pool, 'select * from "bots"')).toEqual(result);
  free = leastFree;
  expect(await run(pool, sql)).toEqual(result);
});

/** A worker that tells what it is asked for. */
function tellingWorker(asked: unknown[]): DatabaseWorker {
  return {
    isRunning: true,
    async run(sql, _parameters, begins) {
      asked.push(begins ? ['begin', sql] : sql);
      return result;
    },
    close: async () => undefined,
    abandon: async () => undefined,
  };
}

it.each<[readonly string[], readonly unknown[]]>([
  [
    ['begin', 'select 1', 'select 2', 'commit'],
    [['begin', 'select 1'], 'select 2', 'commit'],
  ],
  [['begin', 'rollback', 'select 1'], ['select 1']],
  [
    ['begin', 'commit', 'begin', 'select 1', 'rollback'],
    [['begin', 'select 1'], 'rollback'],
  ],
])('begins a transaction with its first statement: %j', async (statements, asked) => {
  const seen: unknown[] = [];
  const worker = tellingWorker(seen);
  const session = await poolOf(worker).connect();
  for (const statement of statements) await session.query(statement, []);
  expect(seen).toEqual(asked);
});

it('begins none with a statement that is refused before the disk is full', async () => {
  const seen: unknown[] = [];
  const worker = tellingWorker(seen);
  const session = await poolOf(worker, { freeSpace: () => 0 }).connect();
  await session.query('begin', []);
  await expect(session.query('insert into "teams"', [])).rejects.toThrow();
  await session.query('rollback', []);
  expect(seen).toEqual([]);
});

it.each<[string, number]>([
  ['select * from "keys"', 0],
  ['begin', 0],
  ['rollback', 0],
  ['commit', 1],
  ['insert into "keys"', 1],
  ['update "keys"', 1],
  ['with "gone" as (delete from "keys") select 1', 1],
  ['select * from (delete from "keys" returning *) as gone', 1],
  ['truncate "keys"', 1],
  ['do $$ begin delete from "keys"; end $$', 1],
])('tells before each statement that may change rows, or commits that: %s', async (sql, times) => {
  const told: string[] = [];
  const onChange = (statement: string): void => {
    told.push(statement);
  };
  await run(poolOf(tellingWorker([]), { onChange }), sql);
  expect(told).toEqual(Array.from({ length: times }, () => sql));
});
