import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { DatabaseError } from '../../src/database/error.ts';
import { passwordIn, withoutPassword } from '../../src/lib/database-address.ts';
import { Failure } from '../../src/lib/errors.ts';
import { type OutboundMessage, TakenMessages } from '../../src/sandbox/accepted-messages.ts';
import { openClock } from '../../src/sandbox/clock.ts';
import { removeOrphans } from '../../src/sandbox/document-files.ts';
import { ensureFirstKey } from '../../src/sandbox/first-key.ts';
import { problemSchema } from '../../src/sandbox/problem-facts.ts';
import { seed } from '../../src/sandbox/seed.ts';
import { settleEmails, sharesEmails } from '../../src/sandbox/store/emails.ts';
import { locks } from '../../src/sandbox/store/locks.ts';
import { openStore } from '../../src/sandbox/store/open.ts';
import type { Store } from '../../src/sandbox/store/tables.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { createDatabase, type TestDatabase } from '../support/database-server.ts';
import { eventually } from '../support/eventually.ts';
import { startRelay } from '../support/relay.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const database = async (encoding?: string): Promise<TestDatabase> => {
  const made = await createDatabase(encoding);
  closers.push(made.drop);
  return made;
};

const endSessions =
  'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()';

const aDocument = `insert into teams values (gen_random_uuid(), 'Acme', 'acme', 'pro', false, false, 1, 1, 1, 1, 1, 1, now(), now());
  insert into documents select gen_random_uuid(), id, 'a', 'a', 'txt', 1, 'file-a', 'txt', 1, now(), now() from teams`;

interface Place {
  readonly url: string;
  readonly data?: string;
  readonly files?: string;
}

const open = async ({
  url,
  data = join(temporaryDirectory(), 'data'),
  files = join(temporaryDirectory(), 'files'),
}: Place): Promise<Store> => {
  const whole = new URL(url);
  const password = new Secret(passwordIn(whole) ?? '');
  const server = { url: withoutPassword(whole), password, files };
  const store = await openStore(data, { server });
  closers.push(store.close);
  return store;
};

const refusal = async (place: Place): Promise<Failure> => {
  const outcome: unknown = await open(place).catch((error: unknown) => error);
  if (!(outcome instanceof Failure)) throw new Error('it was opened', { cause: outcome });
  return outcome;
};

const keep = ({ db }: Store, name: string) => db.insertInto('state').values({ name, value: '{}' }).execute();
const kept = async ({ db }: Store): Promise<readonly string[]> =>
  (await db.selectFrom('state').select('name').orderBy('name').execute()).map(({ name }) => name);

describe('a database on a server', () => {
  it('has its schema created once, also if several processes open it first', async () => {
    const { url } = await database();
    const files = join(temporaryDirectory(), 'files');
    const stores = await Promise.all([1, 2, 3, 4].map(() => open({ url, files })));
    const [first, second] = stores;
    if (!first || !second) throw new Error('there are no stores');
    expect(new Set(stores.map(({ signingKey }) => Buffer.from(signingKey).toString('hex'))).size).toBe(1);
    await keep(first, 'first');
    expect(await kept(second)).toEqual(['first']);
    expect(second).toMatchObject({ files: join(files, 'files'), isShared: true });
    expect(readdirSync(files)).toEqual(['database-id', 'files']);
  });

  it('limits the time of statements and locks', async () => {
    const { db } = await open({ url: (await database()).url });
    const settings = sql`select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`;
    expect((await settings.execute(db)).rows).toEqual([{ statement: '30s', lock: '10s' }]);
  });

  it('is used again after its server ended all sessions', async () => {
    const { url, run } = await database();
    const store = await open({ url });
    await keep(store, 'before');
    const held = store.db.transaction().execute(async (step) => {
      await run(endSessions);
      await sql`select 1`.execute(step);
    });
    await expect(held).rejects.toBeInstanceOf(DatabaseError);
    await eventually(async () => (await kept(store).catch((): string[] => [])).includes('before'));
  });

  /** Calls a function after each statement of a store. */
  const afterEachStatement = (store: Store, act: (statement: string) => unknown): Store => {
    const kinds = new WeakMap<object, string>();
    const db = store.db.withPlugin({
      transformQuery({ node, queryId }) {
        kinds.set(queryId, node.kind);
        return node;
      },
      async transformResult({ queryId, result }) {
        await act(kinds.get(queryId) ?? '');
        return result;
      },
    });
    return { ...store, db };
  };

  it('loses no file to a removal of orphans whose session ended', async () => {
    const { url, run } = await database();
    const store = await open({ url });
    const team = join(store.files, randomUUID());
    mkdirSync(team);
    writeFileSync(join(team, 'file_a.txt'), '');
    const ended = afterEachStatement(store, async (statement) => {
      if (statement === 'SelectQueryNode') await run(endSessions);
    });
    await expect(removeOrphans(ended)).rejects.toBeInstanceOf(DatabaseError);
    expect(readdirSync(team)).toEqual(['file_a.txt']);
    await removeOrphans(store);
    expect(readdirSync(store.files)).toEqual([]);
  });

  it('loses no file that another process is about to insert a row for', async () => {
    const { url } = await database();
    const files = join(temporaryDirectory(), 'files');
    const [store, other] = [await open({ url, files }), await open({ url, files })];
    const team = join(store.files, randomUUID());
    mkdirSync(team);
    writeFileSync(join(team, 'file_a.txt'), '');
    await other.db.transaction().execute(async (step) => {
      await other.shareLock(step, locks.files);
      await removeOrphans(store);
      expect(readdirSync(team)).toEqual(['file_a.txt']);
    });
    await removeOrphans(store);
    expect(readdirSync(store.files)).toEqual([]);
  });

  it('lets a process start with --shared-emails during a long transaction', async () => {
    const { url } = await database();
    const files = join(temporaryDirectory(), 'files');
    const [store, other] = [await open({ url, files }), await open({ url, files })];
    await other.db.transaction().execute(async (step) => {
      await other.shareLock(step, locks.rows);
      await settleEmails(store, { sharedEmails: true, data: 'unused', server: { url: new URL(url), files } });
    });
    expect(await sharesEmails(other.db)).toBe(true);
  });

  it('cannot be emptied between the insert of a first key and of its mark', async () => {
    const { url, run } = await database();
    const store = await open({ url });
    const free: unknown[] = [];
    const heard = afterEachStatement(store, async (statement) => {
      if (statement !== 'InsertQueryNode') return;
      const [row] = await run(`select pg_try_advisory_xact_lock(${0x626f7463}, 6) as free`);
      free.push(row);
    });
    const clock = await openClock(store, Date.now);
    const { keyId } = await ensureFirstKey(heard, clock, temporaryDirectory(), {});
    expect(free).toEqual([{ free: false }, { free: false }]);
    expect(await run('select key_id from first_keys')).toEqual([{ key_id: keyId }]);
  });

  it('receives a statement for every few files that a seed writes, so that its session stays alive', async () => {
    const { url } = await database();
    const store = await open({ url });
    const steps: number[] = [];
    let before = 0;
    const heard = afterEachStatement(store, () => {
      const files = readdirSync(store.files, { recursive: true }).length;
      steps.push(files - before);
      before = files;
    });
    const clock = await openClock(store, Date.now);
    await seed({ store: heard, clock }, { teams: 1, bots: 0, documents: 100 });
    expect(before).toBe(101);
    expect(Math.max(...steps)).toBeLessThanOrEqual(33);
  });

  it.each([
    ['it does not exist', '/no_such_database', 'no_such_database'],
    ['the user is unknown', '', 'nobody_knows'],
  ])('is refused if %s', async (why, path, words) => {
    const url = new URL((await database()).url);
    if (path) url.pathname = path;
    if (why === 'the user is unknown') url.username = 'nobody_knows';
    const failure = await refusal({ url: url.href });
    expect(failure).toMatchObject({ exitCode: 2, kind: 'invalidInput' });
    expect(failure.message).toContain(words);
  });

  it('is refused and unchanged if it has other tables', async () => {
    const { url, run } = await database();
    await run('create table invoices (id int)');
    expect((await refusal({ url })).message).toContain('invoices');
    await run(
      "drop table invoices; create table kysely_migration (name text); insert into kysely_migration values ('theirs')",
    );
    expect((await refusal({ url })).message).toContain('kysely_migration');
    expect(await run(`select relname from pg_class where relnamespace = 'public'::regnamespace`)).toEqual([
      { relname: 'kysely_migration' },
    ]);
  });

  it('is opened if it has only extensions or the rest of an interrupted start', async () => {
    const { url, run } = await database();
    await run(
      'create extension pg_trgm; create table kysely_migration_lock (id text primary key, is_locked int not null default 0)',
    );
    await run(
      'create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)',
    );
    expect(await kept(await open({ url }))).toEqual([]);
  });

  it('is refused if a newer botctl created it', async () => {
    const { url, run } = await database();
    await open({ url });
    await run(`insert into kysely_migration values ('999_later', '')`);
    expect(await refusal({ url })).toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('999_later'),
    });
  });

  it('is refused and unchanged on an older server', async () => {
    const { url, run } = await database();
    const [row] = await run(`select current_setting('server_version_num') as number`);
    const number = String(row?.number);
    const old = new URL(url);
    const older = (text: string) => text.replaceAll(number, `14${number.slice(2)}`);
    old.port = String((await startRelay(new URL(url), older)).port);
    const failure = await refusal({ url: old.href });
    expect(failure).toMatchObject({ exitCode: 2, kind: 'invalidInput' });
    expect(failure.message).toContain('15 or newer');
    expect(await run(`select from pg_class where relnamespace = 'public'::regnamespace`)).toEqual([]);
  });

  it('is refused in another encoding', async () => {
    const { url } = await database("encoding 'LATIN1' locale 'C'");
    expect((await refusal({ url })).message).toContain('LATIN1');
  });

  it('is refused to a user without privileges, with the required grant', async () => {
    const { url, run } = await database();
    const role = `botctl_weak_${new URL(url).pathname.slice(-12)}`;
    await run(`create role ${role} login`);
    closers.push(() => run(`drop role ${role}`));
    const weak = new URL(url);
    weak.username = role;
    const failure = await refusal({ url: weak.href });
    expect(failure).toMatchObject({ exitCode: 2 });
    expect(String(failure.hint)).toContain('grant usage, create on schema public');
    await run(`grant create on schema public to ${role}`);
    expect(await kept(await open({ url: weak.href }))).toEqual([]);
    closers.push(() => run(`drop owned by ${role}`));
  });
});

describe('messages of two services on one database', () => {
  const device = '00000000-0000-4000-8000-000000000001';
  const message = (text: string): OutboundMessage => ({
    device_id: device,
    destination_number: '5511999990000',
    message: text,
    send_as_audio: false,
    ai_generates_message: false,
    image_url: null,
    image_mime_type: null,
    request_id: text,
  });

  /** Opens two services that share a device. */
  const two = async () => {
    const { url, run } = await database();
    const files = join(temporaryDirectory(), 'files');
    const [one, other] = [await open({ url, files }), await open({ url, files })];
    await run(`insert into teams values ('${device}', 'Acme', 'acme', 'pro', false, false, 1, 1, 1, 1, 1, 1, now(), now());
      insert into bots (id, team_id, name, name_folded, role, description, provider_id, instructions, temperature, allow_human,
        use_audio_responses, allow_user_audio_requests, capture_payments, break_lines, questions, actions, created_at,
        updated_at) select id, id, 'Desk', 'desk', 'dynamic', '', '', '', 1, false, false, false, false, false, '[]', '[]', now(),
        now() from teams;
      insert into devices (id, team_id, bot_id, name, status, connected, logged_in, blocked, token, created_at,
        updated_at) select id, id, id, 'Till', 'started', true, true, false, '', now(), now() from teams`);
    const clock = await openClock(one, Date.now);
    const messagesOf = (store: Store) => new TakenMessages(store, clock);
    return { one, other, messagesOf, run };
  };

  it('become visible in the order of their numbers, so that a reader misses none', async () => {
    const { one, other, messagesOf, run } = await two();
    const reader = messagesOf(other);
    let later: Promise<void> | undefined;
    const before = await one.db.transaction().execute(async (step) => {
      await one.lock(step, locks.messages);
      const row = {
        id: randomUUID(),
        device_id: device,
        destination_number: '5511999990000',
        message: 'first',
      };
      const flags = {
        send_as_audio: false,
        ai_generates_message: false,
        image_url: null,
        image_mime_type: null,
      };
      const rest = { created_at: new Date(), request_id: 'first' };
      await step
        .insertInto('messages')
        .values({ ...row, ...flags, ...rest })
        .execute();
      later = messagesOf(other).add(message('second'));
      const waits = async () => {
        const waiting = await run(`select from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`);
        return waiting.length > 0;
      };
      await Promise.race([later, eventually(waits)]);
      return reader.read({ limit: 10 });
    });
    await later;
    const behind = await reader.read({ limit: 10, after: before.cursor });
    expect([...before.rows, ...behind.rows].map((row) => row.message)).toEqual(['first', 'second']);
  });

  it('end the wait of a reader at another service', async () => {
    const { one, other, messagesOf } = await two();
    const reader = messagesOf(other);
    const arrival = reader.arrival(new AbortController().signal);
    await messagesOf(one).add(message('first'));
    await arrival;
    expect((await reader.read({ limit: 10 })).rows).toHaveLength(1);
  });
});

describe('the directory of the files', () => {
  it('is refused if it belongs to another database or holds other files', async () => {
    const [one, other] = [await database(), await database()];
    const files = join(temporaryDirectory(), 'files');
    await open({ url: one.url, files });
    expect((await refusal({ url: other.url, files })).message).toContain('different database');
    const foreign = temporaryDirectory();
    writeFileSync(join(foreign, 'letter.txt'), 'Dear');
    expect((await refusal({ url: other.url, files: foreign })).message).toContain('letter.txt');
    expect(readFileSync(join(foreign, 'letter.txt'), 'utf8')).toBe('Dear');
  });

  it('is refused to a copy of its database until its mark is changed by hand', async () => {
    const [one, other] = [await database(), await database()];
    const files = join(temporaryDirectory(), 'files');
    const first = await open({ url: one.url, files });
    await one.run(aDocument);
    await first.db.destroy();
    const name = `${new URL(one.url).pathname.slice(1)}_copy`;
    // Sessions on the copied database may take a moment to end.
    const copying = `create database ${name} template ${name.slice(0, -5)}`;
    await eventually(() =>
      other.run(copying).then(
        () => true,
        () => false,
      ),
    );
    closers.push(() => other.run(`drop database ${name} with (force)`));
    const copy = new URL(one.url);
    copy.pathname = `/${name}`;
    const failure = await refusal({ url: copy.href, files });
    expect(failure.message).toContain('different database');
    await open({ url: one.url, files });
    const { problem } = z.parse(z.object({ problem: problemSchema }), failure);
    if (problem.code !== 'filesOfOtherDatabase' || !problem.database) throw new Error(problem.code);
    const { id, mark } = problem.database;
    expect(mark).toBe(join(files, 'database-id'));
    writeFileSync(mark, `${id}\n`);
    await open({ url: copy.href, files });
    expect((await refusal({ url: one.url, files })).message).toContain('different database');
  });

  it('is refused if it lacks the files of documents', async () => {
    const { url, run } = await database();
    await open({ url });
    await run(aDocument);
    expect((await refusal({ url })).message).toContain('does not have the files');
  });
});
