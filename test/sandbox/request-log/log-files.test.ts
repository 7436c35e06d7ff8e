import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { FeedQuery } from '../../../src/sandbox/feed.ts';
import { readOrWait } from '../../../src/sandbox/feed.ts';
import { LogFiles, type LogFilesOptions } from '../../../src/sandbox/request-log/log-files.ts';
import type { LoggedRequest, RequestLog } from '../../../src/sandbox/request-log/request-log.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const opened: RequestLog[] = [];
afterEach(() => {
  for (const log of opened.splice(0)) log.close();
});

function openLog(directory: string, options: Partial<LogFilesOptions> = {}): RequestLog {
  const log = new LogFiles(directory, {
    size: 1024 * 1024,
    onError: (error) => expect.unreachable(String(error)),
    ...options,
  });
  opened.push(log);
  return log;
}

const rowAt = (number: number): LoggedRequest => ({
  time: new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString(),
  request_id: String(number),
  method: 'GET',
  path: `/${'x'.repeat(100)}`,
  status: 200,
  duration_ms: 1.5,
});

async function add(log: RequestLog, from: number, to: number): Promise<void> {
  for (let number = from; number < to; number += 1) await log.append(rowAt(number));
}

/** Returns the ids of all rows, page by page. */
async function idsIn(log: RequestLog, query: Partial<FeedQuery> = {}): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let after = query.after; ; ) {
    const page = await log.read({ limit: 100, ...query, after });
    ids.push(...page.rows.map(({ request_id: id }) => id));
    if (!page.more) return ids;
    after = page.cursor;
  }
}

const numbers = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_, index) => String(from + index));

const sizeOf = (directory: string): number =>
  readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);

describe('the files of the request log', () => {
  it('return each row as it was written', async () => {
    const log = openLog(join(temporaryDirectory(), 'log'));
    expect(await log.read({ limit: 5 })).toMatchObject({ rows: [], more: false });
    await add(log, 0, 2);
    expect((await log.read({ limit: 5 })).rows).toEqual([rowAt(0), rowAt(1)]);
  });

  it('never exceed their size, and lose the oldest rows', async () => {
    const directory = join(temporaryDirectory(), 'log');
    const log = openLog(directory, { size: 64 * 1024 });
    const start = (await log.read({ limit: 1 })).cursor;
    for (let from = 0; from < 2000; from += 100) {
      await add(log, from, from + 100);
      expect(sizeOf(directory)).toBeLessThanOrEqual(64 * 1024);
    }
    const ids = await idsIn(log);
    expect(ids).toEqual(numbers(Number(ids[0]), 2000));
    expect(sizeOf(directory)).toBeGreaterThan(48 * 1024);
    expect(await idsIn(log, { last: 150 })).toEqual(numbers(1850, 2000));
    // A reader at deleted rows continues with the oldest remaining one.
    expect(await idsIn(log, { after: start })).toEqual(ids);
  });

  it('are kept over a restart, and truncated to a smaller size', async () => {
    const directory = join(temporaryDirectory(), 'log');
    const first = openLog(directory);
    await add(first, 0, 2000);
    first.close();
    const second = openLog(directory);
    await add(second, 2000, 2010);
    expect(await idsIn(second)).toEqual(numbers(0, 2010));
    second.close();
    const { cursor } = await second.read({ last: 1, limit: 1 });
    const third = openLog(directory, { size: 40 * 1024 });
    expect(await idsIn(third, { after: cursor })).toEqual([]);
    await add(third, 2010, 2011);
    expect(await idsIn(third, { after: cursor })).toEqual(['2010']);
  });

  it('drop a partial row that a crash left', async () => {
    const directory = join(temporaryDirectory(), 'log');
    const first = openLog(directory);
    await add(first, 0, 3);
    first.close();
    const [name = ''] = readdirSync(directory);
    appendFileSync(join(directory, name), '{"time":"2026-01-01T00:00:03.000Z","request_id":"half');
    const second = openLog(directory);
    await add(second, 4, 5);
    expect(await idsIn(second)).toEqual(['0', '1', '2', '4']);
    expect(readFileSync(join(directory, name), 'utf8')).not.toContain('half');
  });

  it('skip lines that are not rows', async () => {
    const directory = join(temporaryDirectory(), 'log');
    mkdirSync(directory);
    const zeros = Buffer.alloc(1000);
    const lines = [
      JSON.stringify(rowAt(0)),
      '{"time":"now"}',
      zeros.toString(),
      '',
      JSON.stringify(rowAt(1)),
      '',
    ];
    writeFileSync(join(directory, '000007.ndjson'), lines.join('\n'));
    writeFileSync(join(directory, 'notes.txt'), 'mine');
    const log = openLog(directory);
    await add(log, 2, 3);
    expect(await idsIn(log)).toEqual(['0', '1', '2']);
    expect(await idsIn(log, { after: '999999999999999:5' })).toEqual([]);
    expect(existsSync(join(directory, 'notes.txt'))).toBe(true);
  });

  it('are private', async () => {
    const directory = join(temporaryDirectory(), 'log');
    await add(openLog(directory), 0, 1);
    const [name = ''] = readdirSync(directory);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
  });

  it('stop on a full disk with one report, and continue once there is space again', async () => {
    let free = Number.POSITIVE_INFINITY;
    const told: unknown[] = [];
    const directory = join(temporaryDirectory(), 'log');
    const log = openLog(directory, { freeSpace: () => free, onError: (error) => told.push(error) });
    free = 5 * 1024 * 1024;
    await add(log, 0, 1000);
    expect(told).toEqual([expect.objectContaining({ message: expect.stringContaining('the disk is full') })]);
    const kept = await idsIn(log);
    expect(kept.length).toBeLessThan(1000);
    free = Number.POSITIVE_INFINITY;
    await add(log, 1000, 1002);
    expect(await idsIn(log)).toEqual([...kept, '1000', '1001']);
    expect(told).toHaveLength(1);
  });

  it('do not fail requests if they cannot be created', async () => {
    const told: unknown[] = [];
    const directory = join(temporaryDirectory(), 'log');
    writeFileSync(directory, 'a file');
    const log = openLog(directory, { onError: (error) => told.push(error) });
    await add(log, 0, 2);
    expect(await idsIn(log)).toEqual([]);
    expect(told).toHaveLength(1);
  });
});

describe('a reader that waits', () => {
  const patience = 3_600_000;

  it('is not woken by earlier rows, and ends with its signal', async () => {
    const log = openLog(join(temporaryDirectory(), 'log'));
    const gone = new AbortController();
    const waiting = readOrWait(log, { since: new Date(Date.UTC(2027, 0)), limit: 10 }, patience, gone.signal);
    await add(log, 0, 1);
    gone.abort();
    expect(await waiting).toMatchObject({ rows: [], more: false });
    expect(await readOrWait(log, { after: '9:0', limit: 1 }, patience, gone.signal)).toMatchObject({
      rows: [],
    });
    expect(await readOrWait(log, { after: '9:0', limit: 1 }, 0, new AbortController().signal)).toMatchObject({
      rows: [],
    });
  });
});
