import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { TestDatabase } from '../support/database-server.ts';
import { createDesk } from '../support/desk.ts';
import { cuttableDatabase } from '../support/desk-machine.ts';
import { readerOf } from '../support/desk-roles.ts';
import { type FileCallsOptions, watchFileCalls } from '../support/file-calls.ts';
import { localBook, localHistory, localIds, machineWithFiles } from '../support/machine-with-files.ts';
import { start } from '../support/process.ts';
import { useSandbox } from '../support/sandbox.ts';
import { mountSmallDisk, needsSmallDisk } from '../support/small-disk.ts';

const sandbox = useSandbox();
const move = ['desk', 'migrate', '--yes'];
const files = ['device-history.ndjson', 'devices.ndjson'];
const moved = expect.stringContaining('.moved-');
const elsewhere = {
  ...{ origin: 'https://other.example.com', id: 'elsewhere', name: 'Elsewhere' },
  seen_at: '2026-01-01T00:00:00.000Z',
};

let desk: TestDatabase;
beforeEach(async () => {
  desk = await createDesk();
  onTestFinished(desk.drop);
});

async function machine(url = desk.url, book: readonly object[] = localBook, home?: string) {
  const ana = machineWithFiles(sandbox, url, home);
  await ana.write(book, localHistory());
  const file = join(ana.data, files[1] ?? '');
  return {
    ...ana,
    book: file,
    /** Runs the migration in a process whose file system calls are recorded. */
    process: async (options: FileCallsOptions = {}) => {
      const { env } = watchFileCalls(join(realpathSync(ana.data), files[1] ?? ''), options);
      const running = start(move, { env: { ...ana.env, ...env } });
      return { ended: await running.ended, stderr: running.output.stderr };
    },
  };
}

const rows = () =>
  desk.run(
    'select (select count(*)::int from book_records) as records, (select count(*)::int from history) as events',
  );
const allRows = [{ records: 4, events: 2 }];
const noRows = [{ records: 0, events: 0 }];

/** Runs the migration, which completes an earlier one that had inserted all rows. */
async function expectCompletion(ana: Awaited<ReturnType<typeof machine>>) {
  expect(await ana.move()).toMatchObject({ devices: 0, events: 0 });
  expect(ana.names().filter((name) => name !== files[1])).toEqual([moved, moved]);
  expect(await rows()).toEqual(allRows);
  expect(await ana.list()).toMatchObject([{ name: 'Reception' }, { name: 'Lobby' }]);
}

describe('a move that is interrupted', () => {
  it.each([
    ['the first', 1, files, 'This machine has 2 devices and 3 events'],
    ['the second', 2, [files[0], moved], 'This machine has 0 devices and 3 events'],
  ] as const)(
    'is completed by the next one if the process is killed before %s file is renamed',
    async (_which, killedAtReplace, names, refusal) => {
      const ana = await machine();
      expect(await ana.process({ killedAtReplace })).toMatchObject({ ended: 'SIGKILL' });
      expect(ana.names().filter((name) => !name.endsWith('.lock'))).toEqual(names);
      expect(await rows()).toEqual(allRows);
      const refused = await ana.run('device', 'list');
      expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
      expect(refused.stderr.replaceAll(/\s+/g, ' ')).toContain(refusal);
      await expectCompletion(ana);
    },
  );

  it.each([
    ['during the transaction', 'cutAt', '"history" (', noRows],
    ['after the commit, before its answer', 'cutAfter', 'commit\0', allRows],
  ] as const)(
    'keeps the files and is completed by the next one if the connection is cut %s',
    async (_when, cut, text, inserted) => {
      const way = await cuttableDatabase(desk.url);
      const ana = await machine(way.url);
      way[cut](text);
      const broken = await ana.run(...move);
      expect(broken).toMatchObject({ exitCode: 8, stdout: '' });
      expect(broken.stderr).toContain('The files of this machine are unchanged. Run the same command again');
      expect(await rows()).toEqual(inserted);
      expect(ana.names()).toEqual(files);
      way.mend();
      expect(await ana.run('device', 'list')).toMatchObject({ exitCode: 2 });
      const left = inserted === allRows ? 0 : 2;
      expect(await ana.move()).toMatchObject({ devices: left, events: left });
      expect(await rows()).toEqual(allRows);
      expect(ana.names()).toEqual([moved, moved]);
    },
  );

  it.each([
    ['renamed', localBook],
    ['replaced by the entries of other services', [...localBook, elsewhere]],
  ])('suggests a remedy if a file cannot be %s', async (_what, book) => {
    const ana = await machine(desk.url, book);
    const { ended, stderr } = await ana.process({ fails: 'replace' });
    expect(ended).toBe(10);
    expect(stderr).toContain(`The entries are in the desk now, but ${ana.book} can't be renamed to`);
    expect(stderr).toContain('Run the same command again');
    expect(ana.names()).toEqual(files);
    await expectCompletion(ana);
  });

  it('changes nothing on a full or read-only disk', needsSmallDisk, async () => {
    const disk = mountSmallDisk(1);
    const ana = await machine(desk.url, localBook, disk.path);
    for (const [prepare, why, restore] of [
      [disk.fill, 'the disk is full', disk.free],
      [disk.lock, 'the disk is read-only', () => spawnSync('mount', ['-o', 'remount,rw', disk.path])],
    ] as const) {
      prepare();
      const { ended, stderr } = await ana.process();
      expect(ended, stderr).toBe(2);
      expect(stderr).toContain(`can't be renamed: ${why}.`);
      expect(await rows()).toEqual(noRows);
      expect(ana.names()).toEqual(files);
      restore();
    }
    expect(await ana.move()).toMatchObject({ devices: 2, events: 2 });
  });
});

describe('a move of unusual files', () => {
  it('renames a link, and keeps its target', async () => {
    const ana = await machine();
    const text = readFileSync(ana.book, 'utf8');
    const target = join(ana.home, 'real.ndjson');
    renameSync(ana.book, target);
    symlinkSync(target, ana.book);
    expect(await ana.move()).toMatchObject({ devices: 2, events: 2 });
    expect(ana.names()).toEqual([moved, moved]);
    const renamed = join(ana.data, ana.names()[1] ?? '');
    expect(lstatSync(renamed).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, 'utf8')).toBe(text);
  });

  it('keeps a file that cannot be written unchanged, under another name', async () => {
    const ana = await machine(desk.url, [...localBook, elsewhere]);
    chmodSync(ana.book, 0o400);
    const { ino } = lstatSync(ana.book);
    await ana.move();
    expect(ana.names()).toEqual([moved, files[1], moved]);
    const renamed = lstatSync(join(ana.data, ana.names()[2] ?? ''));
    expect([renamed.ino, renamed.mode & 0o777]).toEqual([ino, 0o400]);
    expect(lstatSync(ana.book).mode & 0o777).toBe(0o600);
  });

  it('inserts nothing twice for records that the database stores in another form', async () => {
    const odd = localBook.map((record) => ({
      ...record,
      ...{ colour: 'red', name: 'name' in record ? `${record.name}\0\ud800` : undefined },
      ...(record.id === localIds.lobby && {
        refusal: { connection: 'c', connected: true, because: 'banned', at: '2026-01-02T00:00:00.000Z' },
      }),
    }));
    const ana = await machine(desk.url, odd);
    expect(await ana.move()).toMatchObject({ devices: 2 });
    const twin = await machine(desk.url, odd);
    for (const _again of [1, 2]) {
      expect(await twin.move()).toMatchObject({ devices: 0 });
      expect(await desk.run('select count(*)::int as records from book_records')).toEqual([{ records: 4 }]);
      await twin.write(odd);
    }
  });
});

describe('a read-only user whose machine has files', () => {
  it('is told that nothing moved, and can set the files aside', async () => {
    const ana = await machine(await readerOf(desk), [...localBook, elsewhere]);
    const refused = await ana.run(...move);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('This user can only read the desk');
    expect(refused.stderr).toContain('entries of other services too');
    expect(await rows()).toEqual(noRows);
    expect(ana.names()).toEqual(files);
    const listed = await ana.run('device', 'list');
    expect(listed.exitCode).toBe(2);
    for (const { stderr } of [refused, listed]) {
      const [line] = /mv .*/.exec(stderr) ?? [''];
      expect(line).toContain(`${ana.book}.aside`);
      if (stderr === listed.stderr) spawnSync('sh', ['-c', line]);
    }
    expect(readdirSync(ana.data)).toEqual(expect.arrayContaining(files.map((name) => `${name}.aside`)));
    expect(await ana.list()).toEqual([]);
  });

  it('can let an agent move them', async () => {
    const ana = await machine(await readerOf(desk));
    const { stderr } = await ana.run('device', 'list');
    const [, line = ''] = /botctl (desk migrate --database \S+)/.exec(stderr) ?? [];
    await ana.run(...line.replace('AGENT', new URL(desk.url).username).split(' '), '--yes');
    expect(ana.names()).toEqual([moved, moved]);
    expect(await ana.list()).toMatchObject([{ name: 'Reception' }, { name: 'Lobby' }]);
  });
});
