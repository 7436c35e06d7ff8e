import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { version } from '../../../node_modules/@electric-sql/pglite/package.json';
import { engine, enginePackage } from '../../../src/sandbox/store/engine.ts';
import { openPostgres, type Postgres } from '../../../src/sandbox/store/postgres.ts';
import { SyncedFiles } from '../../../src/sandbox/store/synced-files.ts';
import { unpackTemplate } from '../../../src/sandbox/store/template.ts';

let cluster: string;

beforeAll(async () => {
  const home = mkdtempSync(join(tmpdir(), 'botctl-postgres-'));
  cluster = join(home, 'cluster');
  await unpackTemplate(cluster);
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
    const postgres = await openPostgres(cluster, neverAborts);
    const spent = async (...statements: readonly string[]): Promise<number> => {
      const before = count();
      for (const statement of statements) await postgres.run(statement, []);
      return count() - before;
    };
    const insert = (name: string): string => `insert into state values ('${name}', '{}')`;
    expect(await spent(insert('a'))).toBe(1);
    expect(await spent('begin', insert('b'), insert('c'), 'commit')).toBe(1);
    expect(await spent('select * from state', 'begin', 'select 1', 'commit')).toBe(0);
    expect(await spent('begin', insert('d'), 'rollback')).toBe(0);
    expect(await settingsOf(postgres)).toEqual({
      fsync: 'on',
      full_page_writes: 'on',
      shared_buffers: '32MB',
      synchronous_commit: 'on',
      wal_sync_method: 'fsync',
    });
    await postgres.close();
  });

  it('is asked for before anything is served', async () => {
    vi.spyOn(SyncedFiles.prototype, 'synchronisations', 'get').mockReturnValue(7);
    await expect(openPostgres(cluster, neverAborts)).rejects.toThrow(/did not bring a commit to the disk/);
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
