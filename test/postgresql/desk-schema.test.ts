import { describe, expect, it, onTestFinished } from 'vitest';
import type { Statements } from '../../src/database/migrate.ts';
import { type ConnectedDesk, connectDesk } from '../../src/desk/connect.ts';
import { deskSchema } from '../../src/desk/schema.ts';
import { version } from '../../src/lib/version.ts';
import { createDatabase, type TestDatabase } from '../support/database-server.ts';
import { addressFor, insertEvent, insertRecord, migrateDesk } from '../support/desk-roles.ts';

const create = async (): Promise<TestDatabase> => {
  const database = await createDatabase();
  onTestFinished(database.drop);
  return database;
};

const created = async (): Promise<TestDatabase> => {
  const database = await create();
  await migrateDesk(database.url);
  return database;
};

const connect = async (url: string): Promise<ConnectedDesk> => {
  const desk = await connectDesk(
    { url: new URL(url), password: undefined },
    { patience: 'short', warn: () => undefined },
  );
  onTestFinished(desk.close);
  return desk;
};

const count = async ({ run }: TestDatabase, table = 'history') =>
  Number((await run(`select count(*) from ${table}`))[0]?.count);

describe('a connection with a desk', () => {
  it('finds its tables, its id and its retention', async () => {
    const { url, run } = await created();
    const desk = await connect(url);
    const [row] = await run('select id, botctl_version from desk');
    expect(row).toEqual({ id: desk.id, botctl_version: version });
    expect(desk).toMatchObject({ schema: 'public', keepMs: 90 * 86_400_000, version: /^\d/ });
    expect(await desk.db.selectFrom('history').selectAll().execute()).toEqual([]);
  });

  it('is refused for an empty database, which stays empty', async () => {
    const { url, run } = await create();
    await expect(connect(url)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/^postgres:.* has no desk yet\.$/),
      hint: expect.objectContaining({ parts: expect.anything() }),
    });
    const hint = await connect(url).catch((error: { hint: unknown }) => String(error.hint));
    expect(hint).toBe(
      `Create it as the user who will own its tables (botctl help desk): botctl desk migrate --database ${addressFor(url, 'OWNER')}`,
    );
    expect(await run("select from pg_class where relnamespace = 'public'::regnamespace")).toEqual([]);
  });

  it('is refused for the tables of an earlier botctl', async () => {
    const { url } = await created();
    const migrations: Record<string, Statements | undefined> = deskSchema.migrations;
    migrations['002_more'] = { sqlite: '', postgres: 'select 1' };
    onTestFinished(() => {
      delete migrations['002_more'];
    });
    await expect(connect(url)).rejects.toMatchObject({ exitCode: 2, message: /earlier botctl/ });
    const hint = await connect(url).catch((error: { hint: unknown }) => String(error.hint));
    expect(hint).toBe(
      `Update them as the user who owns them (botctl help desk): botctl desk migrate --database ${addressFor(url, 'OWNER')}`,
    );
  });

  it('is refused for the tables of a newer botctl, by its version', async () => {
    const { url, run } = await created();
    await run(
      "insert into kysely_migration values ('002_later', ''); update desk set botctl_version = '9.1.0'",
    );
    await expect(connect(url)).rejects.toMatchObject({
      exitCode: 2,
      message: /was created by a newer version of botctl: it has migration 002_later\.$/,
      hint: `It needs botctl 9.1.0 or newer; this is ${version}. Update botctl on this machine.`,
    });
    await run("update desk set botctl_version = E'9\\n\\u001b[2J'");
    await expect(connect(url)).rejects.toMatchObject({
      hint: 'Use that version, or a separate database for this one.',
    });
  });

  it('shares a database with campaigns if it has another schema', async () => {
    const { url, run } = await create();
    await run(
      "create table kysely_migration (name text, timestamp text); insert into kysely_migration values ('001_campaigns', '')",
    );
    await expect(migrateDesk(url)).rejects.toMatchObject({
      exitCode: 2,
      hint: /create schema desk, and add \?options=-csearch_path%3Ddesk to its address/,
    });
    await run('create schema desk');
    const own = `${url}?options=-csearch_path%3Ddesk`;
    await migrateDesk(own);
    expect(await connect(own)).toMatchObject({ schema: 'desk' });
    // Its tables are found without a search path too.
    expect(await connect(url)).toMatchObject({ schema: 'desk' });
    await insertEvent(own, { at: "'2020-01-01'" });
    expect(await run('select count(*)::int as left from desk.history')).toEqual([{ left: 0 }]);
  });
});

describe('the history of a desk', () => {
  it('stores the time of the database, or an earlier one, and no later one', async () => {
    const { url } = await created();
    const [now] = await insertEvent(url);
    expect(Number(now?.recorded_at) - Number(now?.at)).toBeLessThan(1000);
    expect(Number(now?.recorded_at) - Number(now?.at)).toBeGreaterThanOrEqual(0);
    const [earlier] = await insertEvent(url, { at: "clock_timestamp() - interval '1 hour'" });
    expect(Number(earlier?.recorded_at) - Number(earlier?.at)).toBeGreaterThan(3_590_000);
    for (const at of ["clock_timestamp() + interval '5 minutes'", "'infinity'", 'null']) {
      const [later] = await insertEvent(url, { at });
      expect(later, at).toMatchObject({ at: later?.recorded_at });
    }
    const [faked] = await insertEvent(url, { recorded_at: "'2020-01-01'", db_user: "'somebody'" });
    expect(faked).toMatchObject({ db_user: 'postgres' });
    expect(Date.now() - Number(faked?.recorded_at)).toBeLessThan(60_000);
  });

  it('deletes old events, at most 100 with each insert', async () => {
    const database = await created();
    const { url, run } = database;
    await run('alter table history disable trigger history_keep');
    await run(`insert into history (id, origin, device, event, actor, host, at)
      select gen_random_uuid(), 'https://a.example', 'd' || n, 'lost', 'Ana', 'desk-1', now() - interval '91 days' from generate_series(1, 250) n`);
    await insertEvent(url, { at: "now() - interval '89 days'" });
    await run('alter table history enable trigger history_keep');
    const left = [];
    for (let at = 0; at < 4; at += 1) {
      await insertEvent(url);
      left.push(await count(database));
    }
    expect(left).toEqual([152, 53, 4, 5]);
    await run('update desk set keep_ms = 86400000');
    await insertEvent(url);
    expect(await count(database)).toBe(5);
  });

  it('deletes older hook runs', async () => {
    const database = await created();
    const insert = (claimedAt: string) =>
      database.run(`insert into hook_runs (origin, account, hook, device, change, claimed_at)
        values ('https://a.example', gen_random_uuid(), 'page', 'd1', gen_random_uuid(), ${claimedAt})`);
    await insert("now() - interval '89 days'");
    await insert("now() - interval '91 days'");
    await insert('now()');
    expect(await count(database, 'hook_runs')).toBe(2);
  });

  it('finds old events by an index', async () => {
    const database = await created();
    const { url, run } = database;
    await run('alter table history disable trigger history_keep');
    await run(`insert into history (id, origin, device, event, actor, host, at)
      select gen_random_uuid(), 'https://a.example', 'd' || n % 500, 'lost', 'Ana', 'desk-1', now() - interval '1 minute' * (n % 100000) from generate_series(1, 100000) n`);
    await run('alter table history enable trigger history_keep; analyze history');
    const read = async () =>
      Number(
        (
          await run(
            "select pg_stat_force_next_flush(), seq_tup_read from pg_stat_user_tables where relname = 'history'",
          )
        )[0]?.seq_tup_read,
      );
    const before = await read();
    await insertEvent(url);
    expect((await read()) - before).toBe(0);
  });

  it('has one row of settings, and keeps at least one day', async () => {
    const { run } = await created();
    await expect(run('insert into desk default values')).rejects.toThrow(/unique/);
    await expect(run('update desk set is_only = false')).rejects.toThrow(/check/);
    for (const keep of [0, 86_399_999, 36_501 * 86_400_000])
      await expect(run(`update desk set keep_ms = ${keep}`)).rejects.toThrow(/check/);
  });
});

describe('the device book of a desk', () => {
  it('numbers records in the order of the commits, for any writer', async () => {
    const { url, run, hold } = await created();
    const insert = `insert into book_records (id, origin, record, actor, host)
      values (gen_random_uuid(), 'https://a.example', '{"id":"d1"}', 'Ana', 'desk-1')`;
    const end = await hold(insert);
    let isDone = false;
    const second = insertRecord(url, { id: 'd2' }).then((rows) => {
      isDone = true;
      return rows;
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(isDone).toBe(false);
    await end();
    const [row] = await second;
    expect(row).toMatchObject({ record: { id: 'd2' }, db_user: 'postgres' });
    expect(await run('select place from book_records')).toEqual([{ place: row?.place }]);
  });

  it('accepts only objects, and stamps them itself', async () => {
    const { url } = await created();
    await expect(insertRecord(url, [])).rejects.toThrow(/check/);
    await expect(insertRecord(url, {}, { place: '7' })).rejects.toThrow(/"place"/);
    const [row] = await insertRecord(url, {}, { at: "'2020-01-01'", db_user: "'somebody'" });
    expect(row).toMatchObject({ db_user: 'postgres' });
    expect(Date.now() - Number(row?.at)).toBeLessThan(60_000);
  });
});
