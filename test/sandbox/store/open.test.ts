import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Failure } from '../../../src/lib/errors.ts';
import { engine } from '../../../src/sandbox/store/engine.ts';
import { openStore } from '../../../src/sandbox/store/open.ts';
import { DataInUse } from '../../../src/sandbox/store/ownership.ts';
import type { Store } from '../../../src/sandbox/store/store.ts';
import { isLong } from '../../support/long.ts';
import { needing } from '../../support/needing.ts';
import { binary, start } from '../../support/process.ts';
import { stealLock } from '../../support/steal-lock.ts';

/** Whether a process can be given a PID namespace of its own here. */
const hasNamespaces = spawnSync('unshare', ['--pid', '--fork', '--mount-proc', 'true']).status === 0;

let home: string;
/** A data directory that was opened and closed. */
let data: string;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'botctl-store-'));
  data = join(home, 'new', 'data');
  const store = await openStore(data);
  await keep(store, 'first');
  await store.close();
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const keep = ({ db }: Pick<Store, 'db'>, name: string) =>
  db.insertInto('state').values({ name, value: '{}' }).execute();

const kept = async ({ db }: Store): Promise<readonly string[]> => {
  const rows = await db.selectFrom('state').select('name').orderBy('name').execute();
  return rows.map(({ name }) => name);
};

/** The message of what an opening is refused with; opened stores are closed. */
const refusal = async (directory: string): Promise<string> => {
  const outcome: unknown = await openStore(directory).then(
    (store) => store.close(),
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(Failure);
  expect(outcome).toMatchObject({ exitCode: 2, kind: 'invalidInput' });
  expect(outcome instanceof Failure && String(outcome.hint)).toContain('--data');
  return outcome instanceof Failure ? outcome.message : '';
};

describe('a data directory whose uploads are there', () => {
  const withUpload = (): { readonly directory: string; readonly upload: string } => {
    const directory = mkdtempSync(join(home, 'damaged-'));
    const upload = join(directory, 'files', 'a-team');
    mkdirSync(upload, { recursive: true });
    writeFileSync(join(directory, 'engine'), `${engine}\n`);
    return { directory, upload };
  };

  it('is damaged where its database is empty, and keeps them', async () => {
    const { directory, upload } = withUpload();
    mkdirSync(join(directory, 'database'));
    expect(await refusal(directory)).toBe(
      `The data in ${directory} is damaged: ${directory}/database is no database. Nothing was changed.`,
    );
    expect(existsSync(upload)).toBe(true);
    expect(readdirSync(join(directory, 'database'))).toEqual([]);
  });

  it('is damaged where its database is missing, and keeps them', async () => {
    const { directory, upload } = withUpload();
    expect(await refusal(directory)).toContain(`${directory}/database is missing`);
    expect(existsSync(upload)).toBe(true);
    expect(existsSync(join(directory, 'database'))).toBe(false);
  });
});

describe('a data directory', () => {
  it('holds the database, the name of its engine and the files, all for one user', () => {
    expect(readdirSync(data).sort()).toEqual(['database', 'engine', 'files']);
    expect(readFileSync(join(data, 'engine'), 'utf8')).toBe(`${engine}\n`);
    const modes = ['', 'database', 'engine', 'files'].map((name) => statSync(join(data, name)).mode & 0o777);
    expect(modes).toEqual([0o700, 0o700, 0o600, 0o700]);
  });

  it.runIf(isLong)('says whether a key may have changed', async () => {
    const store = await openStore(join(home, 'keys'));
    const changes = async (work: Promise<unknown>): Promise<number> => {
      const before = store.keyChanges?.() ?? Number.NaN;
      await work;
      return (store.keyChanges?.() ?? Number.NaN) - before;
    };
    const unused = store.db.updateTable('api_keys').set({ last_used: null });
    expect(await changes(keep(store, 'a row of another table'))).toBe(0);
    expect(await changes(store.db.selectFrom('api_keys').selectAll().execute())).toBe(0);
    expect(await changes(unused.execute())).toBe(1);
    expect(
      await changes(store.db.transaction().execute((step) => step.deleteFrom('api_keys').execute())),
    ).toBe(1);
    await store.close();
  });

  it('belongs to one store at a time, which says where it serves', async () => {
    const store = await openStore(data);
    expect(store.files).toBe(join(data, 'files'));
    expect(await kept(store)).toEqual(['first']);
    await expect(openStore(data)).rejects.toMatchObject({ pid: process.pid, port: undefined });
    store.announce(4010);
    const refused = await openStore(data).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(DataInUse);
    expect(refused).toMatchObject({
      pid: process.pid,
      port: 4010,
      message: `The data directory ${data} is in use by process ${process.pid} on port 4010.`,
    });

    await keep(store, 'second');
    await store.close();
    const again = await openStore(data);
    expect(await kept(again)).toEqual(['first', 'second']);
    await again.close();
    expect(existsSync(join(data, 'lock'))).toBe(false);
  });

  it.runIf(isLong)('is refused to another process while a store has it', async () => {
    const store = await openStore(data);
    const other = start(['sandbox', 'start', '--port', '0', '--data', data]);
    expect(await other.ended).toBe(2);
    expect(other.output.stderr).toContain(`in use by process ${process.pid}`);
    expect(other.output.stderr).not.toContain('    at ');
    await store.close();
  });

  it(
    'is refused to a process of another PID namespace',
    needing('unshare with PID namespaces', hasNamespaces),
    async () => {
      const store = await openStore(data);
      const isolated = ['--pid', '--fork', '--mount-proc', process.execPath, binary];
      const other = spawnSync('unshare', [...isolated, 'sandbox', 'start', '--port', '0', '--data', data], {
        env: { PATH: process.env.PATH, BOTCTL_CONFIG_DIR: home },
        encoding: 'utf8',
      });
      expect(other.stderr).toContain(`in use by process ${process.pid} of another container or machine`);
      expect(other.status).toBe(2);
      await store.close();
    },
  );

  it('is written no more, not even to close it, once another process has taken it over', async () => {
    const store = await openStore(data);
    const before = await kept(store);
    const changed = store.db.transaction().execute(async (db) => {
      await keep({ db }, 'not committed');
      stealLock(join(data, 'lock'));
    });
    await expect(changed).rejects.toThrow('Another process has taken over the lock');
    await expect(keep(store, 'lost')).rejects.toThrow('Another process has taken over the lock');
    expect(store.lost.aborted).toBe(true);
    const control = join(data, 'database', 'global', 'pg_control');
    const checkpoint = readFileSync(control);
    await store.close();
    expect(readFileSync(control).equals(checkpoint)).toBe(true);
    rmSync(join(data, 'lock'));
    const again = await openStore(data);
    expect(await kept(again)).toEqual(before);
    await again.close();
  });

  it.runIf(isLong)('is taken over from a process that is gone, with everything that it kept', async () => {
    const store = await openStore(data);
    await keep(store, 'third');
    await store.close();
    writeFileSync(
      join(data, 'lock'),
      JSON.stringify({ identity: 'gone', pid: process.pid, started: 'an earlier boot/1', details: {} }),
    );
    const again = await openStore(data);
    expect(await kept(again)).toContain('third');
    await again.close();
  });

  it.runIf(isLong)('is made whole where an earlier start broke off', async () => {
    const broken = join(home, 'broken');
    mkdirSync(join(broken, 'database.unpacking', 'base'), { recursive: true });
    writeFileSync(join(broken, 'database.unpacking', 'PG_VERSION'), '18\n');
    writeFileSync(join(broken, 'engine'), 'PGlite 0.4\n');
    const store = await openStore(broken);
    expect(await kept(store)).toEqual([]);
    await store.close();
    expect(readdirSync(broken).sort()).toEqual(['database', 'engine', 'files']);
  });

  it('that cannot be made is left to the caller, as the error of the file system', async () => {
    writeFileSync(join(home, 'file'), '');
    await expect(openStore(join(home, 'file', 'data'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });
});

describe('a database that this engine cannot open', () => {
  it('was made by another engine', async () => {
    const other = join(home, 'other');
    mkdirSync(join(other, 'database'), { recursive: true });
    expect(await refusal(other)).toContain('was made by an unknown engine');
    writeFileSync(join(other, 'engine'), 'PGlite 0.4 (PostgreSQL 17)\n');
    expect(await refusal(other)).toContain(
      `was made by PGlite 0.4 (PostgreSQL 17); this botctl has ${engine}`,
    );
    expect(readdirSync(other)).not.toContain('lock');
  });

  it.runIf(isLong)('has a schema of a newer version, or is damaged', async () => {
    const later = join(home, 'later');
    const store = await openStore(later);
    await sql`insert into kysely_migration (name, timestamp) values ('999_later', '')`.execute(store.db);
    await store.close();
    expect(await refusal(later)).toContain("was made by a newer botctl: this one doesn't know 999_later");

    truncateSync(join(later, 'database', 'global', 'pg_control'), 10);
    expect(await refusal(later)).toMatch(/can't be opened: The database stopped: .{5,200}$/);
    expect(readdirSync(later)).not.toContain('lock');
  });
});
