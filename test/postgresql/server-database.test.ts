import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { databaseFailure } from '../../src/database/failure.ts';
import { statementsForBoth } from '../../src/database/migrate.ts';
import {
  migrateServerDatabase,
  openServerDatabase,
  type ServerDatabase,
  type ServerSchema,
} from '../../src/database/server-database.ts';
import { Failure } from '../../src/lib/errors.ts';
import { createDatabase, type TestDatabase } from '../support/database-server.ts';

interface Tables {
  notes: { id: number; words: string };
}

const first = { '001_notes': undefined };
const texts = {
  needs: 'notes need',
  ownDatabase: 'Give notes a database of their own.',
  variable: 'NOTES_DATABASE',
};
const schema: ServerSchema = {
  ...texts,
  create: statementsForBoth('create table notes (id integer primary key, words text not null)'),
  migrations: first,
};
const newer: ServerSchema = {
  ...schema,
  migrations: { ...first, '002_words': statementsForBoth('alter table notes add more text') },
};

describe('a database on a server', () => {
  const create = async (encoding?: string): Promise<TestDatabase> => {
    const database = await createDatabase(encoding);
    onTestFinished(database.drop);
    return database;
  };
  const open = async (address: string, wanted = schema): Promise<ServerDatabase<Tables>> => {
    const database = await openServerDatabase<Tables>({ url: new URL(address) }, wanted, {
      patience: 'short',
    });
    onTestFinished(database.close);
    return database;
  };
  const refusal = async (address: string, wanted = schema): Promise<Failure> => {
    const outcome: unknown = await open(address, wanted).catch((error: unknown) => error);
    if (!(outcome instanceof Failure)) throw new Error('it was opened', { cause: outcome });
    return outcome;
  };
  const migrate = (address: string, wanted = schema) =>
    migrateServerDatabase({ url: new URL(address) }, wanted);
  /** Returns the address for a user who may only connect. */
  const stranger = async ({ run, url }: TestDatabase, rights = ''): Promise<string> => {
    const role = `botctl_test_${randomUUID().replaceAll('-', '')}`;
    await run(`create role ${role} login; ${rights.replaceAll('ROLE', role)}`);
    onTestFinished(async () => void (await run(`drop owned by ${role}; drop role ${role}`)));
    const address = new URL(url);
    address.username = role;
    return address.href;
  };
  const write = ({ db }: ServerDatabase<Tables>, words: string) =>
    db.insertInto('notes').values({ id: words.length, words }).execute();
  const read = async (address: string): Promise<readonly string[]> =>
    (await (await open(address)).db.selectFrom('notes').select('words').execute()).map(({ words }) => words);

  it('remains empty after a check, and receives the newest schema once', async () => {
    const { url, run } = await create();
    expect(await open(url)).toMatchObject({ state: 'none', schema: 'public', version: /^\d+\.\d+/ });
    expect(await run("select from pg_class where relnamespace = 'public'::regnamespace")).toEqual([]);
    expect(await Promise.all([migrate(url), migrate(url)])).toContain('none');
    expect(await migrate(url)).toBe('newest');
    await write(await open(url), 'hello');
    expect(await read(url)).toEqual(['hello']);
  });

  it('is migrated only on request', async () => {
    const { url } = await create();
    await migrate(url);
    await write(await open(url), 'hello');
    expect(await open(url, newer)).toMatchObject({ state: 'older' });
    expect(await open(url, newer)).toMatchObject({ state: 'older' });
    expect(await migrate(url, newer)).toBe('older');
    expect(await open(url, newer)).toMatchObject({ state: 'newest' });
    expect(await refusal(url)).toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('002_words'),
    });
  });

  it('names the version of botctl that a newer schema needs', async () => {
    const { url, run } = await create();
    await migrate(url, newer);
    const versioned = { ...schema, neededVersion: { table: 'notes', column: 'words' } };
    const hintFor = async (version: string) => {
      await run(`delete from notes; insert into notes values (1, ${version})`);
      return (await refusal(url, versioned)).hint;
    };
    expect(await hintFor("'2.3.4'")).toContain('It needs botctl 2.3.4 or newer; this is ');
    expect(await hintFor("E'2.3.4\\nRun: rm'")).toBe(
      'Use that version, or a separate database for this one.',
    );
    await run('delete from notes');
    expect(await refusal(url, versioned)).toMatchObject({ message: expect.stringContaining('002_words') });
  });

  it('is not considered migrated if only earlier versions have the statements for that', async () => {
    const { url } = await create();
    await migrate(url);
    const later: ServerSchema = {
      ...newer,
      migrations: { ...first, '002_words': undefined, '003_x': statementsForBoth('') },
    };
    expect(await refusal(url, later)).toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('002_words'),
    });
    await expect(migrate(url, later)).rejects.toBeInstanceOf(Failure);
    expect(await open(url)).toMatchObject({ state: 'newest' });
  });

  it.each(["''", 'other', '"$user"', 'no_such_schema'])(
    'shows the same data for any search_path: %s',
    async (path) => {
      const database = await create();
      await migrate(database.url);
      await write(await open(database.url), 'hello');
      await database.run('create schema other');
      const address = await stranger(
        database,
        `alter role ROLE set search_path = ${path};
        grant select, insert, update, delete on all tables in schema public to ROLE`,
      );
      expect(await open(address)).toMatchObject({ state: 'newest', schema: 'public' });
      expect(await read(address)).toEqual(['hello']);
      expect(await migrate(address)).toBe('newest');
    },
  );

  it('receives its tables in an existing schema if the search_path of the user has none', async () => {
    const database = await create();
    const address = await stranger(
      database,
      "alter role ROLE set search_path = ''; grant create on schema public to ROLE",
    );
    await migrate(address);
    expect(await open(address)).toMatchObject({ state: 'newest', schema: 'public' });
  });

  it('has its tables where an earlier version created them', async () => {
    const { url, run } = await create();
    await run('create schema "Its own"');
    const address = new URL(url);
    address.searchParams.set('options', String.raw`-csearch_path="Its\ own"`);
    await migrate(address.href);
    expect(await open(url)).toMatchObject({ state: 'newest', schema: 'Its own' });
    const database = await open(url);
    await write(database, 'hello');
    expect(await read(url)).toEqual(['hello']);
    expect(await database.hasTable('notes')).toBe(true);
    expect(await database.hasTable('no_such_table')).toBe(false);
    expect(await migrate(url, newer)).toBe('older');
  });

  it('with its tables in several schemas is refused with their names, unless one of them is in the search_path', async () => {
    const { url, run } = await create();
    await run('create schema one; create schema two');
    for (const name of ['one', 'two']) {
      await migrate(`${url}?options=-csearch_path%3D${name}`).catch(() => undefined);
      await run(`create table if not exists ${name}.kysely_migration (name text, timestamp text);
        insert into ${name}.kysely_migration select '001_notes', '' where not exists
          (select from ${name}.kysely_migration)`);
    }
    const failure = await refusal(url);
    expect(failure).toMatchObject({ exitCode: 2, message: expect.stringContaining('one, two') });
    const [chosen = ''] = /\?options=\S+/.exec(String(failure.hint)) ?? [];
    expect(await open(`${url}${chosen}`)).toMatchObject({ schema: 'one', state: 'newest' });
    expect(await open(`${url}?options=-csearch_path%3Dtwo`)).toMatchObject({ schema: 'two' });
  });

  it('with other objects is refused, except for those of extensions', async () => {
    const { url, run } = await create();
    await run('create extension pg_stat_statements');
    expect(await open(url)).toMatchObject({ state: 'none' });
    await run('create view letters as select 1 as a');
    const failure = await refusal(url);
    expect(failure).toMatchObject({ exitCode: 2, hint: texts.ownDatabase });
    expect(failure.message).toContain('table letters.');
    await expect(migrate(url)).rejects.toMatchObject({ exitCode: 2 });
  });

  it('of another program that counts its migrations in the same way is refused', async () => {
    const { url, run } = await create();
    await run(
      "create table kysely_migration (name text, timestamp text); insert into kysely_migration values ('001_other', '')",
    );
    expect(await refusal(url)).toMatchObject({ message: expect.stringContaining('kysely_migration') });
  });

  it('in which an earlier version stopped before its first migration is empty', async () => {
    const { url, run } = await create();
    await run(`create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null);
      create table kysely_migration_lock (id varchar(255) primary key, is_locked integer not null default 0)`);
    expect(await open(url)).toMatchObject({ state: 'none' });
    await migrate(url);
    expect(await open(url)).toMatchObject({ state: 'newest' });
  });

  it('with unreadable tables is not considered empty', async () => {
    const database = await create();
    await database.run('create schema secret');
    await migrate(`${database.url}?options=-csearch_path%3Dsecret`);
    const failure = await refusal(await stranger(database));
    expect(failure).toMatchObject({ exitCode: 2 });
    expect(failure.message).toContain('the schema secret');
    expect(failure.hint).toContain('grant usage on schema');
  });

  it('reports the missing privilege', async () => {
    const database = await create();
    const address = await stranger(database);
    await expect(migrate(address)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('permission denied for schema public'),
      hint: expect.stringContaining('create on schema public'),
    });
    await migrate(database.url);
    await database.run(`grant select on kysely_migration to ${new URL(address).username}`);
    await expect(migrate(address, newer)).rejects.toMatchObject({
      exitCode: 2,
      hint: expect.stringMatching(/create on schema public/),
    });
    await database.run(`grant create on schema public to ${new URL(address).username}`);
    await expect(migrate(address, newer)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('must be owner of table notes'),
      hint: expect.stringContaining('Connect as the owner'),
    });
  });

  it('keeps its data if a migration fails', async () => {
    const { url, run } = await create();
    await migrate(url);
    const failing: ServerSchema = {
      ...schema,
      migrations: {
        ...first,
        '002_more': statementsForBoth('create table more (id integer);\nselect no_such_column'),
      },
    };
    await expect(migrate(url, failing)).rejects.toMatchObject({ exitCode: 2 });
    expect(await run("select to_regclass('more') as found")).toEqual([{ found: null }]);
    expect(await open(url)).toMatchObject({ state: 'newest' });
  });

  it('is migrated beyond the time limits of its user', async () => {
    const database = await create();
    const address = await stranger(
      database,
      "grant create on schema public to ROLE; alter role ROLE set statement_timeout = '300ms'; alter role ROLE set lock_timeout = '100ms'",
    );
    await migrate(address);
    const slow: ServerSchema = {
      ...schema,
      migrations: { ...first, '002_slow': statementsForBoth('select pg_sleep(0.6)') },
    };
    expect(await migrate(address, slow)).toBe('older');
  });

  it.each([
    ['of another encoding', "encoding 'LATIN1' locale 'C'", /has the encoding LATIN1/],
    ['that is a template', 'is_template true', /is a template/],
  ])('%s is refused', async (_, encoding, message) => {
    const { url, run } = await create(encoding);
    onTestFinished(
      async () => void (await run(`alter database ${new URL(url).pathname.slice(1)} is_template false`)),
    );
    expect(await refusal(url)).toMatchObject({ exitCode: 2, message: expect.stringMatching(message) });
  });

  it('reports the time limit that a statement exceeded', async () => {
    const { url } = await create();
    const { db } = await open(url);
    const failed = await sql`set statement_timeout = 50; select pg_sleep(5)`
      .execute(db)
      .catch((error: unknown) => databaseFailure(error, new URL(url), 'NOTES_DATABASE'));
    expect(failed).toMatchObject({ exitCode: 8, hint: expect.stringContaining('statement_timeout') });
  });
});
