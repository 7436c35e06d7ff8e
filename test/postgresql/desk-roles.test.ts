import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { botctl } from '../support/botctl.ts';
import { addressFor, insertEvent, insertRecord } from '../support/desk-roles.ts';
import { type OwnServer, startOwnServer } from '../support/found-server.ts';
import { databaseOf, runAt } from '../support/statements.ts';

/** Returns the SQL of `help desk`: the roles and the database, the privileges, then the schema in a shared database. */
async function sqlOfHelp(): Promise<readonly (readonly string[])[]> {
  const { stdout } = await botctl(['help', 'desk']);
  const blocks = stdout.split('\n\n').filter((block) => /^ {2}(?:create|grant) .*;$/ms.test(block));
  // psql sends one statement after the other.
  return blocks.map((block) => block.split(/;\s*(?:\n|$)/).filter((statement) => statement.trim() !== ''));
}

describe('the roles of help desk', () => {
  let server: OwnServer;
  const as = (user: string): string => addressFor(databaseOf(server.url, 'desk'), user);
  const run = (user: string, statement: string) => runAt(as(user), statement);
  const desk = (user: string, ...words: readonly string[]) =>
    botctl(['desk', ...words, '--database', as(user), '-o', 'json']);
  const statusFor = async (user: string) => JSON.parse((await desk(user, 'status')).stdout);

  beforeAll(async () => {
    server = await startOwnServer();
  });
  afterAll(() => server?.stop());

  it('work as help desk documents them', async () => {
    const admin = databaseOf(server.url, 'postgres');
    const [roles = [], privileges = [], ...schema] = await sqlOfHelp();
    expect([roles.length, privileges.length]).toEqual([6, 6]);
    expect(schema).toEqual([['  create schema desk authorization desk_owner']]);
    for (const statement of roles) await runAt(admin, statement);
    const early = await desk('ana', 'status');
    expect(early).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('has no desk yet') });
    const byAgent = await desk('ana', 'migrate');
    expect(byAgent).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('postgres://OWNER@') });
    expect(byAgent.stderr).not.toContain('grant');
    expect(await desk('desk_owner', 'migrate')).toMatchObject({ exitCode: 0 });
    const stranger = await desk('ana', 'status');
    expect(stranger).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('botctl help desk') });
    for (const statement of privileges) await run('desk_owner', statement);
  });

  it('are shown by desk status', async () => {
    expect(await statusFor('desk_owner')).toMatchObject({ role: 'owner', user: 'desk_owner' });
    expect(await statusFor('ana')).toMatchObject({ role: 'agent', user: 'ana' });
    expect(await statusFor('bruno')).toMatchObject({ role: 'reader', user: 'bruno' });
  });

  it('name the missing privileges of an agent', async () => {
    await run('desk_owner', 'revoke insert on hook_runs from desk_agent');
    const { stdout, stderr } = await desk('ana', 'status');
    expect(JSON.parse(stdout)).toMatchObject({ role: 'reader' });
    expect(stderr).toContain('This user lacks privileges of an agent: insert on hook_runs.');
    await run('desk_owner', 'grant insert on hook_runs to desk_agent');
    expect((await desk('bruno', 'status')).stderr).not.toContain('lacks');
  });

  it('let an agent add to the book and the history, as that database user', async () => {
    for (const insert of [
      () => insertEvent(as('ana'), { actor: "'Bruno'" }),
      () => insertEvent(as('ana'), { at: "now() - interval '1 hour'", reason: "'banned'" }),
      () => insertRecord(as('ana'), { id: 'd1', name: 'Counter', seen_at: '2026-01-01T00:00:00Z' }),
    ])
      expect(await insert()).toMatchObject([{ db_user: 'ana' }]);
  });

  it.each([
    "update history set event = 'paired'",
    'delete from history',
    'truncate history',
    "update book_records set record = '{}'",
    'delete from book_records',
    'delete from readings',
    'delete from hook_runs',
    'update hook_runs set claimed_at = now()',
    'update service_keys set account = gen_random_uuid()',
    'update desk set keep_ms = 86400000',
    'delete from kysely_migration',
    'alter table history disable trigger all',
    'create table mine (id integer)',
    'set session authorization desk_owner',
    'set role desk_owner',
    `insert into history (place, id, origin, device, event, actor, host) overriding system value
      values (1, gen_random_uuid(), 'x', 'd1', 'lost', 'Ana', 'desk-1')`,
  ])('prevent an agent from: %s', async (statement) => {
    await insertEvent(as('ana'));
    await expect(run('ana', statement)).rejects.toThrow(/permission denied|must be owner/);
  });

  it.each(['ana', 'bruno'])('prevent %s from a trigger that runs statements as the owner', async (user) => {
    // The function reads the table desk in the schema of the table with the trigger, which here is the attacker's view.
    const attack = run(
      user,
      `create function pg_temp.evil() returns bigint language plpgsql as $$ begin
        delete from public.history; return 7776000000; end $$;
      create temporary view desk as select pg_temp.evil() as keep_ms;
      create temporary table bait (at timestamptz);
      grant all on pg_temp.desk, pg_temp.bait to public;
      create trigger t after insert on bait for each statement execute function public.remove_old_rows('at');
      insert into bait default values`,
    );
    await expect(attack).rejects.toThrow(/permission denied for function .*remove_old_rows/);
  });

  it.each([
    ['db_user', "'bruno'"],
    ['recorded_at', 'now()'],
    ['place', '1'],
  ])('prevent an agent from choosing %s of an event', async (column, value) => {
    await expect(insertEvent(as('ana'), { [column]: value })).rejects.toThrow(
      /permission denied|cannot insert/,
    );
  });

  it.each([
    ['db_user', "'bruno'"],
    ['at', 'now()'],
    ['place', '1'],
  ])('prevent an agent from choosing %s of a record', async (column, value) => {
    await expect(insertRecord(as('ana'), {}, { [column]: value })).rejects.toThrow(
      /permission denied|cannot insert/,
    );
  });

  it('store no event of an agent with a time in the future, even with its own clock', async () => {
    const [later] = await insertEvent(as('ana'), { at: "now() + interval '5 minutes'" });
    expect(later?.at).toEqual(later?.recorded_at);
    await runAt(databaseOf(server.url, 'desk'), 'create schema ana authorization ana');
    const rows = await run(
      'ana',
      `create function ana.clock_timestamp() returns timestamptz language sql as 'select now() + interval ''1 day''';
      create temporary table history (at timestamptz);
      set search_path = ana, pg_catalog, public;
      insert into public.history (id, origin, device, event, at, actor, host)
        values (gen_random_uuid(), 'x', 'd9', 'lost', ana.clock_timestamp(), 'Ana', 'desk-1');
      select`,
    ).catch((error: unknown) => error);
    expect(rows).not.toBeInstanceOf(Error);
    const found = await run(
      'bruno',
      "select at <= pg_catalog.clock_timestamp() as is_past from history where device = 'd9'",
    );
    expect(found).toEqual([{ is_past: true }]);
  });

  it('remove old events with the inserts of an agent, who may not delete any', async () => {
    await run(
      'desk_owner',
      `alter table history disable trigger history_keep;
      insert into history (id, origin, device, event, actor, host, at)
        select gen_random_uuid(), 'x', 'old', 'lost', 'Ana', 'desk-1', now() - interval '91 days' from generate_series(1, 101);
      alter table history enable trigger history_keep`,
    );
    const old = () => run('bruno', "select count(*)::int as left from history where device = 'old'");
    await insertEvent(as('ana'));
    expect(await old()).toEqual([{ left: 1 }]);
    await insertEvent(as('ana'));
    expect(await old()).toEqual([{ left: 0 }]);
  });

  it('let an agent share readings and hook runs', async () => {
    await run(
      'ana',
      `insert into readings (origin, account, device, due_at) values ('x', '00000000-0000-4000-8000-000000000000', 'd1', now());
      update readings set status = '{}', lease = gen_random_uuid() where device = 'd1';
      insert into service_keys values ('x', 'key_1', '00000000-0000-4000-8000-000000000000');
      insert into hook_runs (origin, account, hook, device, change)
        values ('x', gen_random_uuid(), 'page', 'd1', gen_random_uuid()) on conflict do nothing`,
    );
    expect(await run('bruno', 'select status from readings')).toEqual([{ status: {} }]);
  });

  it.each([
    () => insertEvent(as('bruno')),
    () => insertRecord(as('bruno'), {}),
    () => run('bruno', "insert into service_keys values ('x', 'key_2', gen_random_uuid())"),
    () => run('bruno', 'update readings set due_at = null'),
    () => run('bruno', 'delete from history'),
    () => run('bruno', 'update desk set keep_ms = 86400000'),
  ])('prevent a reader from every write', async (write) => {
    await expect(write()).rejects.toThrow(/permission denied/);
    expect(await run('bruno', 'select keep_ms::text from desk')).toEqual([{ keep_ms: '7776000000' }]);
  });

  it('let only the owner change the retention of the history', async () => {
    const refused = await desk('ana', 'migrate', '--keep', '365d');
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('botctl help desk') });
    const kept = await desk('desk_owner', 'migrate', '--keep', '365d');
    expect(JSON.parse(kept.stdout)).toMatchObject({ tables: 'unchanged', keep_seconds: 365 * 86_400 });
    expect(await statusFor('bruno')).toMatchObject({ keep_seconds: 365 * 86_400 });
    await insertEvent(as('ana'), { at: "now() - interval '100 days'" });
    const asked = await desk('desk_owner', 'migrate', '--keep', '90d');
    expect(asked).toMatchObject({ exitCode: 2, stdout: '' });
    expect(asked.stderr).toContain('The history has 1 event from');
    expect(await desk('desk_owner', 'migrate', '--keep', '90d', '--yes')).toMatchObject({ exitCode: 0 });
  });
});
