import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forBoth, migrate, NewerSchema, type Schema, schemaState } from '../../src/database/migrate.ts';
import { type Database, isFileInUse, openFile } from '../../src/database/open.ts';

interface Tables {
  things: { id: string; ready: boolean; notes: unknown; at: Date };
}

const schema: Schema = {
  create: forBoth(
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

  it('is readable for this user alone', async () => {
    const database = await open(`${kind} private.db`, isShared);
    await database.close();
    expect(statSync(join(directory, 'data', `${kind} private.db`)).mode & 0o777).toBe(0o600);
    expect(statSync(join(directory, 'data')).mode & 0o777).toBe(0o700);
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
    await migrate(database, { ...schema, migrations: { ...schema.migrations, '002_more': forBoth('') } });
    await expect(schemaState(database, schema)).rejects.toBeInstanceOf(NewerSchema);
    await database.close();
  });
});

it('refuses a second connection with a private file', async () => {
  const first = await open('locked.db', false);
  await expect(open('locked.db', false)).rejects.toMatchObject({ kind: 'busy' });
  await first.close();
});

it('keeps a private file from other processes while this one opens it once more', async () => {
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
