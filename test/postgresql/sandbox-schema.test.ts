import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { foldForSearch } from '../../src/database/differences.ts';
import { migrate, OlderSchema } from '../../src/database/migrate.ts';
import type { Database } from '../../src/database/open.ts';
import { schema } from '../../src/sandbox/store/schema.ts';
import type { Tables } from '../../src/sandbox/store/tables.ts';
import { createDatabase, type TestDatabase } from '../support/database-server.ts';
import { openServer } from '../support/open-server.ts';

const fixture = readFileSync(join(import.meta.dirname, '../fixtures/earlier/sandbox-6abd2134.sql'), 'utf8');

describe('the schema of the sandbox in PostgreSQL', () => {
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).toReversed()) await close();
  });

  async function create(): Promise<TestDatabase> {
    const database = await createDatabase();
    closers.push(() => database.drop());
    return database;
  }

  /** Returns a database as the released botctl left it. */
  async function earlier(): Promise<TestDatabase> {
    const database = await create();
    await database.run(fixture);
    return database;
  }

  function open({ url }: TestDatabase): Database<Tables> {
    const opened = openServer<Tables>(url, 'endless');
    closers.push(() => opened.close());
    return opened;
  }

  const shapeOf = async ({ run }: TestDatabase): Promise<unknown> => ({
    columns:
      await run(`select table_name, column_name, data_type, is_nullable, column_default, collation_name, is_identity
      from information_schema.columns where table_schema = 'public' order by table_name, column_name`),
    indexes: await run(
      `select indexname, indexdef from pg_indexes where schemaname = 'public' order by indexname`,
    ),
    constraints:
      await run(`select conrelid::regclass::text as table, conname, pg_get_constraintdef(oid) as definition
      from pg_constraint where connamespace = 'public'::regnamespace order by 1, 2`),
  });

  const without = (shape: unknown): unknown =>
    JSON.parse(JSON.stringify(shape).replaceAll(/\{[^{}]*kysely_migration[^{}]*\},?/g, ''));

  it('is the same in a database of the released version and in a new one', async () => {
    const [old, fresh] = [await earlier(), await create()];
    await migrate(open(old), schema);
    await migrate(open(fresh), schema);
    expect(without(await shapeOf(old))).toEqual(without(await shapeOf(fresh)));
  });

  it('gives names and e-mail addresses of the released version their folded form', async () => {
    const old = await earlier();
    // The last one is the address of the one before, decomposed.
    const texts = ['École İstanbul ß', 'E\u0301COLE', 'ΣΊΣΥΦΟΣ', 'É@team.example', 'E\u0301@team.example'];
    for (const text of texts) {
      await old.run(`insert into teams select gen_random_uuid(), '${text}', plan_name, paying, banned, quota_bots,
        quota_accounts, quota_characters, quota_documents, quota_members, quota_credits, created_at, updated_at
        from teams limit 1`);
      await old.run(
        `insert into users select gen_random_uuid(), id, 'Someone', '${text}', '+1', now() from teams limit 1`,
      );
    }
    await migrate(open(old), schema);
    for (const table of ['teams', 'bots', 'documents']) {
      const rows = await old.run(`select name, name_folded from ${table}`);
      expect(rows.length).toBeGreaterThan(0);
      for (const { name, name_folded } of rows) expect(name_folded).toBe(foldForSearch(String(name)));
    }
    const users = await old.run('select email, email_key from users');
    const [keyed, others] = [
      users.filter(({ email_key }) => email_key !== null),
      users.filter(({ email_key }) => email_key === null),
    ];
    for (const { email, email_key } of keyed) expect(email_key).toBe(foldForSearch(String(email)));
    expect(others).toHaveLength(1);
  });

  it('keeps e-mail addresses shared where they were', async () => {
    const old = await earlier();
    await old.run('drop index users_email');
    await migrate(open(old), schema);
    expect(await old.run('select shares_emails from service')).toEqual([{ shares_emails: true }]);
    expect(await old.run('select email from users where email_key is not null')).toEqual([]);
  });

  it('refuses a database that is older than the released version', async () => {
    const old = await earlier();
    await old.run(`delete from kysely_migration where name like '007%'`);
    await expect(migrate(open(old), schema)).rejects.toBeInstanceOf(OlderSchema);
  });
});
