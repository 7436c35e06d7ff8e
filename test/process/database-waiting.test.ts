import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { openFile } from '../../src/database/open.ts';
import { databaseProcesses } from '../support/database-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const start = databaseProcesses();
const newFile = (): string => join(temporaryDirectory('sqlite'), 'test.db');

describe('a file that another process locks for too long', () => {
  it('is busy after ten seconds, and can be written once the other one continues', async () => {
    const file = newFile();
    const holder = start('hold', file, 'shared', 1);
    await holder.until('holding');
    holder.process.kill('SIGSTOP');
    const begun = performance.now();
    const waiting = start('insert', file, 'shared', 2);
    expect(JSON.parse(await waiting.finish())).toMatchObject({ error: 'busy', exit: 8 });
    expect(performance.now() - begun).toBeGreaterThan(9000);
    holder.process.kill('SIGCONT');
    expect(await holder.finish()).toBe('committed');
    expect(await start('insert', file, 'shared', 2).finish()).toBe('inserted');
  });

  it('can be written again after a commit that a reader blocked', async () => {
    const file = newFile();
    const options = { isShared: true, user: 'This test' };
    const [reader, writer] = [
      await openFile<{ notes: { id: number } }>(file, options),
      await openFile<{ notes: { id: number } }>(file, options),
    ];
    await writer.db.schema.createTable('notes').addColumn('id', 'integer').execute();
    const insert = (id: number) =>
      writer.db
        .transaction()
        .execute((transaction) => transaction.insertInto('notes').values({ id }).execute());
    const read = () => reader.db.selectFrom('notes').selectAll().execute();
    await reader.db
      .transaction()
      .setAccessMode('read only')
      .execute(async (reading) => {
        await reading.selectFrom('notes').selectAll().execute();
        await expect(insert(1)).rejects.toMatchObject({ kind: 'busy' });
      });
    expect(await read()).toEqual([]);
    await insert(2);
    expect(await read()).toEqual([{ id: 2 }]);
    await Promise.all([reader.close(), writer.close()]);
  });
});

it('several processes that constantly write one file get a fair share each, and lose nothing', async () => {
  const file = newFile();
  await start('read', file, 'shared').finish();
  const parts = z.array(z.object({ times: z.number(), count: z.number() }));
  const processes = Array.from({ length: 4 }, () => start('count', file, 'shared', 4000));
  const lines = await Promise.all(processes.map(({ finish }) => finish()));
  const counts = parts.parse(lines.map((line) => JSON.parse(line)));
  const times = counts.map((one) => one.times);
  expect(Math.max(...counts.map(({ count }) => count))).toBe(times.reduce((sum, one) => sum + one, 0));
  expect(Math.min(...times)).toBeGreaterThan(Math.max(...times) / 10);
});

it('a process caches few of the statements that it ran', async () => {
  const line = await start('statements', newFile(), 'private', 200_000).finish();
  expect(JSON.parse(line).grown).toBeLessThan(400);
});
