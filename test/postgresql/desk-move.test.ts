import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { botctl, temporaryDirectory } from '../support/botctl.ts';
import { createDatabase, type TestDatabase } from '../support/database-server.ts';
import { addressFor } from '../support/desk-roles.ts';
import {
  hourAgo,
  localBook,
  localHistory,
  localIds,
  machineWithFiles,
} from '../support/machine-with-files.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();
const other = 'https://other.example.com';
const { reception, lobby, gone } = localIds;
const seen_at = '2026-01-01T00:00:00.000Z';

const create = async (): Promise<TestDatabase> => {
  const database = await createDatabase();
  onTestFinished(database.drop);
  return database;
};

const machine = (url: string, home?: string) => machineWithFiles(sandbox, url, home);

describe('the move of the files of a machine to a desk', () => {
  it('is required before the desk is used, asks with counts, and renames the files', async () => {
    const { url, run } = await create();
    const ana = machine(url);
    await ana.write(localBook, localHistory());
    await botctl(['desk', 'migrate', '--database', url], {
      env: { BOTCTL_CONFIG_DIR: temporaryDirectory() },
    });
    for (const line of [
      ['device', 'list'],
      ['device', 'history', 'Reception'],
      ['send', 'Reception', '+5511988887777', 'Hello', '--debug'],
      ['api', 'POST', '/v1/devices', '--set', 'name=Till', '--debug'],
    ]) {
      const refused = await ana.run(...line);
      expect(refused, line.join(' ')).toMatchObject({ exitCode: 2, stdout: '' });
      expect(refused.stderr.replaceAll(/\s+/g, ' ')).toContain('This machine has 2 devices and 3 events of');
      expect(refused.stderr).toContain('botctl desk migrate');
      expect(refused.stderr).not.toContain('POST http');
    }
    const asked = await ana.run('desk', 'migrate');
    expect(asked).toMatchObject({ exitCode: 2, stdout: '' });
    expect(asked.stderr.replaceAll(/\s+/g, ' ')).toContain(
      'This machine has 2 devices and 3 events of 1 service in files.',
    );
    expect(ana.names()).toEqual(['device-history.ndjson', 'devices.ndjson']);
    const texts = ana.names().map((name) => readFileSync(join(ana.data, name), 'utf8'));
    expect(await ana.move()).toMatchObject({
      ...{ devices: 2, events: 2, tables: 'unchanged' },
      stderr: expect.stringContaining('Left out 1 event older than 90 days'),
    });
    const today = new Date().toISOString().slice(0, 10);
    const renamed = ['device-history.ndjson', 'devices.ndjson'].map((name) => `${name}.moved-${today}`);
    expect(ana.names()).toEqual(renamed);
    expect(ana.names().map((name) => readFileSync(join(ana.data, name), 'utf8'))).toEqual(texts);
    expect(await ana.list()).toMatchObject([
      { id: reception, name: 'Reception', team_name: 'Aurora', seen_at },
      { id: lobby, name: 'Lobby' },
    ]);
    const listed = await ana.run('device', 'list');
    expect(listed.stderr).toContain('Counter');
    const events = await ana.run('device', 'history', 'Reception', '-o', 'json');
    expect(JSON.parse(events.stdout)).toMatchObject([
      { event: 'added' },
      { event: 'lost', reason: 'banned', seen_by: 'Bruno' },
      { event: 'connected', phone_number: '+5511911112222' },
    ]);
    expect(await run('select distinct host from history')).toContainEqual({ host: 'front-9' });
    expect(await ana.move()).toMatchObject({ devices: 0, events: 0 });
  });

  it('adds nothing twice for concurrent moves of copies of the files', async () => {
    const { url, run } = await create();
    const ana = machine(url);
    await ana.write(localBook, localHistory());
    await botctl(['desk', 'migrate', '--database', url], {
      env: { BOTCTL_CONFIG_DIR: temporaryDirectory() },
    });
    const copies = [1, 2, 3].map(() => {
      const home = temporaryDirectory();
      cpSync(ana.home, home, { recursive: true });
      return machine(url, home);
    });
    const moves = await Promise.all([ana, ...copies].map(({ move }) => move()));
    const sum = (member: 'devices' | 'events') => moves.reduce((total, one) => total + one[member], 0);
    expect([sum('devices'), sum('events')]).toEqual([2, 2]);
    const counts = () =>
      run(
        'select (select count(*)::int from book_records) as records, (select count(*)::int from history) as events',
      );
    expect(await counts()).toEqual([{ records: 4, events: 2 }]);
    await ana.write(localBook);
    await ana.move();
    expect(ana.names().at(-1)).toMatch(/^devices\.ndjson\.moved-[\d-]+-2$/);
  });

  it('leaves the entries of services without a desk in files', async () => {
    const { url } = await create();
    const ana = machine(url);
    await ana.write([...localBook, { origin: other, id: lobby, name: 'Elsewhere', seen_at }]);
    expect(await ana.move()).toMatchObject({ devices: 2 });
    const left = readFileSync(join(ana.data, 'devices.ndjson'), 'utf8');
    expect(
      left
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([{ origin: other, id: lobby, name: 'Elsewhere', seen_at }]);
    expect(readFileSync(join(ana.data, ana.names()[1] ?? ''), 'utf8')).toContain('Reception');
    expect(await ana.list()).toHaveLength(2);
  });

  it('chooses between entries of one device by their times, whichever machine moves first', async () => {
    const mine = [
      { id: reception, name: 'Front', seen_at, noted_at: '2026-03-01T00:00:00.000Z' },
      { id: lobby, name: 'Lobby', seen_at },
      { id: gone, name: 'Gone', seen_at, noted_at: '2026-04-01T00:00:00.000Z' },
    ];
    const theirs = [...localBook, { id: lobby, forgotten_at: '2026-02-01T00:00:00.000Z', tombstone: true }];
    for (const order of [
      [mine, theirs],
      [theirs, mine],
    ]) {
      const { url } = await create();
      const machines = order.map(() => machine(url));
      const said: string[] = [];
      for (const [at, one] of machines.entries()) {
        await one.write(order[at] ?? []);
        said.push((await one.move()).stderr);
      }
      expect(await machines[0]?.list()).toMatchObject([
        { id: reception, name: 'Front', team_name: 'Aurora' },
      ]);
      expect(said[1]).toMatch(
        order[0] === mine
          ? /The desk forgot 2 devices that this machine had forgotten: (Gone, Lobby|Lobby, Gone)\./
          : /Left out 2 devices that the desk had forgotten: (Gone, Lobby|Lobby, Gone)\./,
      );
    }
  });

  it('writes no secret', async () => {
    const { url, run } = await create();
    const ana = machine(url);
    const secret = sandbox.keySecret.reveal();
    await ana.write(
      [{ id: lobby, name: `Lobby ${secret}`, team_name: secret, seen_at, token: 'a-token' }],
      [{ id: lobby, at: hourAgo(), event: 'lost', reason: secret, by: secret }],
    );
    await ana.move();
    const rows = JSON.stringify([
      await run('select * from book_records'),
      await run('select * from history'),
    ]);
    expect(rows).toContain('Lobby');
    expect(rows).not.toContain(secret);
    expect(rows).not.toContain('a-token');
  });

  it('does not require the owner, and changes nothing for a read-only user', async () => {
    const { url, run } = await create();
    const user = `mover_${Math.random().toString(36).slice(2)}`;
    await run(`create role ${user} login`);
    onTestFinished(() =>
      run(`drop owned by ${user}`)
        .then(() => run(`drop role ${user}`))
        .then(() => undefined),
    );
    await botctl(['desk', 'migrate', '--database', url], {
      env: { BOTCTL_CONFIG_DIR: temporaryDirectory() },
    });
    await run(`grant usage on schema public to ${user}`);
    await run(`grant select on all tables in schema public to ${user}`);
    const ana = machine(addressFor(url, user));
    await ana.write(localBook, localHistory());
    const refused = await ana.run('desk', 'migrate', '--yes');
    expect(refused.exitCode, refused.stderr).toBe(2);
    expect(ana.names()).toEqual(['device-history.ndjson', 'devices.ndjson']);
    await run(`grant insert (id, origin, record, actor, host) on book_records to ${user}`);
    await run(
      `grant insert (id, origin, device, event, reason, lost_at, phone_number, at, actor, host) on history to ${user}`,
    );
    expect(await ana.move()).toMatchObject({ devices: 2, events: 2 });
    expect(existsSync(join(ana.data, 'devices.ndjson'))).toBe(false);
  });
});
