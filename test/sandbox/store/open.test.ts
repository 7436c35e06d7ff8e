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
import { hasNote, writeNote } from '../../../src/sandbox/store/note.ts';
import { openStore } from '../../../src/sandbox/store/open.ts';
import { DataInUse, isInUse } from '../../../src/sandbox/store/ownership.ts';
import type { Store } from '../../../src/sandbox/store/store.ts';
import { needing } from '../../support/needing.ts';
import { binary, start } from '../../support/process.ts';

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

const note = { url: 'http://127.0.0.1:1', token: 'secret', base_url: 'http://127.0.0.1:4010' };

describe('a data directory', () => {
  it('holds the database and the files, for one user', () => {
    expect(readdirSync(data).sort()).toEqual(['files', 'sandbox.db']);
    const modes = ['', 'sandbox.db', 'files'].map((name) => statSync(join(data, name)).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600, 0o700]);
  });

  it('belongs to one store at a time, and what it keeps is there at the next opening', async () => {
    const store = await openStore(data);
    expect(store.files).toBe(join(data, 'files'));
    expect(await kept(store)).toEqual(['first']);
    expect(isInUse(data)).toBe(true);
    writeNote(data, { ...note, pid: 12 });
    const refused = await openStore(data).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(DataInUse);
    expect(refused).toMatchObject({
      message: `The data directory ${data} is in use by the sandbox at ${note.base_url} (process 12).`,
    });
    await keep(store, 'second');
    const { signingKey } = store;
    await store.close();
    expect(isInUse(data)).toBe(false);
    const again = await openStore(data);
    // Of a process that was killed.
    expect(hasNote(data)).toBe(false);
    expect(await kept(again)).toEqual(['first', 'second']);
    expect(again.signingKey).toEqual(signingKey);
    await again.close();
  });

  it('is waited for while the sandbox on it ends', async () => {
    const store = await openStore(data);
    const next = openStore(data);
    setTimeout(() => void store.close(), 300);
    await (await next).close();
  });

  it('is refused to another process while a store has it', async () => {
    const store = await openStore(data);
    writeNote(data, { ...note, pid: process.pid });
    const other = start(['sandbox', 'start', '--port', '0', '--data', data]);
    expect(await other.ended).toBe(2);
    expect(other.output.stderr).toContain(`in use by the sandbox at ${note.base_url}`);
    expect(other.output.stderr).not.toContain('    at ');
    await store.close();
  });

  it(
    'is refused to a process of another PID namespace, and keeps what was acknowledged',
    needing('unshare with PID namespaces', hasNamespaces),
    async () => {
      const store = await openStore(data);
      writeNote(data, { ...note, pid: process.pid });
      const isolated = ['--pid', '--fork', '--mount-proc', process.execPath, binary];
      const other = spawnSync('unshare', [...isolated, 'sandbox', 'start', '--port', '0', '--data', data], {
        env: { PATH: process.env.PATH, BOTCTL_CONFIG_DIR: home },
        encoding: 'utf8',
      });
      expect(other.stderr).toContain(`in use by the sandbox at ${note.base_url}`);
      expect(other.status).toBe(2);
      await keep(store, 'third');
      await store.close();
      const again = await openStore(data);
      expect(await kept(again)).toContain('third');
      await again.close();
    },
  );

  it('is made whole if an earlier start broke off', async () => {
    const broken = join(home, 'broken');
    mkdirSync(broken);
    writeFileSync(join(broken, 'sandbox.db'), '');
    writeFileSync(join(broken, 'sandbox.log'), '');
    const store = await openStore(broken);
    expect(await kept(store)).toEqual([]);
    await store.close();
  });

  it('that cannot be made is left to the caller, as the error of the file system', async () => {
    writeFileSync(join(home, 'file'), '');
    await expect(openStore(join(home, 'file', 'data'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  it('is refused if it holds other files', async () => {
    const foreign = join(home, 'foreign');
    mkdirSync(foreign);
    writeFileSync(join(foreign, 'letter.txt'), '');
    expect(await refusal(foreign)).toContain('holds other things, such as letter.txt');
    expect(readdirSync(foreign)).toEqual(['letter.txt']);
  });
});

describe('a data directory that is damaged', () => {
  it.each(['is missing', 'is empty'])('because its database %s keeps its uploads', async (how) => {
    const directory = mkdtempSync(join(home, 'damaged-'));
    const upload = join(directory, 'files', 'a-team');
    mkdirSync(upload, { recursive: true });
    writeFileSync(join(directory, 'key.json'), '');
    if (how === 'is empty') writeFileSync(join(directory, 'sandbox.db'), '');
    expect(await refusal(directory)).toBe(
      `The data in ${directory} is damaged: sandbox.db ${how}. Nothing was changed.`,
    );
    expect(existsSync(upload)).toBe(true);
  });

  it('because its database is none names that', async () => {
    const directory = mkdtempSync(join(home, 'damaged-'));
    const file = join(directory, 'sandbox.db');
    const text = 'not a database '.repeat(1000);
    writeFileSync(file, text);
    expect(await refusal(directory)).toContain('is damaged: sandbox.db: file is not a database');
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('because a part of its database is missing names that', async () => {
    const directory = join(home, 'cut');
    await (await openStore(directory)).close();
    const file = join(directory, 'sandbox.db');
    truncateSync(file, statSync(file).size / 2);
    expect(await refusal(directory)).toContain(`The data in ${directory} is damaged`);
  });

  it('may be of a newer version', async () => {
    const later = join(home, 'later');
    const store = await openStore(later);
    await sql`insert into kysely_migration (name, timestamp) values ('999_later', '')`.execute(store.db);
    await store.close();
    expect(await refusal(later)).toContain('was made by a newer botctl: it has had the migration 999_later');
    expect(isInUse(later)).toBe(false);
  });
});

describe('a data directory of an earlier version, which kept it in PGlite', () => {
  it.each([
    ['PGlite 0.5 (PostgreSQL 18)', 'kept it in PGlite 0.5 (PostgreSQL 18).'],
    [undefined, 'kept it in PGlite.'],
  ])('is refused by name, and not touched: %s', async (engine, words) => {
    const earlier = mkdtempSync(join(home, 'earlier-'));
    mkdirSync(join(earlier, 'database'));
    writeFileSync(join(earlier, 'database', 'PG_VERSION'), '18\n');
    mkdirSync(join(earlier, 'files', 'a-team'), { recursive: true });
    if (engine !== undefined) writeFileSync(join(earlier, 'engine'), `${engine}\n`);
    const before = readdirSync(earlier, { recursive: true });
    const message = await refusal(earlier);
    expect(message).toContain(words);
    expect(message).toContain("can't be carried over");
    expect(readdirSync(earlier, { recursive: true })).toEqual(before);
  });
});
