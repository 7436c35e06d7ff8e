import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { databaseProcesses } from '../support/database-process.ts';
import { needing } from '../support/needing.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const start = databaseProcesses();

const isolated = ['unshare', '--pid', '--fork', '--mount-proc'];
const hasNamespaces = spawnSync('unshare', [...isolated.slice(1), 'true']).status === 0;
const inNamespace = needing('unshare with PID namespaces', hasNamespaces);

const readSchema = z.object({ rows: z.array(z.number()), isWhole: z.boolean() });
const errorSchema = z.object({
  error: z.string(),
  exit: z.optional(z.number()),
  message: z.optional(z.string()),
});

const newFile = (): string => join(temporaryDirectory('sqlite'), 'test.db');
const read = async (file: string, kind: 'shared' | 'private' = 'shared') =>
  readSchema.parse(JSON.parse(await start('read', file, kind).finish()));
const parsed = (line: string) => errorSchema.parse(JSON.parse(line));

describe('a file for one process', () => {
  const refuses = async (by: readonly string[]): Promise<void> => {
    const file = newFile();
    const first = start('open', file, 'private');
    await first.until('opened');
    const second = start('open', file, 'private', '', { by });
    expect(parsed(await second.finish())).toMatchObject({
      error: 'busy',
      exit: 8,
      message: expect.stringContaining('locked by another process'),
    });
    await first.kill();
    expect(await start('open', file, 'private', '', { by }).finish()).toBe('opened');
  };

  it('is refused to a second one, and is free again once the first was killed', () => refuses([]));

  it('is refused to a second one in another PID namespace', inNamespace, () => refuses(isolated));
});

describe('a file for several processes', () => {
  it('is written by one after the other, also in another PID namespace', inNamespace, async () => {
    const file = newFile();
    const first = start('hold', file, 'shared', 1);
    await first.until('holding');
    const second = start('insert', file, 'shared', 2, { by: isolated });
    await wait(300);
    expect(second.lines).toEqual([]);
    expect(await first.finish()).toBe('committed');
    expect(await second.finish()).toBe('inserted');
    expect(await read(file)).toEqual({ rows: [1, 2], isWhole: true });
  });

  it('can be read while one of them is stopped, and written once that one was killed', async () => {
    const file = newFile();
    await start('insert', file, 'shared', 1).finish();
    const holder = start('hold', file, 'shared', 2);
    await holder.until('holding');
    holder.process.kill('SIGSTOP');
    expect((await read(file)).rows).toEqual([1]);
    const second = start('insert', file, 'shared', 3);
    await wait(300);
    expect(second.lines).toEqual([]);
    await holder.kill();
    expect(await second.finish()).toBe('inserted');
    expect(await read(file)).toEqual({ rows: [1, 3], isWhole: true });
  });
});

describe.each(['shared', 'private'] as const)('a file that is %s', (kind) => {
  it('loses nothing committed and has no partial data, however often its process is killed', async () => {
    const file = newFile();
    for (let round = 0; round < 5; round += 1) {
      const writer = start('write', file, kind);
      const before = writer.lines;
      while (before.length < 5) await wait(5);
      await wait(Math.random() * 60);
      await writer.kill();
      const last = Number(writer.lines.at(-1));
      const { rows, isWhole } = await read(file, kind);
      expect(isWhole).toBe(true);
      // One more pair may have been committed than was printed.
      expect(rows).toEqual(Array.from({ length: rows.length }, (_, at) => at));
      expect([last + 2, last + 4]).toContain(rows.length);
    }
  });

  const mounting = ['--user', '--map-root-user', '--mount', 'sh', '-c'];
  const mount = 'mount -t tmpfs -o size=3m tmpfs';
  const canMount = spawnSync('unshare', [...mounting, `${mount} /mnt`]).status === 0;

  it(
    'is intact on a full disk, where reading works, and accepts writes again once there is room',
    needing('unshare with mount namespaces', canMount),
    async () => {
      const directory = temporaryDirectory('full');
      const by = ['unshare', ...mounting, `${mount} "$1" && shift && exec "$@"`, 'sh', directory];
      const line = await start('fill', join(directory, 'test.db'), kind, '', { by }).finish();
      expect(JSON.parse(line)).toEqual({
        // SQLite may notice only at the end.
        atOnce: [expect.toBeOneOf(['other', 'full']), []],
        failed: 'full',
        isWhole: true,
        grows: true,
      });
    },
  );

  // Root may write everywhere, so another user has to open it, who must be able to run Node on this checkout.
  const user = process.getuid?.() === 0 ? { uid: 65_534 } : {};
  const reading = ['-e', 'require("node:fs").readFileSync(process.argv[1])', import.meta.filename];
  const canRead = spawnSync(process.execPath, reading, { ...user, gid: user.uid }).status === 0;

  it(
    'is refused when it is opened if its user cannot write its directory',
    needing('a checkout that other users can read', canRead),
    async () => {
      const directory = join(temporaryDirectory('read-only'), 'data');
      mkdirSync(directory);
      writeFileSync(join(directory, 'test.db'), '');
      for (const [path, mode] of [
        [join(directory, '..'), 0o755],
        [join(directory, 'test.db'), 0o666],
        [directory, 0o555],
      ] as const)
        chmodSync(path, mode);
      const line = await start('open', join(directory, 'test.db'), kind, '', user).finish();
      expect(parsed(line)).toMatchObject({ exit: 2, message: expect.stringContaining("can't be written") });
      expect(readdirSync(directory)).toEqual(['test.db']);
      expect(statSync(join(directory, 'test.db')).size).toBe(0);
      chmodSync(directory, 0o755);
    },
  );
});
