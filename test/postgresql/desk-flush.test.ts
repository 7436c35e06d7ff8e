import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import type { KyselyPlugin } from 'kysely';
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { bookEvents } from '../../src/desk/book-events.ts';
import { connectDesk } from '../../src/desk/connect.ts';
import { deskFiles } from '../../src/desk/desk-files.ts';
import { createDeviceBook, type DeviceBook } from '../../src/desk/device-book.ts';
import { foldRecords } from '../../src/desk/device-book-lines.ts';
import { flushOutbox } from '../../src/desk/flush-outbox.ts';
import { insertRecords } from '../../src/desk/insert-rows.ts';
import { sharedLog } from '../../src/desk/shared-book.ts';
import { SharedDesk } from '../../src/desk/shared-desk.ts';
import type { Reporter } from '../../src/lib/reporter.ts';
import { remarkText } from '../../src/lib/text/remark.ts';
import { temporaryDirectory } from '../support/botctl.ts';
import { createDesk } from '../support/desk.ts';
import { cuttableDatabase } from '../support/desk-machine.ts';

it('sends 200 queued events of 200 devices with a few statements', async () => {
  const database = await createDesk();
  const url = new URL(database.url);
  const connected = await connectDesk(
    { url, password: undefined },
    { patience: 'brief', warn: () => undefined },
  );
  let statements = 0;
  const counting: KyselyPlugin = {
    transformQuery({ node }) {
      statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const desk = { ...connected, db: connected.db.withPlugin(counting) };
  const { copy, outbox } = deskFiles(temporaryDirectory(), url, new AbortController().signal);
  await outbox.add(
    ...Array.from({ length: 200 }, () => ({
      kind: 'event' as const,
      id: randomUUID(),
      at: new Date().toISOString(),
      event: { origin: 'https://a.example', device: randomUUID(), event: 'connected' },
    })),
  );
  const context = { copy, outbox, actor: { by: 'Ana', host: 'front-1' }, pull: async () => undefined };
  expect(await flushOutbox(desk, context, Date.now)).toEqual({ added: 200, refused: [] });
  expect(statements).toBeLessThan(10);
  expect(outbox.entries()).toEqual([]);
  await connected.close();
});

const origin = 'https://a.example';

/** Opens a desk as a machine with files of its own. */
function machineOf(url: string, warn: Reporter['warn'] = () => undefined): SharedDesk {
  return new SharedDesk({
    address: { url: new URL(url), password: undefined },
    data: temporaryDirectory(),
    actor: { by: 'Ana', host: 'front-1' },
    clock: { now: Date.now },
    signal: new AbortController().signal,
    reporter: { warn, note: warn },
  });
}

it('keeps a queued change newer than the entries that a restored database lost', async () => {
  const database = await createDesk();
  const [ana, bruno] = [machineOf(database.url), machineOf(database.url)];
  const device = randomUUID();
  const record = (name: string) => ({ origin, id: device, name, seen_at: new Date().toISOString() });
  const old = { id: randomUUID(), record: record('Old'), actor: { by: 'Bruno', host: 'desk-2' } };
  await ana.use(async ({ db }) => {
    await insertRecords(db, [old]);
    await ana.pull(db);
  });
  const [added] = bookEvents(ana.copy.text(), origin);
  await database.run('delete from book_records');
  await database.run('alter table book_records alter column place restart with 1');
  const seen = ana.copy.end().place;
  const at = new Date().toISOString();
  await ana.outbox.add({ kind: 'record', id: randomUUID(), at, seen, record: record('New') });
  await ana.use(async () => undefined);
  await bruno.use(({ db }) => bruno.pull(db));
  expect([...foldRecords(bruno.copy.text()).known.values()]).toMatchObject([
    { name: 'New', noted_by: 'Ana' },
  ]);
  expect(await database.run('select actor from book_records order by place')).toEqual([
    { actor: 'Bruno' },
    { actor: 'Ana' },
  ]);
  expect(bookEvents(bruno.copy.text(), origin)).toMatchObject([{ by: 'Bruno', at: added?.at }]);
});

it('refuses a queued change if the database was restored and a colleague has changed the device since', async () => {
  const database = await createDesk();
  const ana = machineOf(database.url);
  const [device, other] = [randomUUID(), randomUUID()];
  const row = (id: string, name: string, by: string) => {
    const record = { origin, id, name, seen_at: new Date().toISOString() };
    return { id: randomUUID(), record, actor: { by, host: 'desk-2' } };
  };
  const kept = row(device, 'Old', 'Bruno');
  const lost = row(other, 'Counter', 'Bruno');
  await ana.use(async ({ db }) => {
    await insertRecords(db, [kept]);
    await insertRecords(db, [lost]);
    await ana.pull(db);
  });
  const seen = ana.copy.end().place;
  for (const id of [device, other]) {
    const { record } = row(id, 'By Ana', 'Ana');
    await ana.outbox.add({ kind: 'record', id: randomUUID(), at: new Date().toISOString(), seen, record });
  }
  // The backup lacks the second record, whose place goes to a colleague's change.
  await database.run(`delete from book_records where id = '${lost.id}'`);
  await database.run(`alter table book_records alter column place restart with ${seen}`);
  const carla = machineOf(database.url);
  await carla.use(({ db }) => insertRecords(db, [row(device, 'By Carla', 'Carla')]));
  await ana.use(async () => undefined);
  expect(ana.outbox.refused()).toMatchObject([
    {
      record: { id: device },
      refused: { because: expect.stringContaining('Carla (desk-2) changed the device') },
    },
  ]);
  await carla.use(({ db }) => carla.pull(db));
  const names = [...foldRecords(carla.copy.text()).known.values()].map(({ name }) => name);
  expect(names.toSorted()).toEqual(['By Ana', 'By Carla']);
});

it('keeps the copy if the entries that a restored database lost cannot be stored', async () => {
  const database = await createDesk();
  const ana = machineOf(database.url);
  const record = { origin, id: randomUUID(), name: 'Reception', seen_at: new Date().toISOString() };
  await ana.use(async ({ db }) => {
    await insertRecords(db, [{ id: randomUUID(), record, actor: ana.actor }]);
    await ana.pull(db);
  });
  await database.run('delete from book_records');
  mkdirSync(ana.outbox.file);
  await ana.use(({ db }) => ana.pull(db)).catch(() => undefined);
  expect(ana.copy.text()).toContain('Reception');
});

it('adds an event once that the database lost and that this machine saw too', async () => {
  const database = await createDesk();
  const ana = machineOf(database.url);
  const at = new Date().toISOString();
  const event = { origin, device: randomUUID(), event: 'lost', lost_at: at };
  const author = { by: 'Bruno', host: 'desk-2' };
  await ana.outbox.add(
    { kind: 'event', id: randomUUID(), at, event },
    { kind: 'event', id: randomUUID(), at, event, author },
  );
  await ana.use(async () => undefined);
  expect(await database.run('select actor from history')).toEqual([{ actor: 'Bruno' }]);
});

it('warns once about many refused changes', async () => {
  const database = await createDesk();
  const warnings: string[] = [];
  const ana = machineOf(database.url, (text) => warnings.push(remarkText(text)));
  const ids = Array.from({ length: 300 }, () => randomUUID());
  const record = (id: string, name: string) => ({ origin, id, name, seen_at: new Date().toISOString() });
  await ana.use(({ db }) =>
    insertRecords(
      db,
      ids.map((id) => ({
        ...{ id: randomUUID(), record: record(id, 'Lobby') },
        actor: { by: 'Bruno', host: 'desk-2' },
      })),
    ),
  );
  const at = new Date().toISOString();
  await ana.outbox.add(
    ...ids.map((id) => ({
      ...{ kind: 'record' as const, id: randomUUID(), at, seen: 0 },
      record: record(id, 'Entrance'),
    })),
  );
  await ana.use(async () => undefined);
  ana.tellRefused();
  expect(warnings).toEqual([
    expect.stringMatching(
      /^300 changes of this machine were refused\. Rename Entrance, at .*: Bruno \(desk-2\) changed .* There are 295 more\. To see all: botctl desk status$/,
    ),
  ]);
});

const dana = { by: 'Dana', host: 'back-3' };
const bruno = { by: 'Bruno', host: 'desk-2' };
const refusal = {
  at: '2026-01-01T00:00:00.000Z',
  because: 'Not connected',
  connected: false,
  connection: '[]',
};

/** Applies a waiting change of a device that Dana added and this machine saw, after later records by Bruno. */
async function flushAfter(records: readonly object[], waiting: object) {
  const database = await createDesk();
  const warnings: string[] = [];
  const ana = machineOf(database.url, (text) => warnings.push(remarkText(text)));
  const added = { origin, id: randomUUID(), name: 'Reception', seen_at: '2026-01-01T00:00:00.000Z' };
  await ana.use(async ({ db }) => {
    await insertRecords(db, [{ id: randomUUID(), record: added, actor: dana }]);
    await ana.pull(db);
  });
  const seen = ana.copy.end().place;
  await ana.use(({ db }) =>
    insertRecords(
      db,
      records.map((record) => ({ id: randomUUID(), record: { ...added, ...record }, actor: bruno })),
    ),
  );
  // The records have different times.
  await database.run("update book_records set at = timestamptz '2026-01-01' + place * interval '1 day'");
  const change = { kind: 'record' as const, id: randomUUID(), at: new Date().toISOString(), seen };
  await ana.outbox.add({ ...change, record: { ...added, ...waiting } });
  await ana.use(({ db }) => ana.pull(db));
  ana.tellRefused();
  const [device] = foldRecords(ana.copy.text()).known.values();
  return { warnings, device, rows: await database.run('select actor, at from book_records order by place') };
}

it.each([
  ['recorded', { refusal }],
  ['dropped', { refusal: null }],
])('applies a queued change of a device whose refused send another machine %s', async (_what, record) => {
  const { warnings, device } = await flushAfter([record], { name: 'Entrance' });
  expect(warnings).not.toContainEqual(expect.stringContaining('refused'));
  expect(device).toMatchObject({ name: 'Entrance', noted_by: 'Ana' });
});

it('applies no queued record of a refused send that another machine dropped meanwhile', async () => {
  const { warnings, device, rows } = await flushAfter([{ refusal }, { refusal: null }], { refusal });
  expect(warnings).not.toContainEqual(expect.stringContaining('refused'));
  expect(device).toMatchObject({ refusal: null });
  expect(rows).toHaveLength(3);
});

const later = { ...refusal, at: '2026-03-01T00:00:00.000Z', because: 'The team is banned' };

it.each([
  ['recorded', [{ refusal }]],
  ['dropped', [{ refusal }, { refusal: null }]],
])('records a queued refused send that is later than one that another machine %s', async (_what, records) => {
  const { warnings, device } = await flushAfter(records, { refusal: later });
  expect(warnings).not.toContainEqual(expect.stringContaining('refused'));
  expect(device).toMatchObject({ name: 'Reception', refusal: later });
});

it('drops a queued change with the same content, regardless of who added the device and when', async () => {
  const { warnings, rows } = await flushAfter([{ name: 'Lobby' }], {
    ...{ name: 'Lobby', added_by: 'Eve', added_from: 'x', made_at: '2026-01-01T00:00:00.000Z' },
  });
  expect(warnings).not.toContainEqual(expect.stringContaining('refused'));
  expect(rows).toHaveLength(2);
});

it('keeps the later refused send of another machine', async () => {
  const { warnings, device } = await flushAfter([{ refusal: later }], { refusal });
  expect(warnings).not.toContainEqual(expect.stringContaining('refused'));
  expect(device).toMatchObject({ refusal: later });
});

it.each([
  ['a refused send', (book: DeviceBook, id: string) => book.recordRefusal(id, later), later],
  ['that a refused send is over', (book: DeviceBook) => book.dropRefusals(() => true), null],
])('records %s of a device that another machine renamed meanwhile', async (_what, record, expected) => {
  const database = await createDesk();
  const through = await cuttableDatabase(database.url);
  const warnings: string[] = [];
  const ana = machineOf(through.url, (text) => warnings.push(remarkText(text)));
  const book = createDeviceBook({ ...sharedLog(ana, Date.now), file: '' }, origin);
  const added = { origin, id: randomUUID(), name: 'Reception', seen_at: '2026-01-01T00:00:00.000Z', refusal };
  await ana.use(({ db }) => insertRecords(db, [{ id: randomUUID(), record: added, actor: dana }]));
  await book.list();
  through.cut();
  await record(book, added.id);
  expect(ana.outbox.waiting()).toHaveLength(1);
  await database.run(`insert into book_records (id, origin, record, actor, host) values
    ('${randomUUID()}', '${origin}', '${JSON.stringify({ ...added, name: 'Lobby' })}', 'Bruno', 'desk-2')`);
  through.mend();
  await ana.tryAgain(({ db }) => ana.pull(db));
  ana.tellRefused();
  expect(warnings).not.toContainEqual(expect.stringContaining('refused'));
  expect([...foldRecords(ana.copy.text()).known.values()]).toMatchObject([
    { name: 'Lobby', refusal: expected },
  ]);
});

it('names the person and the time of the change that a queued change conflicts with', async () => {
  const records = [
    { name: 'Lobby', refusal, noted_at: '2020-01-01T00:00:00.000Z' },
    { refusal: null, name: 'Lobby' },
  ];
  const { warnings, device, rows } = await flushAfter(records, { name: 'Entrance' });
  const { at } = z.object({ at: z.date() }).parse(rows[1]);
  expect(warnings.join('\n')).toContain(
    `Bruno (desk-2) changed the device meanwhile, at ${at.toISOString()}`,
  );
  expect(device).toMatchObject({ name: 'Lobby' });
});
