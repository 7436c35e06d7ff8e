import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { isId } from '../../src/lib/ids.ts';
import { callControl } from '../../src/sandbox/control/client.ts';
import { botctl, temporaryDirectory } from '../support/botctl.ts';
import type { TestDatabase } from '../support/database-server.ts';
import { createDesk } from '../support/desk.ts';
import { cuttableDatabase } from '../support/desk-machine.ts';
import { readerOf } from '../support/desk-roles.ts';
import { openDirect } from '../support/direct.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { useSandbox } from '../support/sandbox.ts';
import { databaseOf, runAt } from '../support/statements.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);
let team = '';
let bot = '';

beforeEach(async () => {
  team = await service.team('Aurora Coffee');
  bot = await service.createBot(team, 'Front desk');
});

/** Returns a machine of a desk: its own home, and the shared database. */
function machine(database: string) {
  const home = temporaryDirectory();
  const env = { ...sandbox.env, BOTCTL_CONFIG_DIR: home, BOTCTL_DESK_DATABASE: database };
  return {
    home,
    env,
    run: (args: readonly string[], more: object = {}) => botctl(args, { env, ...more }),
    names: async () => {
      const { stdout } = await botctl(['device', 'list', '-o', 'json', '--fields', 'name'], { env });
      return JSON.parse(stdout).map(({ name }: { name: string }) => name);
    },
    /** Returns the directory of the copy. */
    copy: () => {
      const desks = join(home, 'data', 'desks');
      return join(desks, readdirSync(desks).find((name) => !name.includes('.')) ?? '');
    },
  };
}

const create = (name: string) => ['device', 'create', name, '--bot', bot, '--discard-token', '-o', 'id'];

describe('a device book that machines share', () => {
  it('shows a device that another machine created, and no forgotten one', async () => {
    const database = await createDesk();
    const [ana, bruno] = [machine(database.url), machine(database.url)];
    const created = await ana.run(create('Reception'));
    expect(created, created.stderr).toMatchObject({ exitCode: 0 });
    expect(await bruno.names()).toEqual(['Reception']);
    const forgot = await bruno.run(['device', 'forget', 'Reception', '--yes']);
    expect(forgot, forgot.stderr).toMatchObject({ exitCode: 0 });
    expect(await ana.names()).toEqual([]);
  });

  it('keeps a forgotten device out on every machine until one of them adds it again', async () => {
    const database = await createDesk();
    const [ana, bruno] = [machine(database.url), machine(database.url)];
    const id = (await ana.run(create('Reception'))).stdout.trim();
    const file = join(ana.home, 'devices.json');
    writeFileSync(file, (await ana.run(['device', 'export'])).stdout);
    await ana.run(['device', 'forget', id, '--yes']);
    await bruno.run(['device', 'status', id]);
    const left = await bruno.run(['device', 'import', file, '-o', 'json']);
    expect(JSON.parse(left.stdout), left.stderr).toMatchObject({ added: 0, forgotten: 1 });
    expect(await bruno.names()).toEqual([]);
    const added = await bruno.run(['device', 'add', id, '--name', 'Lobby']);
    expect(added, added.stderr).toMatchObject({ exitCode: 0 });
    expect(await ana.names()).toEqual(['Lobby']);
    await ana.run(['device', 'forget', id, '--yes']);
    await bruno.run(['device', 'import', file, '--restore']);
    expect(await ana.names()).toEqual(['Reception']);
  });

  it('sends through no device whose name another user moved, until the user confirms it', async () => {
    const database = await createDesk();
    const [ana, bruno] = [machine(database.url), machine(database.url)];
    const send = (device: string) => ['send', device, '+5511988887777', 'Hello', '--debug'];
    const first = (await ana.run(create('Reception'))).stdout.trim();
    await bruno.run(['device', 'status', 'Reception']);
    const asked = await ana.run(['device', 'forget', 'Reception']);
    expect(asked.stderr).toContain('All users of the desk lose it from their device book.');
    await ana.run(['device', 'forget', 'Reception', '--yes']);
    const gone = await bruno.run(send('Reception'));
    expect(gone.exitCode).toBe(5);
    expect(gone.stderr.replace(/\s+/g, ' ')).toMatch(
      new RegExp(
        `It was the name of device ${first}, forgotten by \\S+@\\S+ .*botctl device add ${first} --name Reception`,
      ),
    );
    // A machine that never used the name reads it in the records of the desk.
    const unused = await machine(database.url).run(['device', 'status', 'Reception', 'Other']);
    expect(unused.stderr.replace(/\s+/g, ' ')).toMatch(
      new RegExp(`It was the name of device ${first}, forgotten by \\S+@\\S+`),
    );
    const second = (await ana.run(create('Reception'))).stdout.trim();
    expect((await ana.run(['device', 'status', 'Reception'])).exitCode).toBe(0);
    const refused = await bruno.run([...send('Reception'), '--yes']);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    const said = refused.stderr.replace(/\s+/g, ' ');
    expect(said).toMatch(
      /"Reception" now means another device, last changed by \S+@\S+ (just now|\d+ seconds? ago)\./,
    );
    expect(said).toContain(`It now means ${second}, and meant ${first}`);
    expect(said).toMatch(/forgotten by \S+@\S+ (just now|\d+ seconds? ago)/);
    expect(said).not.toContain('POST');
    const sent = await bruno.run(send(second));
    expect(sent.stderr).toContain('POST');
    expect((await bruno.run(send('Reception'))).stderr).toContain('POST');
  });

  it('keeps one of two concurrent creates of a name', async () => {
    const database = await createDesk();
    const machines = Array.from({ length: 8 }, () => machine(database.url));
    const ran = await Promise.all(machines.map(({ run }) => run([...create('Counter'), '--if-absent'])));
    const ids = new Set(ran.filter(({ exitCode }) => exitCode === 0).map(({ stdout }) => stdout.trim()));
    expect(ids.size).toBe(1);
    expect(await machines[0]?.names()).toEqual(['Counter']);
  });

  it('stores no token, code or secret', async () => {
    const database = await createDesk();
    const ana = machine(database.url);
    const { stdout } = await ana.run([
      'device',
      'create',
      'Till',
      '--bot',
      bot,
      '--show-token',
      '-o',
      'json',
    ]);
    const { token, id } = JSON.parse(stdout);
    await ana.run(['device', 'connect', id, '--no-wait']);
    const rows = JSON.stringify(await database.run('select * from book_records'));
    expect(rows).toContain(id);
    expect(rows).not.toContain(token);
    expect(rows).not.toContain(sandbox.keySecret.reveal());
  });

  it('skips invalid rows and sanitizes hostile ones', async () => {
    const database = await createDesk();
    const ana = machine(database.url);
    const { origin } = new URL(sandbox.baseUrl);
    for (const record of [
      { id: 7, seen_at: [] },
      { id: randomUUID(), seen_at: '2026-01-01T00:00:00Z', name: '\u001b]0;evil\u0007\u202Egnp' },
    ])
      await database.run(
        `insert into book_records (id, origin, record, actor, host) values ('${randomUUID()}', '${origin}', '${JSON.stringify(record)}', e'\\x1b[31mAna', 'x')`,
      );
    const listed = await ana.run(['device', 'list']);
    expect(listed, listed.stderr).toMatchObject({ exitCode: 0 });
    expect(listed.stdout).not.toMatch(/[\u001b\u0007\u202e]/);
    expect(JSON.parse((await ana.run(['device', 'list', '-o', 'json'])).stdout)).toHaveLength(1);
  });
});

describe('the device book of an unavailable database', () => {
  it('is read from the copy, whose age is reported, and receives the records of the meantime later', async () => {
    const database = await createDesk();
    const way = await cuttableDatabase(database.url);
    const [ana, bruno] = [machine(way.url), machine(database.url)];
    await bruno.run(create('Reception'));
    expect(await ana.names()).toEqual(['Reception']);
    way.cut();
    const clock = new FakeClock({ now: Date.now() + 12 * 60_000 });
    const listed = await ana.run(['device', 'list', '-o', 'id'], { clock });
    expect(listed.stdout.trim()).not.toBe('');
    expect(listed.stderr).toContain('12 minutes ago');
    const made = await ana.run(create('Counter'));
    expect(made, made.stderr).toMatchObject({ exitCode: 0 });
    expect(await ana.names()).toEqual(['Reception', 'Counter']);
    expect(await bruno.names()).toEqual(['Reception']);
    way.mend();
    const after = await ana.run(['device', 'list', '-o', 'id']);
    expect(after.stdout.trim().split('\n')).toHaveLength(2);
    expect(after.stderr).toContain('queued change');
    expect(await bruno.names()).toEqual(['Reception', 'Counter']);
    expect(readFileSync(join(ana.copy(), 'outbox.ndjson'), 'utf8')).toBe('');
  });

  it('exits with code 8 without a copy, and reports that', async () => {
    const database = await createDesk();
    const way = await cuttableDatabase(database.url);
    way.cut();
    const ran = await machine(way.url).run(['device', 'list']);
    expect(ran).toMatchObject({ exitCode: 8, stdout: '' });
    expect(ran.stderr).toContain('no copy');
  });

  it('refuses a queued change of a device that another user changed meanwhile, and names that user', async () => {
    const database = await createDesk();
    const way = await cuttableDatabase(database.url);
    const [ana, bruno] = [machine(way.url), machine(database.url)];
    const id = (await bruno.run(create('Reception'))).stdout.trim();
    await ana.names();
    way.cut();
    const renamed = await ana.run(['device', 'add', id, '--name', 'Entrance']);
    expect(renamed, renamed.stderr).toMatchObject({ exitCode: 0 });
    await bruno.run(['device', 'add', id, '--name', 'Lobby']);
    way.mend();
    const { stderr } = await ana.run(['device', 'list']);
    expect(stderr).toContain('changed the device meanwhile');
    expect(await ana.names()).toEqual(['Lobby']);
    expect(readFileSync(join(ana.copy(), 'outbox.ndjson'), 'utf8')).toContain('"refused"');
    // It is reported once.
    expect((await ana.run(['device', 'list'])).stderr).not.toContain('changed the device meanwhile');
  });

  it('refuses a queued change of a read-only user, and shows the stored device', async () => {
    const database = await createDesk();
    const way = await cuttableDatabase(database.url);
    const id = (await machine(database.url).run(create('Reception'))).stdout.trim();
    const lia = machine(await readerOf({ url: way.url, run: database.run }));
    expect(await lia.names()).toEqual(['Reception']);
    way.cut();
    await lia.run(['device', 'forget', id, '--yes']);
    expect(await lia.names()).toEqual([]);
    way.mend();
    const { stderr } = await lia.run(['device', 'list']);
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /1 change of this machine was refused\. Forget Reception, at .*can only read\. To see all: botctl desk status/,
    );
    expect(await lia.names()).toEqual(['Reception']);
    expect((await lia.run(['device', 'list'])).stderr).toContain('1 change of this machine was refused');
  });

  it('accepts several changes of one device, which do not conflict with each other', async () => {
    const database = await createDesk();
    const way = await cuttableDatabase(database.url);
    const ana = machine(way.url);
    const id = (await ana.run(create('Reception'))).stdout.trim();
    way.cut();
    for (const name of ['Entrance', 'Lobby'])
      expect(await ana.run(['device', 'add', id, '--name', name])).toMatchObject({ exitCode: 0 });
    way.mend();
    const { stderr } = await ana.run(['device', 'list']);
    expect(stderr).toContain('Sent 2 queued changes');
    expect(stderr).not.toContain('was refused');
    expect(await machine(database.url).names()).toEqual(['Lobby']);
  });

  it.each([
    ['57014', ['Reception', 'Till'], ['Counter', 'Lobby'], 'Sent 3 queued changes'],
    ['P0001', ['Counter', 'Entrance'], ['Counter', 'Entrance'], ''],
  ])('accepts all queued changes except those that it refuses: %s', async (code, during, after, said) => {
    const database = await createDesk();
    const way = await cuttableDatabase(database.url);
    const ana = machine(way.url);
    const id = (await ana.run(create('Reception'))).stdout.trim();
    const till = (await ana.run(create('Till'))).stdout.trim();
    way.cut();
    for (const name of ['Entrance', 'Lobby']) await ana.run(['device', 'add', id, '--name', name]);
    await ana.run(['device', 'add', till, '--name', 'Counter']);
    way.mend();
    await database.run(`create function fail() returns trigger language plpgsql as $$ begin
        if new.record ->> 'name' = 'Lobby' then raise exception 'no' using errcode = '${code}'; end if; return new; end $$;
      create trigger fail before insert on book_records for each row execute function fail()`);
    const names = async () => (await machine(database.url).names()).toSorted();
    const first = await ana.run(['device', 'list']);
    expect(first.stderr.includes('the database refuses it')).toBe(code === 'P0001');
    expect(await names()).toEqual(during);
    await database.run('drop trigger fail on book_records');
    const { stderr } = await ana.run(['device', 'list']);
    expect(stderr).toContain(said);
    // The reason is reported once.
    expect(stderr).not.toContain('the database refuses it');
    expect(await names()).toEqual(after);
  });

  it('accepts a change once if the response to its commit was lost', async () => {
    const database = await createDesk();
    const way = await cuttableDatabase(database.url);
    const ana = machine(way.url);
    await ana.run(create('Reception'));
    way.cutAfter('commit');
    const made = await ana.run(create('Counter'));
    expect(made.exitCode).toBe(0);
    way.mend();
    expect(await ana.names()).toEqual(['Reception', 'Counter']);
    const rows = await database.run(
      "select id from book_records where record ->> 'name' = 'Counter' and record ? 'id'",
    );
    expect(rows).toHaveLength(1);
    expect(readFileSync(join(ana.copy(), 'outbox.ndjson'), 'utf8')).toBe('');
  });
});

describe('the device book of an overloaded database', () => {
  it('is read from the copy, and receives the records of the meantime later', async () => {
    const database = await createDesk();
    const ana = machine(database.url);
    const id = (await ana.run(create('Reception'))).stdout.trim();
    await ana.run(['device', 'history', id]);
    const release = await database.hold('lock table book_records, history');
    try {
      for (const args of [['list'], ['status', id], ['history', id]]) {
        const read = await ana.run(['device', ...args, '-o', 'json']);
        expect(read, read.stderr).toMatchObject({ exitCode: 0 });
        expect(read.stdout).toContain(id);
        expect(read.stderr).toMatch(/is away .*time limit.* shows its copy/s);
      }
      const renamed = await ana.run(['device', 'add', id, '--name', 'Lobby', '--offline']);
      expect(renamed, renamed.stderr).toMatchObject({ exitCode: 0 });
      // A change that could not be applied in time is not refused.
      expect((await ana.run(['device', 'list'])).stdout).toContain('Lobby');
    } finally {
      await release();
    }
    expect((await ana.run(['device', 'list'])).stderr).toContain('queued change');
    expect(await machine(database.url).names()).toEqual(['Lobby']);
  });
});

describe('the device book of a read-only database', () => {
  const alter = ({ url }: TestDatabase, what: string) =>
    runAt(databaseOf(url, 'postgres'), `alter database ${new URL(url).pathname.slice(1)} ${what}`);

  it('is read as from a standby, and receives the records of the meantime later', async () => {
    const database = await createDesk();
    const ana = machine(database.url);
    const id = (await ana.run(create('Reception'))).stdout.trim();
    await alter(database, 'set default_transaction_read_only = on');
    const connected = await ana.run(['device', 'connect', id, '--no-wait']);
    expect(connected.stderr).toMatch(/be written at the moment.* changes wait in/s);
    const renamed = await ana.run(['device', 'add', id, '--name', 'Lobby', '--offline']);
    expect(renamed, renamed.stderr).toMatchObject({ exitCode: 0 });
    const listed = await ana.run(['device', 'list', '-o', 'id']);
    expect(listed).toMatchObject({ exitCode: 0, stderr: '' });
    await alter(database, 'reset default_transaction_read_only');
    expect((await ana.run(['device', 'list'])).stderr).toContain('queued change');
    expect(await machine(database.url).names()).toEqual(['Lobby']);
    expect(await database.run("select event from history where event = 'connect'")).toHaveLength(1);
  });

  it('refuses each change of a user whose own settings are read-only', async () => {
    const database = await createDesk();
    const id = (await machine(database.url).run(create('Reception'))).stdout.trim();
    const url = new URL(database.url);
    url.searchParams.set('options', '-cdefault_transaction_read_only=on');
    const ana = machine(url.href);
    const renamed = await ana.run(['device', 'add', id, '--name', 'Lobby', '--offline']);
    expect(renamed.exitCode).not.toBe(0);
    expect(await ana.names()).toEqual(['Reception']);
    expect(existsSync(join(ana.copy(), 'outbox.ndjson'))).toBe(false);
  });
});

describe('the device book of a database that fails between a create and its response', () => {
  it.each([
    ['is busy', 'select pg_advisory_xact_lock(1651471459, 10)', 'changes wait in'],
    ['lacks a table', 'alter table book_records rename to other; commit; begin', 'Keep this id: '],
  ])('does not lose the id of the device: %s', async (_case, statement, said) => {
    const database = await createDesk();
    const ana = machine(database.url);
    const late = { target: 'createDevice', delay: 3000, times: 1 };
    await callControl(sandbox.control, '/fault/add', late);
    const creating = ana.run(create('Late'));
    await eventually(async () => (await database.run('select from book_records')).length > 0);
    const release = await database.hold(statement);
    const created = await creating;
    await release();
    expect(created, created.stderr).toMatchObject({ exitCode: 0 });
    expect(isId(created.stdout.trim())).toBe(true);
    expect(created.stderr).toContain(said);
    if (said === 'changes wait in') {
      await ana.names();
      expect(await machine(database.url).names()).toEqual(['Late']);
    } else expect(created.stderr).toContain(created.stdout.trim());
  });
});

describe('the device book of a restored database', () => {
  it('receives only what the copies have and it lacks', async () => {
    const database = await createDesk();
    const [ana, bruno] = [machine(database.url), machine(database.url)];
    await ana.run(create('Reception'));
    const { length } = await database.run('select 1 from book_records');
    await ana.run(create('Counter'));
    await database.run(`update book_records set actor = 'Ana', host = 'front-1' where place > ${length}`);
    await bruno.names();
    await database.run(`delete from book_records where place > ${length}`);
    await database.run(`alter table book_records alter column place restart with ${length + 1}`);
    const { stderr } = await bruno.run(create('Till'));
    expect(stderr).toContain('was restored from a backup');
    await bruno.names();
    expect(new Set(await ana.names())).toEqual(new Set(['Reception', 'Counter', 'Till']));
    expect(new Set(await bruno.names())).toEqual(new Set(['Reception', 'Counter', 'Till']));
    const authors = await database.run(
      "select distinct actor, host from book_records where record ->> 'name' = 'Counter' and actor = 'Ana'",
    );
    expect(authors).toEqual([{ actor: 'Ana', host: 'front-1' }]);
  });

  it('is distinguished from another desk at the same address, whose copy is set aside', async () => {
    const database = await createDesk();
    const ana = machine(database.url);
    await ana.run(create('Reception'));
    await database.run('delete from book_records');
    await database.run('update desk set id = gen_random_uuid()');
    const { stderr } = await ana.run(['device', 'list']);
    expect(stderr).toContain('is a different desk now');
    expect(await ana.names()).toEqual([]);
  });
});

it.each([
  ['forget', ['device', 'forget', 'Reception', '--yes']],
  ['add', ['device', 'add', '5b0f7d4a-9c1e-4c47-9d2e-0c8b1f6a3e52', '--name', 'Lobby', '--offline']],
  ['import', ['device', 'import', '-']],
])('device %s fails for a read-only user, and names the privilege', async (_verb, line) => {
  const database = await createDesk();
  const ana = machine(database.url);
  await ana.run(create('Reception'));
  // The devices of another machine.
  const other = await ana.run(['device', 'export']);
  const stdin = other.stdout.replaceAll(/"id": ?"[^"]*"/g, `"id":"${randomUUID()}"`);
  const reader = machine(await readerOf(database));
  const ran = await reader.run(line, { stdin });
  expect(ran, ran.stderr).toMatchObject({ exitCode: 2, stdout: '' });
  expect(ran.stderr).toContain('permission denied for table book_records');
  expect(ran.stderr).toContain('botctl help desk');
  expect(ran.stderr).not.toContain(reader.home);
  expect(await ana.names()).toEqual(['Reception']);
});

it('a device that a read-only user creates is not lost', async () => {
  const database = await createDesk();
  const ran = await machine(await readerOf(database)).run(create('Reception'));
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  expect(ran.stderr).toContain(`Keep this id: ${ran.stdout.trim()}`);
  expect(ran.stderr).toContain('botctl help desk');
});

it('a copy with a truncated last line is completed', async () => {
  const database = await createDesk();
  const [ana, bruno] = [machine(database.url), machine(database.url)];
  await ana.run(create('Reception'));
  await ana.names();
  appendFileSync(join(ana.copy(), 'book.ndjson'), '{"origin":"http');
  await bruno.run(create('Counter'));
  expect(await ana.names()).toEqual(['Reception', 'Counter']);
  expect(existsSync(join(ana.copy(), 'outbox.ndjson'))).toBe(false);
});

it('a copy that cannot be written is a failure, and no device is reported as unknown', async () => {
  const database = await createDesk();
  const [ana, bruno] = [machine(database.url), machine(database.url)];
  await bruno.run(create('Reception'));
  await ana.run(['device', 'list']);
  rmSync(join(ana.copy(), 'book.ndjson'));
  mkdirSync(join(ana.copy(), 'book.ndjson'));
  const ran = await ana.run(['device', 'status', 'Reception']);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 2, stdout: '' });
  expect(ran.stderr).toContain("can't be written");
});
