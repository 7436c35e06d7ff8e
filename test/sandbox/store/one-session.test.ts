import { expect, it } from 'vitest';
import { DatabaseError } from '../../../src/lib/database/error.ts';
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
  };
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
  const pool = oneSession(mortalWorker(), {
    freeSpace: () => Number.POSITIVE_INFINITY,
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
  const reopen = async (): Promise<DatabaseWorker> => mortalWorker();
  const pool = oneSession(mortalWorker(), { reopen, freeSpace: () => free });
  const failed: unknown = await run(pool, sql).catch((error: unknown) => error);
  expect(isDiskFull(failed)).toBe(true);
  expect(await run(pool, 'select * from "bots"')).toEqual(result);
  free = leastFree;
  expect(await run(pool, sql)).toEqual(result);
});
