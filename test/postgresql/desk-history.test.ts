import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { connectDesk } from '../../src/desk/connect.ts';
import { readEvents } from '../../src/desk/history-rows.ts';
import { SharedDesk } from '../../src/desk/shared-desk.ts';
import { sharedHistory } from '../../src/desk/shared-history.ts';
import { callControl } from '../../src/sandbox/control/client.ts';
import { refuse } from '../support/answer.ts';
import { temporaryDirectory } from '../support/botctl.ts';
import type { TestDatabase } from '../support/database-server.ts';
import { createDesk } from '../support/desk.ts';
import { cuttableDatabase, deskMachine } from '../support/desk-machine.ts';
import { insertRecord, readerOf } from '../support/desk-roles.ts';
import { openDirect } from '../support/direct.ts';
import { FakeClock, scaledClock } from '../support/fake-clock.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);
const origin = () => new URL(sandbox.baseUrl).origin;
let device = '';
let team = '';

beforeEach(async () => {
  team = await service.team('Aurora Coffee');
  device = await service.device(team, await service.createBot(team, 'Front desk'), 'Reception');
});

/** Adds the device to the book of a desk, and returns two machines of it. */
async function twoMachines({ url }: TestDatabase) {
  const [ana, bruno] = [await deskMachine(sandbox, url, 'Ana'), await deskMachine(sandbox, url, 'Bruno')];
  const added = await ana.run(['device', 'add', device, '--name', 'Reception', '--offline']);
  expect(added, added.stderr).toMatchObject({ exitCode: 0 });
  return { ana, bruno };
}

const history = ['device', 'history', 'Reception'];
const pair = (home: string) => [
  'device',
  'connect',
  'Reception',
  '--wait',
  '--qr-file',
  join(home, 'qr.png'),
];

/** Inserts events of a device, a second apart, the last one now. */
function insertEvents({ run }: TestDatabase, count: number, of = device) {
  return run(`insert into history (id, origin, device, event, actor, host, at)
    select gen_random_uuid(), '${origin()}', '${of}', 'lost', 'Ana', 'front-2', now() - interval '1 second' * (${count} - n)
    from generate_series(1, ${count}) n`);
}

/** Returns a history as one process uses it, with a spy on its uses of the database. */
function processOf(url: string, data = temporaryDirectory(), clock = new FakeClock({ now: Date.now() })) {
  const { signal } = new AbortController();
  const said: string[] = [];
  const say = (text: unknown) => void said.push(String(text));
  const reporter = { note: say, warn: say };
  const address = { url: new URL(url), password: undefined };
  const actor = { by: 'Ana', host: 'front-2' };
  const desk = new SharedDesk({ address, data, actor, clock, signal, reporter });
  const options = { baseUrl: sandbox.baseUrl, origin: origin(), now: () => clock.now(), signal, reporter };
  return { history: sharedHistory(desk, options), use: vi.spyOn(desk, 'use'), desk, said, clock };
}

describe('a history that machines share', () => {
  it('contains the events of all of them, each with its operator, host and database user', async () => {
    const database = await createDesk();
    const { ana, bruno } = await twoMachines(database);
    const clock = scaledClock();
    const paired = await bruno.run(pair(bruno.home), { clock });
    expect(paired, paired.stderr).toMatchObject({ exitCode: 0 });
    await ana.run(['device', 'disconnect', 'Reception', '--yes'], { clock });
    const rows = await ana.json(history);
    const host = hostname();
    expect(rows).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ event: 'disconnect', by: 'Ana', from: host, db_user: 'postgres' }),
        expect.objectContaining({
          ...{ event: 'paired', by: null, from: null, seen_by: 'Bruno', seen_from: host },
          name: 'Reception',
        }),
        expect.objectContaining({ event: 'connect', by: 'Bruno' }),
      ]),
    );
    expect(await bruno.json(['device', 'history'])).toEqual(rows);
    // The desk stores neither codes nor secrets.
    const stored = JSON.stringify(await database.run('select * from history'));
    expect(stored).not.toMatch(/qr_code|data:image/);
    expect(stored).not.toContain(sandbox.keySecret.reveal());
  });

  it('records a loss once that eight machines see at the same time', async () => {
    const database = await createDesk();
    const { ana } = await twoMachines(database);
    expect((await ana.run(pair(ana.home), { clock: scaledClock() })).exitCode).toBe(0);
    const names = Array.from({ length: 8 }, (_, index) => `Agent ${'x'.repeat(index)}`);
    const machines = await Promise.all(names.map((name) => deskMachine(sandbox, database.url, name)));
    await Promise.all(machines.map(({ run }) => run(['device', 'status', 'Reception'])));
    await callControl(sandbox.control, '/phone', { action: 'offline', device });
    await Promise.all(machines.map(({ run }) => run(['device', 'status', 'Reception'])));
    const rows = await ana.json([...history, '--where', 'event=lost']);
    expect(rows).toHaveLength(1);
  });

  it('uses the clock of the database, regardless of the clocks of machines', async () => {
    const database = await createDesk();
    const early = Date.now();
    const { ana } = await twoMachines(database);
    for (const minutes of [5, -5]) {
      const clock = new FakeClock({ now: Date.now() + minutes * 60_000 });
      await ana.run(['device', 'connect', 'Reception'], { clock });
      await ana.run(['device', 'disconnect', 'Reception', '--yes'], { clock });
    }
    const times = (await ana.json(history)).map(({ at }: { at: string }) => Date.parse(at));
    expect(times.length).toBeGreaterThan(4);
    for (const time of times) {
      expect(time).toBeGreaterThanOrEqual(early - 1000);
      expect(time).toBeLessThanOrEqual(Date.now() + 1000);
    }
    // An age is measured by the database's clock, too.
    const late = new FakeClock({ now: Date.now() + 3_600_000 });
    expect(await ana.json([...history, '--since', '10m'], { clock: late })).toHaveLength(times.length);
  });

  it('queries the database for a device once, however often it is read', async () => {
    const database = await createDesk();
    const { history: seen, use } = processOf(database.url);
    await seen.note(device, () => ({ at: new Date().toISOString(), event: 'connected' }));
    const { length } = use.mock.calls;
    for (let reading = 0; reading < 500; reading += 1)
      await seen.note(device, (sofar) =>
        sofar.at(-1)?.event === 'connected'
          ? undefined
          : { at: new Date().toISOString(), event: 'connected' },
      );
    expect(use.mock.calls).toHaveLength(length);
    expect(await seen.list(device)).toHaveLength(1);
  });

  it('queries the database once for many devices', async () => {
    const database = await createDesk();
    const { ana } = await twoMachines(database);
    const ids = [device];
    for (const name of ['Counter', 'Lobby', 'Till']) {
      const id = await service.device(team, await service.createBot(team, name), name);
      await ana.run(['device', 'add', id, '--name', name, '--offline']);
      ids.push(id);
    }
    await ana.run(['device', 'status', '--all']);
    const query = vi.spyOn(pg.Client.prototype, 'query');
    onTestFinished(() => query.mockRestore());
    const count = () => {
      const texts = query.mock.calls.map(([statement]) => JSON.stringify(statement));
      query.mockClear();
      return texts.filter((text) => text.includes('unnest') && text.includes('history')).length;
    };
    expect((await ana.run(['device', 'status', ids[0] ?? ''])).exitCode).toBe(0);
    expect(count()).toBe(1);
    expect((await ana.run(['device', 'status', ...ids])).exitCode).toBe(0);
    expect(count()).toBe(1);
    expect((await ana.run(['device', 'status', '--all'])).exitCode).toBe(0);
    expect(count()).toBe(1);
    const watched = await ana.run(['device', 'watch', '--all', '--timeout', '3s']);
    expect(watched.stdout, watched.stderr).toContain('Till');
    expect(count()).toBe(1);
    const { history: seen } = processOf(database.url);
    await seen.preload(Array.from({ length: 250 }, () => randomUUID()));
    expect(count()).toBe(3);
  });

  it('contains an event of this process that was recorded after many devices were read at once', async () => {
    const { history: seen } = processOf((await createDesk()).url);
    await seen.preload([device, randomUUID()]);
    await seen.note(device, () => ({ at: new Date().toISOString(), event: 'connected' }));
    expect(await seen.list(device)).toMatchObject([{ event: 'connected' }]);
  });

  it('keeps the events that decide whether a state is new, for a device with many events', async () => {
    const database = await createDesk();
    await insertEvents(database, 150);
    const { history: seen } = processOf(database.url);
    await database.run(`insert into history (id, origin, device, event, actor, host)
      select gen_random_uuid(), '${origin()}', '${device}', 'refused', 'Ana', 'x' from generate_series(1, 40)`);
    let last: string | undefined;
    await seen.note(device, (sofar) => {
      last = sofar.findLast(({ event }) => event !== 'refused')?.event;
      return undefined;
    });
    expect(last).toBe('lost');
  });

  it('does not record that the service lacks a device, which depends on the API key', async () => {
    const database = await createDesk();
    const { ana, bruno } = await twoMachines(database);
    await bruno.run(['device', 'status', 'Reception']);
    const lacking = refuse(404, 'NOT_FOUND', 'Not found.');
    await callControl(sandbox.control, '/fault/add', {
      target: 'getDeviceStatus',
      effect: lacking,
      times: 2,
    });
    expect((await ana.run(['device', 'status', 'Reception'])).exitCode).toBe(5);
    const later = new FakeClock({ now: Date.now() + 61_000 });
    const gone = await ana.run(['device', 'status', 'Reception'], { clock: later });
    expect(gone.stderr).toContain('device forget --gone');
    expect(await database.run("select 1 from history where event = 'not_found'")).toEqual([]);
    // A read that finds the device resets that, although its state is unchanged.
    await ana.run(['device', 'status', 'Reception']);
    await callControl(sandbox.control, '/fault/add', {
      target: 'getDeviceStatus',
      effect: lacking,
      times: 1,
    });
    const once = await ana.run(['device', 'status', 'Reception'], { clock: later });
    expect(once.stderr).not.toContain('device forget --gone');
    expect(await ana.json(history)).toMatchObject([{ seen_by: 'Bruno' }, { event: 'added' }]);
  });

  it('lists many events page by page, complete and in order, and only up to the requested number', async () => {
    const database = await createDesk();
    const { ana } = await twoMachines(database);
    await insertEvents(database, 5000);
    // Events of the same time are distinguished by their places.
    await insertEvents(database, 300);
    await database.run("update history set at = date_trunc('minute', at)");
    const rows = await ana.json(history);
    expect(rows).toHaveLength(5301);
    expect(new Set(rows.map(({ id }: { id: string }) => id)).size).toBe(5301);
    const times = rows.map(({ at }: { at: string }) => at);
    expect(times).toEqual(times.toSorted().toReversed());
    expect(await ana.json(['device', 'history', '--limit', '7'])).toEqual(rows.slice(0, 7));
    const { use, history: seen } = processOf(database.url);
    for await (const page of seen.recent({})) {
      expect(page).toHaveLength(200);
      break;
    }
    expect(use.mock.calls).toHaveLength(1);
  });

  it('lists each event once if a device is named twice', async () => {
    const database = await createDesk();
    const { ana } = await twoMachines(database);
    await ana.run(['device', 'status', 'Reception']);
    const once = await ana.json(['device', 'history', 'Reception']);
    expect(await ana.json(['device', 'history', 'Reception', device])).toEqual(once);
  });

  it('lists who added a device and who forgot it, among its other events, which remain', async () => {
    const database = await createDesk();
    const { ana, bruno } = await twoMachines(database);
    await ana.run(['device', 'connect', 'Reception']);
    const forgot = await bruno.run(['device', 'forget', 'Reception', '--yes']);
    expect(forgot.stderr).toContain('Its history stays in the desk');
    const from = hostname();
    const rows = await ana.json(['device', 'history']);
    expect(rows).toMatchObject([
      { event: 'forgotten', by: 'Bruno', from, seen_by: null, device_id: device, name: 'Reception' },
      { event: 'connect', by: 'Ana', name: 'Reception' },
      { seen_by: 'Ana', name: 'Reception' },
      { event: 'added', by: 'Ana', from, seen_by: null, device_id: device, name: 'Reception' },
    ]);
    expect(await ana.json(['device', 'history', device])).toEqual(rows);
    expect(await ana.json(['device', 'history', '--where', 'event=forgotten'])).toEqual(rows.slice(0, 1));
    expect(await ana.json(['device', 'history', '--limit', '2'])).toEqual(rows.slice(0, 2));
    expect(await ana.json(['device', 'history', '--since', rows[1].at])).toEqual(rows.slice(0, 2));
    const again = await ana.run(['device', 'add', device, '--name', 'Counter', '--offline']);
    expect(again, again.stderr).toMatchObject({ exitCode: 0 });
    expect(await bruno.json(['device', 'history', 'Counter'])).toMatchObject([
      { event: 'added', by: 'Ana', name: 'Counter' },
      ...rows.map(({ id }: { id: string }) => ({ id })),
    ]);
  });

  it('lists the events of a team, including those of forgotten devices', async () => {
    const database = await createDesk();
    const ana = await deskMachine(sandbox, database.url, 'Ana');
    const [lobby, till] = [randomUUID(), randomUUID()];
    const ofTeam = (name: string, id: string) => ({
      id,
      name,
      team_id: team,
      team_name: name === 'Lobby' ? 'Aurora' : 'Aurora Coffee',
      seen_at: '2026-01-01',
    });
    for (const record of [
      ofTeam('Till', till),
      ofTeam('Lobby', lobby),
      { ...ofTeam('Counter', randomUUID()), team_id: 'x', team_name: 'x' },
    ])
      await insertRecord(database.url, record, { origin: `'${origin()}'` });
    const listed = async (word: string) =>
      (await ana.json(['device', 'history', '--team', word])).map(
        ({ event, name }: { event: string; name: string }) => `${event} ${name}`,
      );
    const before = ['added Lobby', 'added Till'];
    expect(await listed(team)).toEqual(before);
    await ana.run(['device', 'forget', lobby, '--yes']);
    expect(await listed('Aurora Coffee')).toEqual(['forgotten Lobby', ...before]);
    await ana.run(['device', 'forget', till, '--yes']);
    expect(await listed(team)).toEqual(['forgotten Till', 'forgotten Lobby', ...before]);
  });

  it('lists who added and forgot a device in the order of the database, regardless of clocks and files', async () => {
    const database = await createDesk();
    const { ana, bruno } = await twoMachines(database);
    const file = join(ana.home, 'devices.json');
    writeFileSync(file, (await ana.run(['device', 'export', '-o', 'json'])).stdout);
    await ana.run(['device', 'connect', 'Reception']);
    const behind = { clock: new FakeClock({ now: Date.now() - 5 * 60_000 }) };
    const forgot = await bruno.run(['device', 'forget', 'Reception', '--yes'], behind);
    expect(forgot, forgot.stderr).toMatchObject({ exitCode: 0 });
    const carla = await deskMachine(sandbox, database.url, 'Carla');
    const restored = await carla.run(['device', 'import', file, '--restore', '--yes']);
    expect(restored, restored.stderr).toMatchObject({ exitCode: 0 });
    const record = {
      id: randomUUID(),
      name: 'Old',
      seen_at: '2020-01-01T00:00:00Z',
      noted_at: '2020-01-01T00:00:00Z',
    };
    await database.run(`insert into book_records (id, origin, record, actor, host)
      values ('${randomUUID()}', '${origin()}', '${JSON.stringify(record)}', 'Dana', 'x')`);
    const stored = await database.run(`select id, db_user,
      to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at from book_records order by place desc`);
    const rows = (await ana.json(['device', 'history'])).filter(({ event }: { event: string }) =>
      ['added', 'forgotten', 'connect'].includes(event),
    );
    expect(rows.map(({ event, by }: { event: string; by: string }) => [event, by])).toEqual([
      ['added', 'Dana'],
      ['added', 'Carla'],
      ['forgotten', 'Bruno'],
      ['connect', 'Ana'],
      ['added', 'Ana'],
    ]);
    const ofBook = rows.filter(({ event }: { event: string }) => event !== 'connect');
    expect(stored).toHaveLength(4);
    expect(ofBook).toMatchObject(stored);
  });

  it('sanitizes foreign rows and skips invalid ones', async () => {
    const database = await createDesk();
    const { ana } = await twoMachines(database);
    const columns = '(id, origin, device, event, actor, host, reason, at)';
    const evil = "e'\\x1b]0;evil\\x07\\u202egnp\\nAna'";
    await database.run(`insert into history ${columns} values
      ('${randomUUID()}', '${origin()}', '${device}', ${evil}, ${evil}, ${evil}, repeat('x', 5000000), now()),
      ('${randomUUID()}', '${origin()}', ${evil}, 'lost', 'Ana', 'x', null, '-infinity')`);
    for (const args of [['device', 'history'], history]) {
      for (const options of [{}, { terminal: true }]) {
        const shown = await ana.run(args, options);
        expect(shown, shown.stderr).toMatchObject({ exitCode: 0 });
        expect(shown.stdout).not.toMatch(/[\u0007\u202e]|\u001b(?!\[[\d;]*m)/);
        expect(shown.stdout.length).toBeLessThan(5000);
      }
    }
    expect((await ana.json(history))[0].seen_by).toBe('\u001b]0;evil\u0007\u202egnp\nAna');
  });

  it('receives the events that a restore of the database lost, and none that are too old', async () => {
    const database = await createDesk();
    const { ana, bruno } = await twoMachines(database);
    await database.run(`alter table history disable trigger history_keep;
      insert into history (id, origin, device, event, actor, host, at)
        values (gen_random_uuid(), '${origin()}', '${device}', 'refused', 'Ana', 'x', now() - interval '91 days')`);
    await bruno.run(['device', 'connect', 'Reception']);
    const [backup] = await database.run('select max(place) as place from history');
    await bruno.run(['device', 'disconnect', 'Reception', '--yes']);
    await bruno.run(['device', 'status', 'Reception']);
    const before = await ana.json(history);
    expect(before[1]).toMatchObject({ event: 'disconnect', by: 'Bruno' });
    await database.run(`delete from history where place > ${backup?.place} or event = 'refused'`);
    // A reading after the restore compares with the contents of the database.
    const looked = await ana.run(['device', 'status', 'Reception']);
    expect(looked.stderr.match(/was restored from a backup/g)).toHaveLength(1);
    expect(await ana.json(history)).toEqual(before.slice(0, -1));
    expect(await bruno.json(history)).toEqual(before.slice(0, -1));
    expect((await ana.run(history)).stderr).not.toContain('restored');
  });

  it('lists the events that a restore lost with the command that finds them missing', async () => {
    const database = await createDesk();
    const { ana } = await twoMachines(database);
    await ana.run(['device', 'connect', 'Reception']);
    const before = await ana.json(history);
    expect(before.length).toBeGreaterThan(1);
    await database.run('delete from history');
    const found = await ana.run([...history, '-o', 'json']);
    expect(found.stderr).toContain('was restored from a backup');
    expect(JSON.parse(found.stdout)).toEqual(before);
  });

  it('is readable for a read-only user, whose commands work', async () => {
    const database = await createDesk();
    const { ana } = await twoMachines(database);
    const reader = await deskMachine(sandbox, await readerOf(database), 'Lia');
    const looked = await reader.run(['device', 'status', 'Reception']);
    expect(looked, looked.stderr).toMatchObject({ exitCode: 0 });
    const added = { event: 'added', by: 'Ana' };
    expect(await reader.json(history)).toMatchObject([added]);
    await ana.run(['device', 'status', 'Reception']);
    expect(await reader.json(history)).toMatchObject([{ seen_by: 'Ana' }, added]);
    expect(looked.stderr).not.toMatch(/(may|can) only read/);
    for (const command of ['connect', 'disconnect']) {
      const done = await reader.run(['device', command, 'Reception', '--yes']);
      expect(done, done.stderr).toMatchObject({ exitCode: 0 });
      expect(done.stderr.match(/can only read, so .* has no record of this/g)).toHaveLength(1);
      expect(done.stderr).toContain(`has no record of this ${command}.`);
    }
    expect(await ana.json([...history, '--where', 'by=Lia'])).toEqual([]);
  });
});

describe('a shared history whose database is unavailable', () => {
  it('shows what this machine last saw, with its age, and receives the events of the meantime once', async () => {
    const database = await createDesk();
    const way = await cuttableDatabase(database.url);
    const { bruno } = await twoMachines(database);
    const ana = await deskMachine(sandbox, way.url, 'Ana');
    await bruno.run(['device', 'connect', 'Reception']);
    const seen = await ana.json(history);
    expect(seen[0]).toMatchObject({ event: 'connect', by: 'Bruno' });
    way.cut();
    const clock = new FakeClock({ now: Date.now() + 12 * 60_000 });
    const away = await ana.run([...history, '-o', 'json'], { clock });
    expect(JSON.parse(away.stdout)).toEqual(seen);
    // The age is shown only once, and no change waits yet.
    expect(away.stderr.match(/\bago\b/g)).toHaveLength(1);
    expect(away.stderr).toContain('This machine shows its copy, updated 12 minutes ago.');
    expect(away.stderr).not.toContain('outbox');
    const stopped = await ana.run(['device', 'disconnect', 'Reception', '--yes']);
    expect(stopped, stopped.stderr).toMatchObject({ exitCode: 0 });
    expect(stopped.stderr.match(/changes wait in/g)).toHaveLength(1);
    expect((await ana.run(history)).stderr).toContain('changes wait in');
    const events = async () => (await ana.json(history)).map(({ event }: { event: string }) => event);
    expect(await events()).toEqual([
      'disconnect',
      'started',
      ...seen.map(({ event }: { event: string }) => event),
    ]);
    expect(await ana.json(['device', 'history'])).toEqual(await ana.json(history));
    expect(await bruno.json(history)).toEqual(seen);
    way.mend();
    const waited = await ana.run(history);
    expect(waited.stderr).toContain('queued change');
    expect(await ana.json(history)).toEqual(await bruno.json(history));
    expect((await bruno.json(history)).slice(0, 2)).toMatchObject([
      { event: 'disconnect', by: 'Ana' },
      { event: 'started', seen_by: 'Ana' },
    ]);
    expect(readFileSync(join(ana.copy(), 'outbox.ndjson'), 'utf8')).toBe('');
  });

  it('has the time when a device was forgotten meanwhile, regardless of the clock of that machine', async () => {
    const database = await createDesk();
    const way = await cuttableDatabase(database.url);
    const { bruno } = await twoMachines(database);
    const ana = await deskMachine(sandbox, way.url, 'Ana');
    await ana.run(['device', 'list']);
    const minute = 60_000;
    const fast = (minutes: number) => ({ clock: new FakeClock({ now: Date.now() + minutes * minute }) });
    way.cut();
    const forgot = await ana.run(['device', 'forget', 'Reception', '--yes'], fast(5));
    expect(forgot, forgot.stderr).toMatchObject({ exitCode: 0 });
    const forgotten = ['device', 'history', '--where', 'event=forgotten'];
    expect(await ana.json(forgotten)).toMatchObject([{ by: 'Ana', device_id: device, name: 'Reception' }]);
    way.mend();
    // An hour later.
    const sent = await ana.run(['device', 'list'], fast(65));
    expect(sent.stderr).toContain('Sent 1 queued change');
    const [event] = await bruno.json(forgotten);
    expect(event).toMatchObject({ by: 'Ana', device_id: device });
    expect(Math.round((Date.now() - Date.parse(event.at)) / minute)).toBe(60);
  });

  it('has a state once that a machine saw meanwhile with the others, regardless of its clock', async () => {
    const database = await createDesk();
    const way = await cuttableDatabase(database.url);
    const { bruno } = await twoMachines(database);
    const ana = await deskMachine(sandbox, way.url, 'Ana');
    expect((await bruno.run(pair(bruno.home), { clock: scaledClock() })).exitCode).toBe(0);
    await ana.run(['device', 'status', 'Reception']);
    way.cut();
    await callControl(sandbox.control, '/phone', { action: 'offline', device });
    const clock = () => new FakeClock({ now: Date.now() + 5 * 60_000 });
    await ana.run(['device', 'status', 'Reception'], { clock: clock() });
    await bruno.run(['device', 'status', 'Reception']);
    await bruno.run(['device', 'disconnect', 'Reception', '--yes']);
    await ana.run(['device', 'status', 'Reception'], { clock: clock() });
    const outbox = readFileSync(join(ana.copy(), 'outbox.ndjson'), 'utf8');
    expect(outbox).toContain('"lost"');
    way.mend();
    expect((await ana.run(['device', 'list'], { clock: clock() })).stderr).toContain('queued change');
    const rows = await bruno.json(history);
    const count = (name: string) => rows.filter(({ event }: { event: string }) => event === name).length;
    expect([count('lost'), count('stopped'), count('disconnect')]).toEqual([1, 1, 1]);
    const times = rows.map(({ at }: { at: string }) => Date.parse(at));
    expect(Math.max(...times)).toBeLessThanOrEqual(Date.now() + 1000);
    expect(readFileSync(join(ana.copy(), 'outbox.ndjson'), 'utf8')).toBe('');
  });

  it('receives an event once if the response to its commit was lost', async () => {
    const database = await createDesk();
    const way = await cuttableDatabase(database.url);
    const { ana: first } = await twoMachines(database);
    await first.run(['device', 'connect', 'Reception']);
    const ana = await deskMachine(sandbox, way.url, 'Ana');
    way.cutAfter('commit');
    await ana.run(['device', 'status', 'Reception']);
    way.mend();
    const rows = await ana.json(history);
    expect(new Set(rows.map(({ event }: { event: string }) => event)).size).toBe(rows.length);
  });

  it('is as old as the copy of the device that was read least recently', async () => {
    const database = await createDesk();
    const way = await cuttableDatabase(database.url);
    const { ana: first } = await twoMachines(database);
    const counter = await service.device(team, await service.createBot(team, 'Counter'), 'Counter');
    await first.run(['device', 'add', counter, '--name', 'Counter', '--offline']);
    const ana = await deskMachine(sandbox, way.url, 'Ana');
    await ana.run(['device', 'status', 'Reception', 'Counter']);
    await ana.run(history);
    const clock = new FakeClock({ now: Date.now() + 3_600_000 });
    await ana.run(['device', 'history', 'Counter'], { clock });
    way.cut();
    const shown = await ana.run(['device', 'history', 'Reception', 'Counter'], { clock });
    expect(shown.stderr).toContain('The copy of this history is from 1 hour ago.');
  });

  it('reports that it was never read here, which is no failure', async () => {
    const database = await createDesk();
    const way = await cuttableDatabase(database.url);
    await twoMachines(database);
    const ana = await deskMachine(sandbox, way.url, 'Ana');
    await ana.run(['device', 'list']);
    way.cut();
    const shown = await ana.run([...history, '-o', 'json']);
    expect(shown.exitCode, shown.stderr).toBe(0);
    expect(JSON.parse(shown.stdout)).toMatchObject([{ event: 'added' }]);
    expect(shown.stderr).toContain('no copy of that history');
  });
});

describe('the history of a device among many events', () => {
  /** Returns how many blocks of the table and its indexes it takes to open the history of devices. */
  async function blocksOfOpening({ url, run }: TestDatabase, ids: readonly string[]): Promise<number> {
    const blocks = async () => {
      const [row] = await run(`select pg_stat_force_next_flush(),
        heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read as blocks
        from pg_statio_user_tables where relname = 'history'`);
      return Number(row?.blocks);
    };
    await run('vacuum analyze history');
    const before = await blocks();
    const { db, close } = await connectDesk(
      { url: new URL(url), password: undefined },
      { patience: 'brief', warn: () => undefined },
    );
    const { events } = await readEvents(db, origin(), { ids }, { size: 200 });
    // PostgreSQL reports the statistics of a session when it ends.
    await close();
    expect(events).toHaveLength(Math.min(100 * ids.length, 200));
    return (await blocks()) - before;
  }

  it('is read from as few blocks as among few events, alone and with others', async () => {
    const database = await createDesk();
    await database.run('alter table history disable trigger user');
    const quiet = [device, randomUUID(), randomUUID()];
    for (const id of quiet) await insertEvents(database, 100, id);
    await database.run("update history set at = at - interval '30 days'");
    await insertEvents(database, 400, randomUUID());
    const blocks = async () => [
      await blocksOfOpening(database, [device]),
      await blocksOfOpening(database, quiet),
    ];
    const [one = 0, three = 0] = await blocks();
    expect(one).toBeGreaterThan(0);
    await database.run(`insert into history (id, origin, device, event, actor, host, at)
      select gen_random_uuid(), '${origin()}', 'other-' || n % 150, 'lost', 'Ana', 'x', now() - interval '1 second' * n
      from generate_series(1, 200000) n`);
    const [oneAmongMany = 0, threeAmongMany = 0] = await blocks();
    expect(oneAmongMany).toBeLessThanOrEqual(2 * one);
    expect(threeAmongMany).toBeLessThanOrEqual(2 * three);
  });
});
