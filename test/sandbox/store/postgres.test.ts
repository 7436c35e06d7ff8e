import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { version } from '../../../node_modules/@electric-sql/pglite/package.json';
import { isObject } from '../../../src/lib/json-object.ts';
import { engine } from '../../../src/sandbox/store/engine.ts';
import { enginePackage } from '../../../src/sandbox/store/engine-package.ts';
import { openPostgres, type Postgres } from '../../../src/sandbox/store/postgres.ts';
import { SyncedFiles } from '../../../src/sandbox/store/synced-files.ts';
import { loadWasmModule } from '../../../src/sandbox/store/wasm-module.ts';
import { copyPreparedData } from '../../support/prepared-data.ts';

let cluster: string;

beforeAll(() => {
  const home = mkdtempSync(join(tmpdir(), 'botctl-postgres-'));
  copyPreparedData(inject('sharedHome'), join(home, 'data'));
  cluster = join(home, 'data', 'database');
  return () => rmSync(home, { recursive: true, force: true });
});
afterEach(() => vi.restoreAllMocks());

const neverAborts = (lastWords: string): never => {
  throw new Error(lastWords);
};

describe('durability', () => {
  it('is one synchronisation for each commit, and none for a read', async () => {
    let count = (): number => 0;
    const init = SyncedFiles.prototype.init;
    vi.spyOn(SyncedFiles.prototype, 'init').mockImplementation(function (this: SyncedFiles, ...given) {
      count = () => this.synchronisations;
      return init.apply(this, given);
    });
    const create = vi.spyOn(PGlite, 'create');
    const postgres = await openPostgres(cluster, loadWasmModule(), neverAborts);
    const spent = async (...statements: readonly string[]): Promise<number> => {
      const before = count();
      for (const statement of statements) await postgres.run(statement, []);
      return count() - before;
    };
    const insert = (name: string): string => `insert into state values ('${name}', '{}')`;
    const [given] = create.mock.calls[0] ?? [];
    expect(isObject(given) && given.pgliteWasmModule).toBe(loadWasmModule());
    expect(await spent(insert('a'))).toBe(1);
    expect(await spent('begin', insert('b'), insert('c'), 'commit')).toBe(1);
    expect(await spent('select * from state', 'begin', 'select 1', 'commit')).toBe(0);
    expect(await spent('begin', insert('d'), 'rollback')).toBe(0);
    expect(await settingsOf(postgres)).toEqual({
      fsync: 'on',
      full_page_writes: 'on',
      shared_buffers: '8MB',
      synchronous_commit: 'on',
      wal_sync_method: 'fsync',
    });
    await postgres.close();
  });

  it('is asked for before anything is served', async () => {
    vi.spyOn(SyncedFiles.prototype, 'synchronisations', 'get').mockReturnValue(7);
    await expect(openPostgres(cluster, loadWasmModule(), neverAborts)).rejects.toThrow(
      /did not bring a commit to the disk/,
    );
  });
});

describe('a statement', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await openPostgres(cluster, loadWasmModule(), neverAborts);
    await postgres.run(
      'create temporary table kinds (n int, big int8, at timestamptz, raw bytea, json jsonb)',
      [],
    );
    return () => postgres.close();
  });

  it('takes values of each type, the second time as the first', async () => {
    const at = new Date('2026-01-02T03:04:05.678Z');
    const raw = Uint8Array.of(0, 1, 255);
    const insert = 'insert into kinds values ($1, $2, $3, $4, $5) returning *';
    const rows = [
      [7, 9_007_199_254_740_991, at, raw, { quoted: `"'` }],
      [null, undefined, null, null, null],
      [8, 1, at, new Uint8Array(), [1]],
    ];
    for (const [n, big, time, bytes, json] of rows) {
      const { rows: written, ...outcome } = await postgres.run(insert, [n, big, time, bytes, json]);
      expect(outcome).toEqual({ command: 'INSERT', rowCount: 1 });
      expect(written).toEqual([{ n, big: big ?? null, at: time, raw: bytes, json }]);
    }
  });

  it('is answered for itself among others that are asked at the same time', async () => {
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    const texts = numbers.map((number) => `select $1::int + ${number % 3} as sum`);
    const results = await Promise.all(texts.map((text, number) => postgres.run(text, [number])));
    expect(results.map(({ rows }) => rows)).toEqual(
      numbers.map((number) => [{ sum: number + (number % 3) }]),
    );
  });

  it.each<[string, string, readonly unknown[], string]>([
    ['can not be read', 'selekt 1', [], '42601'],
    ['can not be read with its parameters', 'selekt $1', [1], '42601'],
    ['gets a wrong value', 'select $1::int', ['x'], '22P02'],
    ['fails while it runs', 'select 1 / $1::int', [0], '22012'],
    ['is more than one', 'select 1; select 2', [], '42601'],
    ['has too few values', 'select $1::int, $2::int', [1], '08P01'],
  ])(
    'that %s is refused with PostgreSQL’s code, and the next one is run',
    async (_, sql, parameters, code) => {
      for (let round = 0; round < 2; round += 1) {
        await expect(postgres.run(sql, parameters)).rejects.toMatchObject({ code });
        expect((await postgres.run('select $1::text as said', ['on'])).rows).toEqual([{ said: 'on' }]);
      }
    },
  );

  it('that comes again is answered as the first time, whatever came of it before', async () => {
    const divide = async (by: number): Promise<unknown> =>
      (await postgres.run('select 6 / $1::int as n', [by])).rows;
    const refused = { code: '22012' };
    await expect(divide(0)).rejects.toMatchObject(refused);
    await expect(divide(0)).rejects.toMatchObject(refused);
    expect(await divide(1)).toEqual([{ n: 6 }]);
    await expect(divide(0)).rejects.toMatchObject(refused);
    expect(await Promise.all([divide(2), divide(3)])).toEqual([[{ n: 3 }], [{ n: 2 }]]);
    await postgres.run('begin', []);
    await expect(divide(0)).rejects.toMatchObject(refused);
    await expect(divide(1)).rejects.toMatchObject({ code: '25P02' });
    await postgres.run('rollback', []);
    expect(await divide(6)).toEqual([{ n: 1 }]);
  });

  it('that comes again is parsed once, until others have come', async () => {
    const prepared = async () =>
      (await postgres.run('select statement from pg_prepared_statements', [])).rows.map((row) =>
        typeof row === 'object' && row !== null && 'statement' in row ? row.statement : row,
      );
    const text = (number: number): string => `select ${number} as n, $1::text as said`;
    const select = async (number: number): Promise<void> => {
      expect((await postgres.run(text(number), ['on'])).rows).toEqual([{ n: number, said: 'on' }]);
    };
    for (let time = 0; time < 3; time += 1) await select(-1);
    expect((await prepared()).filter((statement) => statement === text(-1))).toHaveLength(1);
    for (let number = 0; number < 250; number += 1)
      for (let time = 0; time < 2; time += 1) await select(number);
    const kept = await prepared();
    expect(kept).not.toContain(text(-1));
    expect(kept).toContain(text(249));
    expect(kept.length).toBeLessThanOrEqual(200);
    for (let time = 0; time < 3; time += 1) await select(-1);
  });

  it('begins a transaction, which may fail by it', async () => {
    const count = async (): Promise<unknown> =>
      (await postgres.run('select count(*)::int as n from kinds where n = 99', [])).rows;
    const insert = (begins: boolean) => postgres.run('insert into kinds (n) values ($1)', [99], begins);
    for (let time = 0; time < 3; time += 1) {
      expect(await insert(true)).toMatchObject({ command: 'INSERT', rowCount: 1 });
      await insert(false);
      expect(await count()).toEqual([{ n: 2 }]);
      expect(await postgres.run('rollback', [])).toMatchObject({ command: 'ROLLBACK' });
      expect(await count()).toEqual([{ n: 0 }]);
      await expect(postgres.run('select 1 / $1::int', [0], true)).rejects.toMatchObject({ code: '22012' });
      await expect(insert(false)).rejects.toMatchObject({ code: '25P02' });
      expect(await postgres.run('commit', [])).toMatchObject({ command: 'ROLLBACK' });
    }
  });

  it('that is refused as the first of its transaction fails it, also where it has values', async () => {
    const missing = postgres.run('select * from nowhere where n = $1', [1], true);
    await expect(missing).rejects.toMatchObject({ code: '42P01' });
    const insert = postgres.run('insert into kinds (n) values ($1)', [98]);
    await expect(insert).rejects.toMatchObject({ code: '25P02' });
    expect(await postgres.run('commit', [])).toMatchObject({ command: 'ROLLBACK' });
  });

  const plansOf = async (text: string): Promise<unknown> => {
    const plans = await postgres.run(
      'select generic_plans::int, custom_plans::int from pg_prepared_statements where statement = $1',
      [text],
    );
    return plans.rows[0];
  };

  /** Lets the next statement discard all plans: a block of code may have written any number of rows. */
  const growByBlock = () => postgres.run('do $$ begin end $$', []);

  it.each([
    'select count(*)::int as n from kinds where raw::text like $1',
    'select count(*)::int as n from kinds where raw::text ILIKE $1',
    'select count(*)::int as n from kinds where n < 9 offset 0 limit $1',
  ])('%s has a plan for its values each time', async (text) => {
    await growByBlock();
    for (let time = 0; time < 20; time += 1) await postgres.run(text, [time]);
    expect(await plansOf(text)).toEqual({ generic_plans: 0, custom_plans: 4 });
  });

  it('that is refused while it is prepared anew for a plan of its own is prepared the next time', async () => {
    const text = 'select n from kinds where n = $1 limit 1';
    for (let time = 0; time < 6; time += 1) await postgres.run(text, [1]);
    await postgres.run('begin', []);
    await expect(postgres.run('select 1 / $1::int', [0])).rejects.toMatchObject({ code: '22012' });
    await expect(postgres.run(text, [1])).rejects.toMatchObject({ code: '25P02' });
    await postgres.run('rollback', []);
    for (let time = 0; time < 12; time += 1) await postgres.run(text, [1]);
    expect(await plansOf(text)).toMatchObject({ generic_plans: 0 });
  });

  it('of other kinds keeps a plan, which goes after a thousand others: tables may have grown', async () => {
    await postgres.run('create temporary table grown as select 1 as n', []);
    await postgres.run('create index on grown (n)', []);
    await growByBlock();
    const text = 'select count(*)::int as found from grown where n = $1';
    const planAfter = async (uses: number): Promise<string> => {
      for (let time = 0; time < uses; time += 1) await postgres.run(text, [time]);
      const { rows } = await postgres.run('select name from pg_prepared_statements where statement = $1', [
        text,
      ]);
      const [row] = rows;
      if (typeof row !== 'object' || row === null || !('name' in row)) throw new Error('it is not prepared');
      return JSON.stringify((await postgres.run(`explain execute ${String(row.name)} (7)`, [])).rows);
    };
    expect(await planAfter(8)).toContain('Seq Scan');
    expect(await plansOf(text)).toEqual({ generic_plans: 3, custom_plans: 5 });
    // What writes rows that are not counted: a statement with a part that writes.
    const growing =
      'with more as (insert into grown select * from generate_series(2, 20000)) select 1 as one';
    await postgres.run(growing, []);
    await postgres.run('select * from generate_series(1, 2000)', []);
    for (let time = 0; time < 900; time += 1) await postgres.run('select $1::int + 41 as n', [1]);
    expect(await planAfter(8)).toContain('Seq Scan');
    for (let time = 0; time < 100; time += 1) await postgres.run('select $1::int + 41 as n', [1]);
    expect(await planAfter(8)).not.toContain('Seq Scan');
    expect(await plansOf(text)).toEqual({ generic_plans: 4, custom_plans: 5 });
  });

  it('checks foreign keys by plans that are made anew when tables have grown, within one transaction too', async () => {
    const scans = async (): Promise<unknown> => {
      const text = `select pg_stat_get_xact_numscans('parents'::regclass)::int as scans`;
      return (await postgres.run(text, [])).rows[0];
    };
    const refer = (to: number) => postgres.run('insert into children values ($1)', [to]);
    await postgres.run('create table parents (id int primary key)', []);
    await postgres.run('create table children (parent int references parents)', []);
    await postgres.run('insert into parents select generate_series(1, 20)', []);
    await postgres.run('analyze parents', []);
    await growByBlock();
    for (let time = 0; time < 10; time += 1) await refer(7);
    await postgres.run('begin', []);
    await postgres.run('insert into parents select generate_series(21, $1::int)', [30_000]);
    const before = await scans();
    for (let time = 0; time < 10; time += 1) await refer(29_999);
    expect(await scans()).toEqual(before);
    await postgres.run('rollback', []);
    await postgres.run('drop table children, parents', []);
  });

  it('that fails ends its transaction, and no other one', async () => {
    await postgres.run('begin', []);
    await expect(postgres.run('select 1 / $1::int', [0])).rejects.toMatchObject({ code: '22012' });
    await expect(postgres.run('select $1::text as said', ['on'])).rejects.toMatchObject({ code: '25P02' });
    expect(await postgres.run('commit', [])).toMatchObject({ command: 'ROLLBACK' });
    expect(await postgres.run('select 1 as one', [])).toEqual({
      command: 'SELECT',
      rowCount: 1,
      rows: [{ one: 1 }],
    });
  });
});

describe('the engine', () => {
  it('is the one that data directories are marked with', () => {
    const [zero, minor] = version.split('.');
    const major = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim();
    expect(engine).toBe(`PGlite ${zero}.${minor} (PostgreSQL ${major})`);
    expect(enginePackage).toBe(`@electric-sql/pglite@${version}`);
  });
});

async function settingsOf(postgres: Postgres): Promise<unknown> {
  const { rows } = await postgres.run(
    `select json_object_agg(name, current_setting(name)) as settings from pg_settings
     where name in ('fsync', 'full_page_writes', 'shared_buffers', 'synchronous_commit', 'wal_sync_method')`,
    [],
  );
  const [row] = rows;
  return typeof row === 'object' && row !== null && 'settings' in row ? row.settings : undefined;
}
