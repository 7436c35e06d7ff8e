import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { DatabaseError } from '../../../src/database/error.ts';
import { openDatabase } from '../../../src/sandbox/store/database.ts';
import type { Tables } from '../../../src/sandbox/store/tables.ts';
import { isLong } from '../../support/long.ts';
import { copyPreparedData } from '../../support/prepared-data.ts';

let home: string;
let db: Kysely<Tables>;

/** A cluster that never ran. */
function newCluster(name: string): string {
  copyPreparedData(inject('sharedHome'), join(home, name));
  return join(home, name, 'database');
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'botctl-database-'));
  db = await openDatabase(newCluster('cluster'));
});
beforeEach(() => db.deleteFrom('state').execute());
afterAll(async () => {
  await db.destroy();
  rmSync(home, { recursive: true, force: true });
});

/** The value of an SQL expression. */
const valueIn = async (expression: ReturnType<typeof sql>): Promise<unknown> => {
  const { rows } = await sql<{ value: unknown }>`select ${expression} as value`.execute(db);
  return rows[0]?.value;
};

const keep = (where: Kysely<Tables>, name: string) =>
  where.insertInto('state').values({ name, value: '{}' }).execute();

const names = async (where: Kysely<Tables>): Promise<readonly string[]> => {
  const rows = await where.selectFrom('state').select('name').orderBy('name').execute();
  return rows.map(({ name }) => name);
};

/** Resolves when it is told to. */
const gate = (): { readonly passed: Promise<void>; readonly open: () => void } => {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
};

describe('values', () => {
  it('come as what the tables say', async () => {
    const time = new Date('2026-02-28T23:59:59.987Z');
    expect(await valueIn(sql`9007199254740991::int8`)).toBe(Number.MAX_SAFE_INTEGER);
    expect(await valueIn(sql`9007199254740993::int8`)).toBeTypeOf('number');
    expect(await valueIn(sql`count(*)`)).toBe(1);
    expect(await valueIn(sql`0.7::float8`)).toBe(0.7);
    expect(await valueIn(sql`${time}::timestamptz(3)`)).toEqual(time);
    expect(await valueIn(sql`${'{"a":[1,null,"é"]}'}::jsonb`)).toEqual({ a: [1, null, 'é'] });
    expect(await valueIn(sql`${true}::boolean`)).toBe(true);
    expect(await valueIn(sql`null`)).toBeNull();
    expect(await valueIn(sql`${'a\\\'"%_\u{1F600}\n'}::text`)).toBe('a\\\'"%_\u{1F600}\n');
    const bytes = await valueIn(sql`${Buffer.from([0, 255, 1])}::bytea`);
    expect(bytes).toBeInstanceOf(Uint8Array);
    expect(bytes).toEqual(new Uint8Array([0, 255, 1]));
  });

  it('are counted where rows change', async () => {
    await keep(db, 'a');
    await keep(db, 'b');
    const changed = await db.updateTable('state').set({ value: '{"x":1}' }).executeTakeFirst();
    expect(changed.numUpdatedRows).toBe(2n);
    const removed = await db.deleteFrom('state').where('name', '=', 'none').executeTakeFirst();
    expect(removed.numDeletedRows).toBe(0n);
  });

  it('of keys change by what names their table alone', async () => {
    const others = sql<{ name: string }>`
      select conname as name from pg_constraint where conrelid = 'api_keys'::regclass and contype = 'f'
      union all select tgname from pg_trigger where not tgisinternal
      union all select rulename from pg_rules where schemaname = 'public'
      union all select viewname from pg_views where schemaname = 'public'
      union all select proname from pg_proc where pronamespace = 'public'::regnamespace
        and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')`;
    expect((await others.execute(db)).rows).toEqual([]);
  });
});

describe('errors', () => {
  const errorOf = async (statement: Promise<unknown>): Promise<DatabaseError> => {
    const error: unknown = await statement.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof DatabaseError)) throw new Error(`no error of the database: ${error}`);
    return error;
  };

  it('carry the SQLSTATE and one sentence', async () => {
    await keep(db, 'a');
    const twice = await errorOf(keep(db, 'a'));
    expect(twice.code).toBe('23505');
    expect(twice.message).toBe('duplicate key value violates unique constraint "state_pkey"');
    expect(Object.keys(twice).sort()).toEqual(['code', 'kind', 'name']);

    expect(await errorOf(sql`select 1 / 0`.execute(db))).toMatchObject({ code: '22012' });
    expect(await errorOf(sql`select 'x'::uuid`.execute(db))).toMatchObject({ code: '22P02' });
    expect(await errorOf(sql`selec`.execute(db))).toMatchObject({ code: '42601' });
    const orphan = db.insertInto('users').values({
      id: '4c0a3c1e-5b1f-4f8e-9d57-0a4a8a1f0001',
      team_id: '4c0a3c1e-5b1f-4f8e-9d57-0a4a8a1f0002',
      name: '',
      email: '',
      phone: '',
      created_at: new Date(),
    });
    expect(await errorOf(orphan.execute())).toMatchObject({ code: '23503' });
  });

  it('of values that no type takes leave the session as it was', async () => {
    const wrong = sql`select ${'text'}::bytea`.execute(db);
    const error = await errorOf(wrong);
    expect(error.code).toBeUndefined();
    expect(error.message.length).toBeLessThan(200);
    await expect(sql`select ${{ call: () => 1 }}::jsonb`.execute(db)).rejects.toThrow('could not be cloned');
    expect(await valueIn(sql`1`)).toBe(1);
  });
});

describe('transactions', () => {
  it('at the same time do not mix on the one session', async () => {
    const [first, second] = [gate(), gate()];
    const rolledBack = db.transaction().execute(async (step) => {
      await keep(step, 'rolled back');
      first.open();
      await second.passed;
      // Each statement gives the other ones a chance to slip in.
      for (let round = 0; round < 10; round += 1) expect(await names(step)).toEqual(['rolled back']);
      throw new Error('on purpose');
    });
    await first.passed;
    const committed = db.transaction().execute(async (step) => {
      expect(await names(step)).toEqual([]);
      await keep(step, 'committed');
    });
    const alone = keep(db, 'alone');
    const seen = names(db);
    second.open();
    await expect(rolledBack).rejects.toThrow('on purpose');
    await Promise.all([committed, alone]);
    expect(await seen).toEqual(['alone', 'committed']);
    expect(await names(db)).toEqual(['alone', 'committed']);
  });

  it('keep what each of many adds', async () => {
    const increments = Array.from({ length: 30 }, () =>
      db.transaction().execute(async (step) => {
        const row = await step.selectFrom('state').select('value').where('name', '=', 'n').executeTakeFirst();
        const value = JSON.stringify({ n: Number(row?.value.n ?? 0) + 1 });
        await step
          .insertInto('state')
          .values({ name: 'n', value })
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
          .execute();
      }),
    );
    await Promise.all(increments);
    expect(await db.selectFrom('state').select('value').executeTakeFirst()).toEqual({ value: { n: 30 } });
  });

  it('that ignored a failed statement are not taken for committed', async () => {
    const outcome = db.transaction().execute(async (step) => {
      await keep(step, 'a');
      await sql`select 1 / 0`.execute(step).catch(() => undefined);
    });
    await expect(outcome).rejects.toMatchObject({ code: '25P02' });
    expect(await names(db)).toEqual([]);
  });
});

it('leaves the event loop free while a statement runs', async () => {
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
  }, 1);
  const rows = isLong ? 1_000_000 : 200_000;
  expect(await valueIn(sql`(select count(*) from generate_series(1, ${rows}::int))`)).toBe(rows);
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(3);
});

describe('the end', () => {
  it.runIf(isLong)('waits for the transaction that runs, and refuses what comes later', async () => {
    const cluster = newCluster('closed');
    const closing = await openDatabase(cluster);
    const [begun, going] = [gate(), gate()];
    const running = closing.transaction().execute(async (step) => {
      begun.open();
      await going.passed;
      await keep(step, 'a');
      await keep(step, 'b');
    });
    await begun.passed;
    const waiting = keep(closing, 'c').catch((error: unknown) => error);
    const closed = closing.destroy();
    going.open();
    await running;
    expect(await waiting).toBeInstanceOf(Error);
    await closed;
    await expect(names(closing)).rejects.toThrow();

    const again = await openDatabase(cluster);
    expect(await names(again)).toEqual(['a', 'b']);
    await again.destroy();
  });

  it('of PostgreSQL in the middle of a statement is told at once, and it is opened again when that can be', async () => {
    const cluster = newCluster('lost');
    const lost = await openDatabase(cluster);
    await keep(lost, 'a');
    await sql`select pg_switch_wal()`.execute(lost);
    // The next part of the log can't be made, and a commit that can't be logged is none.
    renameSync(join(cluster, 'pg_wal'), join(cluster, 'elsewhere'));
    await expect(keep(lost, 'b')).rejects.toMatchObject({
      name: 'DatabaseError',
      message: expect.stringMatching(/^The database stopped: could not create file .{1,200}$/),
    });
    await expect(names(lost)).rejects.toThrow('required WAL directory');
    renameSync(join(cluster, 'elsewhere'), join(cluster, 'pg_wal'));
    expect(await names(lost)).toEqual(['a']);
    await keep(lost, 'c');
    expect(await names(lost)).toEqual(['a', 'c']);
    await lost.destroy();
  });
});
