import { spawnSync } from 'node:child_process';
import fs, {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileFailure } from '../../src/database/failure.ts';
import {
  migrate,
  NewerSchema,
  type Schema,
  schemaState,
  statementsForBoth,
} from '../../src/database/migrate.ts';
import { type Database, openFile } from '../../src/database/open.ts';
import { isFileInUse } from '../../src/database/sqlite-driver.ts';
import { changeFs } from '../support/changed-fs.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

interface Tables {
  things: { id: string; ready: boolean; notes: unknown; at: Date };
}

const schema: Schema = {
  create: statementsForBoth(
    'create table things (id {uuid} primary key, ready boolean not null, notes {json}, at {time})',
  ),
  migrations: { '001_things': undefined },
};

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'botctl-database-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

async function open(name: string, isShared: boolean): Promise<Database<Tables>> {
  const database = await openFile<Tables>(join(directory, 'data', name), { isShared, user: 'This test' });
  await migrate(database, schema);
  return database;
}

describe.each([
  ['a shared file', true],
  ['a private file', false],
])('%s', (kind, isShared) => {
  it('can be opened a hundred times in one process, and keeps what was written', async () => {
    for (let time = 0; time < 100; time += 1) {
      const database = await open(`${kind}.db`, isShared);
      const row = { id: `${time}`, ready: time % 2 === 0, notes: { time }, at: new Date(time) };
      await database.db
        .insertInto('things')
        .values({ ...row, notes: JSON.stringify(row.notes) })
        .execute();
      const read = database.db.selectFrom('things').selectAll().where('id', '=', row.id).forUpdate();
      expect({ ...(await read.executeTakeFirstOrThrow()) }).toEqual(row);
      await database.close();
    }
  });

  it('is readable only for this user', async () => {
    const database = await open(`${kind} private.db`, isShared);
    await database.close();
    expect(statSync(join(directory, 'data', `${kind} private.db`)).mode & 0o777).toBe(0o600);
    expect(statSync(join(directory, 'data')).mode & 0o777).toBe(0o700);
    chmodSync(join(directory, 'data', `${kind} private.db`), 0o666);
    await (await open(`${kind} private.db`, isShared)).close();
    expect(statSync(join(directory, 'data', `${kind} private.db`)).mode & 0o777).toBe(0o600);
  });

  it('names the kind of an error', async () => {
    const database = await open(`${kind} errors.db`, isShared);
    const insert = () =>
      database.db
        .insertInto('things')
        .values({ id: 'one', ready: true, notes: null, at: new Date() })
        .execute();
    await insert();
    await expect(insert()).rejects.toMatchObject({ kind: 'unique' });
    await database.close();
  });

  it('refuses the schema of a newer version', async () => {
    const database = await open(`${kind} newer.db`, isShared);
    expect(await schemaState(database, schema)).toBe('newest');
    await migrate(database, {
      ...schema,
      migrations: { ...schema.migrations, '002_more': statementsForBoth('') },
    });
    await expect(schemaState(database, schema)).rejects.toBeInstanceOf(NewerSchema);
    await database.close();
  });
});

it('refuses a second connection to a private file', async () => {
  const first = await open('locked.db', false);
  await expect(open('locked.db', false)).rejects.toMatchObject({ kind: 'busy' });
  await first.close();
});

it('locks a private file against other processes while this one opens it once more', async () => {
  const file = join(directory, 'data', 'locked.db');
  const database = await open('locked.db', false);
  expect(isFileInUse(file)).toBe(true);
  await expect(open('locked.db', false)).rejects.toMatchObject({ kind: 'busy' });
  const other = spawnSync(process.execPath, [
    '-e',
    `const { DatabaseSync } = process.getBuiltinModule('node:sqlite') ?? { DatabaseSync: require('libsql') };
    new DatabaseSync(${JSON.stringify(file)}).exec('create table others (id)');`,
  ]);
  expect(other.stderr.toString()).toContain('database is locked');
  await database.close();
  expect(isFileInUse(file)).toBe(false);
});

it('writes no more to a private file that was replaced, and does not touch the WAL of the new one', async () => {
  const before = await open('replaced.db', false);
  const insert = ({ db }: Database<Tables>, id: string): Promise<unknown> =>
    db
      .insertInto('things')
      .values({ id, ready: true, notes: null, at: new Date(0) })
      .execute();
  await insert(before, 'old');
  const path = (name: string): string => join(directory, 'data', name);
  for (const end of ['', '-wal']) renameSync(path(`replaced.db${end}`), path(`away.db${end}`));
  const after = await open('replaced.db', false);
  await insert(after, 'new');
  await expect(insert(before, 'lost')).rejects.toMatchObject({ kind: 'moved' });
  await expect(
    before.db.transaction().execute((db) => insert({ ...before, db }, 'lost')),
  ).rejects.toMatchObject({ kind: 'moved' });
  await before.close();
  expect(existsSync(path('replaced.db-wal'))).toBe(true);
  await after.close();
});

describe('a file is refused', () => {
  const refusal = async (file: string, isShared = true): Promise<unknown> =>
    openFile<Tables>(file, { isShared, user: 'This test' })
      .then((database) => migrate(database, schema).finally(() => database.close()))
      .then(
        () => undefined,
        (error: unknown) => fileFailure(error, file),
      );
  const newFile = (): string => join(temporaryDirectory('sqlite'), 'test.db');

  it('if it is damaged', async () => {
    const file = newFile();
    writeFileSync(file, 'not a database'.repeat(1000));
    for (const isShared of [true, false]) {
      expect(await refusal(file, isShared)).toMatchObject({
        exitCode: 2,
        message: expect.stringContaining('is damaged'),
        hint: expect.stringContaining('backup'),
      });
    }
    rmSync(file);
    expect(await refusal(file)).toBeUndefined();
    const whole = readFileSync(file);
    writeFileSync(file, Buffer.concat([whole.subarray(0, 100), Buffer.alloc(whole.length - 100, 1)]));
    expect(await refusal(file)).toMatchObject({ message: expect.stringContaining('is damaged') });
  });

  it.each([
    ['it is a directory', 'directory'],
    ['its directory is a file', 'file/test.db'],
    ['its link leads nowhere', 'link'],
  ])('because %s', async (_, name) => {
    const directory = temporaryDirectory('sqlite');
    mkdirSync(join(directory, 'directory'));
    writeFileSync(join(directory, 'file'), '');
    symlinkSync(join(directory, 'nowhere', 'test.db'), join(directory, 'link'));
    const failure = await refusal(join(directory, name));
    expect(failure).toMatchObject({ exitCode: 2, message: expect.stringContaining(join(directory, name)) });
  });

  it.each([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0xff534d42 | 0])(
    'because several machines could share its file system: %i',
    async (type) => {
      const changed = { ...fs.statfsSync(tmpdir()), type };
      changeFs({ statfsSync: new Proxy(fs.statfsSync, { apply: () => changed }) });
      const file = newFile();
      expect(await refusal(file)).toMatchObject({
        exitCode: 2,
        message: expect.stringContaining('network file system'),
        hint: expect.stringContaining('PostgreSQL'),
      });
      expect(existsSync(file)).toBe(false);
      expect(await refusal(file, false)).toBeUndefined();
    },
  );

  it('if a newer botctl created it', async () => {
    const file = newFile();
    const database = await openFile<Tables>(file, { isShared: true, user: 'This test' });
    await migrate(database, {
      ...schema,
      migrations: { ...schema.migrations, '002_more': statementsForBoth('') },
    });
    await database.close();
    expect(await refusal(file)).toMatchObject({
      exitCode: 2,
      message: `${file} was created by a newer version of botctl: it has migration 002_more.`,
    });
  });
});
