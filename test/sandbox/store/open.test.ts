import {
  chmodSync,
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
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SandboxProblem } from '../../../src/sandbox/problem.ts';
import { hasControlFile, writeControlFile } from '../../../src/sandbox/store/control-file.ts';
import { openStore } from '../../../src/sandbox/store/open.ts';
import { isInUse } from '../../../src/sandbox/store/ownership.ts';
import type { Store } from '../../../src/sandbox/store/tables.ts';

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

/** Returns the message with which opening is refused; opened stores are closed. */
const refusal = async (directory: string): Promise<string> => {
  const outcome: unknown = await openStore(directory).then(
    (store) => store.close(),
    (error: unknown) => error,
  );
  expect(outcome).toMatchObject({ exitCode: 2, kind: 'invalidInput' });
  expect(outcome).toBeInstanceOf(SandboxProblem);
  return outcome instanceof Error ? outcome.message : '';
};

const note = { url: 'http://127.0.0.1:1', token: 'secret', base_url: 'http://127.0.0.1:4010' };

describe('a data directory', () => {
  it('holds the database and the files, for one user', () => {
    expect(readdirSync(data).sort()).toEqual(['files', 'sandbox.db']);
    const modes = ['', 'sandbox.db', 'files'].map((name) => statSync(join(data, name)).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600, 0o700]);
  });

  it('belongs to one store at a time, and is unchanged when it is opened again', async () => {
    const store = await openStore(data);
    expect(store.files).toBe(join(data, 'files'));
    expect(await kept(store)).toEqual(['first']);
    expect(isInUse(data)).toBe(true);
    writeControlFile(data, { ...note, pid: 12 });
    const refused = await openStore(data).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      message: expect.stringMatching(/4010 \(process 12\)/),
      problem: { code: 'dataInUse' },
    });
    await keep(store, 'second');
    const { signingKey } = store;
    await store.close();
    expect(isInUse(data)).toBe(false);
    const again = await openStore(data);
    // The control file of the killed process has been removed.
    expect(hasControlFile(data)).toBe(false);
    expect(await kept(again)).toEqual(['first', 'second']);
    expect(again.signingKey).toEqual(signingKey);
    await again.close();
  });

  it('is waited for while its store closes', async () => {
    const store = await openStore(data);
    const next = openStore(data);
    setTimeout(() => void store.close(), 300);
    await (await next).close();
  });

  it('is completed if an earlier start was interrupted', async () => {
    const broken = join(home, 'broken');
    mkdirSync(broken);
    writeFileSync(join(broken, 'sandbox.db'), '');
    writeFileSync(join(broken, 'sandbox.log'), '');
    const store = await openStore(broken);
    expect(await kept(store)).toEqual([]);
    await store.close();
  });

  it.each(['letter.txt', 'files/photos/a.jpg'])('is refused and unchanged if it holds %s', async (name) => {
    const foreign = mkdtempSync(join(home, 'foreign-'));
    mkdirSync(dirname(join(foreign, name)), { recursive: true });
    writeFileSync(join(foreign, name), 'mine');
    chmodSync(foreign, 0o755);
    expect(await refusal(foreign)).toContain('contains other files');
    expect(readFileSync(join(foreign, name), 'utf8')).toBe('mine');
    expect(statSync(foreign).mode & 0o777).toBe(0o755);
    expect(readdirSync(foreign)).toHaveLength(1);
  });
});

describe('a data directory that is damaged', () => {
  it.each(['is missing', 'is empty'])('is refused and keeps its uploads if its database %s', async (how) => {
    const directory = mkdtempSync(join(home, 'damaged-'));
    const upload = join(directory, 'files', 'a-team');
    mkdirSync(upload, { recursive: true });
    writeFileSync(join(directory, 'key.json'), '');
    if (how === 'is empty') writeFileSync(join(directory, 'sandbox.db'), '');
    expect(await refusal(directory)).toContain(`sandbox.db ${how}`);
    expect(existsSync(upload)).toBe(true);
  });

  it('is refused and not changed if its database is a different file', async () => {
    const directory = mkdtempSync(join(home, 'damaged-'));
    const file = join(directory, 'sandbox.db');
    const text = 'not a database '.repeat(1000);
    writeFileSync(file, text);
    expect(await refusal(directory)).toContain('is damaged: sandbox.db: file is not a database');
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('is refused if its database is truncated', async () => {
    const directory = join(home, 'cut');
    await (await openStore(directory)).close();
    const file = join(directory, 'sandbox.db');
    truncateSync(file, statSync(file).size / 2);
    expect(await refusal(directory)).toContain(`The data in ${directory} is damaged`);
  });

  it('is refused if a newer version created it', async () => {
    const later = join(home, 'later');
    const store = await openStore(later);
    await sql`insert into kysely_migration (name, timestamp) values ('999_later', '')`.execute(store.db);
    await store.close();
    expect(await refusal(later)).toContain('was written by a newer botctl (migration 999_later)');
    expect(isInUse(later)).toBe(false);
  });
});

describe('a data directory of an earlier version, which kept it in PGlite', () => {
  it('is refused by name, and not changed', async () => {
    const earlier = mkdtempSync(join(home, 'earlier-'));
    mkdirSync(join(earlier, 'database'));
    writeFileSync(join(earlier, 'database', 'PG_VERSION'), '18\n');
    mkdirSync(join(earlier, 'files', 'a-team'), { recursive: true });
    const before = readdirSync(earlier, { recursive: true });
    expect(await refusal(earlier)).toContain('PGlite');
    expect(readdirSync(earlier, { recursive: true })).toEqual(before);
  });
});
