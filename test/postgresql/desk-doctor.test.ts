import { randomUUID } from 'node:crypto';
import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createProfiles } from '../../src/settings/profiles.ts';
import { doctor } from '../commands/doctor/support.ts';
import { temporaryDirectory } from '../support/botctl.ts';
import { createDatabase, type TestDatabase } from '../support/database-server.ts';
import { createDesk } from '../support/desk.ts';
import { cuttableDatabase, type DeskMachine, deskMachine } from '../support/desk-machine.ts';
import { addressFor, readerOf } from '../support/desk-roles.ts';
import { openDirect } from '../support/direct.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);
let device = '';

beforeEach(async () => {
  const team = await service.team('Aurora Coffee');
  device = await service.device(team, await service.createBot(team, 'Front desk'), 'Reception');
});

const desk = async (): Promise<TestDatabase> => {
  const database = await createDesk();
  onTestFinished(database.drop);
  return database;
};
const examine = ({ env }: DeskMachine, options: object = {}) => doctor(env, [], options);
const add = async (machine: DeskMachine, name: string, id = device) => {
  const added = await machine.run(['device', 'add', id, '--name', name, '--offline']);
  expect(added, added.stderr).toMatchObject({ exitCode: 0 });
};
const outboxOf = (machine: DeskMachine) => join(machine.copy(), 'outbox.ndjson');
const statusOf = async (machine: DeskMachine, ...more: readonly string[]) => {
  const { stdout, stderr } = await machine.run(['desk', 'status', ...more, '-o', 'json']);
  return { ...JSON.parse(stdout || '{}'), stderr: stderr.replaceAll(/\s+/g, ' ') };
};

describe('doctor', () => {
  it('does not mention a desk if none is named', async () => {
    const { findings } = await examine(await deskMachine(sandbox, undefined, 'Ana'));
    expect(findings.map(({ check }) => check)).not.toContain('desk');
  });

  it('shows the server, the schema, the role, the clock and the age of the copy', async () => {
    const ana = await deskMachine(sandbox, (await desk()).url, 'Ana');
    expect((await examine(ana)).at('desk')).toMatchObject({
      verdict: 'ok',
      found: expect.stringMatching(
        /, on PostgreSQL \d.*, schema public: this user is an owner\. .*agrees.* no copy .*No change waits\.$/,
      ),
      remedy: null,
    });
    await add(ana, 'Reception');
    const clock = new FakeClock({ now: Date.now() + 50_000 });
    const { found } = (await examine(ana, { clock })).at('desk');
    expect(found).toMatch(/updated its copy of the device book 5\d seconds ago\./);
  });

  it('warns about a clock that differs by more than a minute', async () => {
    const ana = await deskMachine(sandbox, (await desk()).url, 'Ana');
    for (const [minutes, words] of [
      [5, /Its clock is \d minutes behind that of this machine\./],
      [-5, /Its clock is \d minutes ahead of that of this machine\./],
    ] as const) {
      const clock = new FakeClock({ now: Date.now() + minutes * 60_000 });
      expect((await examine(ana, { clock })).at('desk')).toMatchObject({
        verdict: 'warning',
        found: expect.stringMatching(words),
        remedy: expect.stringContaining('Set the clock of this machine'),
      });
      const status = await ana.run(['desk', 'status', '-o', 'table'], { clock });
      expect(status.stdout).toMatch(minutes > 0 ? /Clock difference +\d minutes behind/ : /\d minutes ahead/);
    }
  });

  it('shows a reader, and names the privileges that an agent lacks', async () => {
    const database = await desk();
    const address = await readerOf(database);
    const lia = await deskMachine(sandbox, address, 'Lia');
    const look = async () => (await examine(lia)).at('desk');
    expect(await look()).toMatchObject({
      verdict: 'ok',
      found: expect.stringContaining('this user is a reader.'),
    });
    await database.run(`grant insert on readings to ${new URL(address).username}`);
    expect(await look()).toMatchObject({
      verdict: 'warning',
      found: expect.stringContaining('update on readings'),
      remedy: expect.stringContaining('botctl help desk'),
    });
  });

  it('shows the outbox while the database is away, and until its changes are sent', async () => {
    const database = await desk();
    const way = await cuttableDatabase(database.url);
    const ana = await deskMachine(sandbox, way.url, 'Ana');
    await add(ana, 'Reception');
    way.cut();
    const empty = await examine(ana);
    expect(empty.exitCode, empty.stderr).toBe(0);
    expect(empty.at('desk').verdict).toBe('warning');
    expect(empty.at('desk').found).toContain(`Changes wait in ${outboxOf(ana)} until it is back`);
    await add(ana, 'Entrance');
    const { at } = JSON.parse(readFileSync(outboxOf(ana), 'utf8').split('\n')[0] ?? '');
    const waits = `1 change waits in ${outboxOf(ana)}, the oldest since ${at.replace(/\.\d+Z/, 'Z')}: rename Entrance.`;
    const away = await examine(ana);
    expect(away.exitCode, away.stderr).toBe(0);
    expect(away.at('desk')).toMatchObject({
      verdict: 'warning',
      found: expect.stringMatching(
        /can't be reached.*updated its copy of the device book (?:just now|\d+ seconds? ago)\./,
      ),
      remedy: expect.stringContaining('botctl device list'),
    });
    expect(away.at('desk').found).toContain(waits);
    const unreached = await ana.run(['desk', 'status']);
    expect(unreached.exitCode).toBe(8);
    expect(unreached.stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /can't be reached.*updated its copy.*1 change waits in .*rename Entrance\..*after the database is back/,
    );
    expect(unreached.stderr).not.toContain('Send the waiting changes');
    way.mend();
    for (const _ of [1, 2]) {
      const back = (await examine(ana)).at('desk');
      expect(back).toMatchObject({ verdict: 'warning', found: expect.stringContaining(waits) });
      expect(back.remedy).toContain('botctl device list');
    }
    const named = await statusOf(ana, '--database', way.url);
    expect(named).toMatchObject({
      ...{ waiting: 1, waiting_since: at.replace(/\.\d+Z/, 'Z'), refused_changes: [] },
      waiting_changes: [{ change: 'rename', name: 'Entrance', device_id: device, at }],
    });
    const back = await statusOf(ana);
    expect(back.stderr).toContain('Sent 1 queued change');
    expect(back).toMatchObject({ waiting: 0, waiting_since: null, refused: 0, waiting_changes: [] });
    expect((await examine(ana)).at('desk').verdict).toBe('ok');
    expect(await statusOf(ana)).toMatchObject({ waiting: 0, waiting_since: null, refused: 0 });
  });

  it('shows the changes queued for a desk that is no longer named, and the commands that send them', async () => {
    const database = await desk();
    const way = await cuttableDatabase(database.url);
    const ana = await deskMachine(sandbox, way.url, 'Ana');
    await add(ana, 'Reception');
    way.cut();
    await add(ana, 'Entrance');
    way.mend();
    const { BOTCTL_DESK_DATABASE: _desk, ...env } = ana.env;
    expect((await examine(ana)).findings.map(({ check }) => check)).not.toContain('earlier desks');
    const left = await doctor(env, [], {});
    expect(left.exitCode, left.stderr).toBe(0);
    const { verdict, found, remedy } = left.at('earlier desks');
    const label = way.url.replace(/[^/]*@/, '');
    expect({ verdict, found }).toEqual({
      verdict: 'warning',
      found: `1 change waits in ${outboxOf(ana)} for the desk ${label}, which commands do not use now.`,
    });
    const [, address = '', line = ''] =
      /env BOTCTL_DESK_DATABASE=(\S+) botctl (desk status .*)/.exec(String(remedy)) ?? [];
    // A profile that names the desk does not help while the variable names another one.
    const set = ['profiles', 'set', line.split(' ').at(-1) ?? '', '--desk-database'];
    expect(await ana.run([...set, way.url], { env })).toMatchObject({ exitCode: 0 });
    const other = { ...env, BOTCTL_DESK_DATABASE: (await desk()).url };
    expect((await doctor(other, [], {})).at('earlier desks').verdict).toBe('warning');
    const changed = await ana.run([...set, other.BOTCTL_DESK_DATABASE], { env });
    expect(changed).toMatchObject({ exitCode: 2 });
    expect(changed.stderr).toContain('will not be');
    const ran = await ana.run(line.split(' '), { env: { ...env, BOTCTL_DESK_DATABASE: address } });
    expect(ran.stderr).toContain('Sent 1 queued change');
    expect((await doctor(other, [], {})).findings.map(({ check }) => check)).not.toContain('earlier desks');
    expect(await ana.json(['device', 'list', '--fields', 'name'])).toEqual([{ name: 'Entrance' }]);
  });

  it('names the changes queued for a desk whose database was replaced, with the commands that repeat them', async () => {
    const database = await desk();
    const way = await cuttableDatabase(database.url);
    const ana = await deskMachine(sandbox, way.url, 'Ana');
    await add(ana, 'Reception');
    way.cut();
    await add(ana, 'Entrance');
    way.mend();
    await database.run('update desk set id = gen_random_uuid()');
    expect((await ana.run(['device', 'list'])).stderr).toContain('is a different desk now');
    const { found, remedy } = (await examine(ana)).at('earlier desks');
    expect(found).toMatch(
      /^1 change waits in .*, whose database was replaced by another one: rename Entrance\.$/,
    );
    const [, line = ''] = /To rename Entrance anyway: botctl (.*)/.exec(String(remedy)) ?? [];
    expect(await ana.run([...line.split(' '), '--offline'])).toMatchObject({ exitCode: 0 });
    expect(await ana.json(['device', 'list', '--fields', 'name'])).toEqual([{ name: 'Entrance' }]);
  });

  it('shows each refused change with its reason, until it is repeated or dismissed', async () => {
    const database = await desk();
    const way = await cuttableDatabase(database.url);
    const ana = await deskMachine(sandbox, way.url, 'Ana');
    const bruno = await deskMachine(sandbox, database.url, 'Bruno');
    await add(ana, 'Reception');
    way.cut();
    await add(ana, "Ana's entrance");
    await add(bruno, 'Lobby');
    way.mend();
    const status = await statusOf(ana);
    expect(status).toMatchObject({
      ...{ waiting: 0, refused: 1, waiting_changes: [] },
      refused_changes: [
        {
          ...{ change: 'rename', name: "Ana's entrance", device_id: device },
          because: expect.stringContaining('Bruno'),
          repeat: `botctl device add ${device} --name "Ana's entrance"`,
        },
      ],
    });
    expect(status.stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /1 change of this machine was refused\. Rename Ana's entrance, at .*: Bruno .*changed the device/,
    );
    expect(status.stderr.match(/was refused/g)).toHaveLength(1);
    const { verdict, found, remedy } = (await examine(ana)).at('desk');
    expect(verdict).toBe('warning');
    expect(found).toContain("Rename Ana's entrance");
    expect(remedy).toContain('botctl desk dismiss');
    for (const command of ['list', 'status']) {
      const told = await ana.run(['device', command, ...(command === 'status' ? [device, device] : [])]);
      expect(told.stderr.split('was refused: botctl desk status')).toHaveLength(2);
    }
    expect((await bruno.run(['device', 'list'])).stderr).not.toContain('refused');
    expect((await ana.run(['desk', 'dismiss'])).exitCode).toBe(2);
    expect(await ana.json(['desk', 'dismiss', '--yes'])).toEqual({ dismissed: 1 });
    expect(await ana.json(['desk', 'dismiss'])).toEqual({ dismissed: 0 });
    expect((await examine(ana)).at('desk').verdict).toBe('ok');
    expect((await ana.run(['device', 'list'])).stderr).not.toContain('refused');
  });

  it('suggests how to queue refused changes again if the usual way is not possible', async () => {
    const ana = await deskMachine(sandbox, (await desk()).url, 'Ana');
    mkdirSync(join(ana.home, 'data'), { recursive: true });
    writeFileSync(join(ana.home, 'data', 'desks'), '');
    expect((await examine(ana)).at('desk')).toMatchObject({
      verdict: 'warning',
      found: expect.stringContaining('No change can wait'),
      remedy: expect.stringContaining(join(ana.home, 'data', 'desks')),
    });
  });

  it('counts the lines of the outbox that it cannot read', async () => {
    const ana = await deskMachine(sandbox, (await desk()).url, 'Ana');
    await add(ana, 'Reception');
    appendFileSync(outboxOf(ana), '{"kind":"of a later version"}\n{"kind":\n');
    const damaged = (await examine(ana)).at('desk');
    expect(damaged).toMatchObject({ verdict: 'warning', found: expect.stringContaining('2 lines in') });
    expect(damaged.remedy).toContain('remove them in an editor');
    if (process.getuid?.() === 0) return;
    chmodSync(outboxOf(ana), 0);
    const unreadable = (await examine(ana)).at('desk');
    expect(unreadable).toMatchObject({ verdict: 'warning', remedy: expect.stringContaining('chmod 600') });
  });

  it('is broken while files of this machine are not moved, until they are', async () => {
    const { url } = await desk();
    const home = temporaryDirectory();
    await add(await deskMachine(sandbox, undefined, 'Ana', home), 'Reception');
    const ana = await deskMachine(sandbox, url, 'Ana', home);
    const before = await examine(ana);
    expect(before.exitCode).toBe(2);
    expect(before.at('desk')).toMatchObject({
      verdict: 'broken',
      found: expect.stringMatching(/this user is an owner\. .*This machine has 1 device and 0 events/),
      remedy: expect.stringContaining('botctl desk migrate'),
    });
    await ana.run(['desk', 'migrate', '--yes']);
    expect((await examine(ana)).at('desk').verdict).toBe('ok');
  });

  it('is broken if the database has no desk, and still names the outbox', async () => {
    const database = await createDatabase();
    onTestFinished(database.drop);
    const ana = await deskMachine(sandbox, database.url, 'Ana');
    const examined = await examine(ana);
    expect(examined.exitCode).toBe(2);
    expect(examined.at('desk')).toMatchObject({
      verdict: 'broken',
      found: expect.stringMatching(/has no desk yet\..*No change waits\./),
      remedy: expect.stringContaining(`botctl desk migrate --database ${addressFor(database.url, 'OWNER')}`),
    });
  });
});

describe('doctor --bundle --device', () => {
  const password = 'canary-of-the-database';

  it('has the shared history with its authors, masked, and neither password nor user of the database', async () => {
    const database = await desk();
    const user = `canary_${randomUUID().replaceAll('-', '')}`;
    await database.run(`create role ${user} login superuser`);
    onTestFinished(async () => void (await database.run(`drop owned by ${user}; drop role ${user}`)));
    const bruno = await deskMachine(sandbox, database.url, 'Bruno');
    await add(bruno, 'Reception');
    const { origin } = new URL(sandbox.baseUrl);
    await database.run(`insert into history (id, origin, device, event, reason, phone_number, actor, host, at)
      select gen_random_uuid(), '${origin}', '${device}', 'lost', 'call ' || n || ' of +5511999990000', '+5511999990000', 'Bruno', 'front-2',
        now() - interval '1 minute' * (60 - n) from generate_series(1, 60) n`);
    const address = new URL(addressFor(database.url, user));
    address.password = password;
    const ana = await deskMachine(sandbox, address.href, 'Ana');
    await createProfiles(ana.home).configure(ana.env.BOTCTL_PROFILE ?? '', (earlier) => ({
      ...earlier,
      deskDatabase: addressFor(database.url, user),
    }));
    const file = join(ana.home, 'report.json');
    const ran = await ana.run(['doctor', '--bundle', file, '--device', 'Reception']);
    expect(ran.stderr).toContain(`Wrote the report to ${file}`);
    const text = readFileSync(file, 'utf8');
    const report = JSON.parse(text);
    expect(report.device.history).toHaveLength(50);
    expect(report.device.history.at(-1)).toMatchObject({
      ...{ event: 'lost', by: 'Bruno', from: 'front-2', dbUser: 'postgres' },
      ...{ phoneNumber: '+55…00', reason: 'call 60 of +55…00' },
    });
    expect(report.device.entry).toMatchObject({ name: 'Reception', notedBy: 'Bruno' });
    expect(text).not.toContain('99999');
    expect(text).not.toContain(user);
    expect(text).not.toContain(password);
    expect(report.profiles).toMatchObject([
      { operator: 'Ana', desk_database: expect.stringContaining('//…@') },
    ]);
    expect(report.environment.BOTCTL_DESK_DATABASE).toBe('(set)');
    expect(report.findings.map(({ check }: { check: string }) => check)).toContain('desk');
    const paths = report.files.map(({ path }: { path: string }) => path);
    expect(paths).toContainEqual(expect.stringMatching(/desks\/[0-9a-f]{16}\/book\.ndjson$/));
  });

  it('is written even if the database refuses the user, who has no role', async () => {
    const database = await desk();
    const user = 'canary_of_no_role';
    const ana = await deskMachine(sandbox, addressFor(database.url, user), 'Ana');
    const file = join(ana.home, 'report.json');
    const ran = await ana.run(['doctor', '--bundle', file, '--device', 'Reception']);
    expect(ran.stderr).toContain(`Wrote the report to ${file}`);
    const text = readFileSync(file, 'utf8');
    expect(JSON.parse(text).device).toMatchObject({ problem: expect.stringContaining('…') });
    expect(text).not.toContain(user);
  });

  it('contains what this machine last saw while the database is unavailable', async () => {
    const database = await desk();
    const way = await cuttableDatabase(database.url);
    const ana = await deskMachine(sandbox, way.url, 'Ana');
    await add(ana, 'Reception');
    await database.run(`insert into history (id, origin, device, event, actor, host)
      values (gen_random_uuid(), '${new URL(sandbox.baseUrl).origin}', '${device}', 'lost', 'Bruno', 'front-2')`);
    await ana.run(['device', 'history', 'Reception']);
    way.cut();
    await add(ana, 'Phone of +5511999990000', randomUUID());
    const file = join(ana.home, 'report.json');
    const ran = await ana.run(['doctor', '--bundle', file, '--device', 'Reception']);
    expect(ran.exitCode, ran.stderr).toBe(0);
    const report = JSON.parse(readFileSync(file, 'utf8'));
    expect(report.device.history).toMatchObject([
      { event: 'added', by: 'Ana' },
      { event: 'lost', by: 'Bruno' },
    ]);
    // The report names the waiting change, with the number in its name masked.
    expect(JSON.stringify(report.findings)).toContain('Phone of +55…00');
  });
});
