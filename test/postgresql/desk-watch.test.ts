import { setTimeout as wait } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { callControl } from '../../src/sandbox/control/client.ts';
import { botctl, temporaryDirectory } from '../support/botctl.ts';
import { createDesk } from '../support/desk.ts';
import { cuttableDatabase } from '../support/desk-machine.ts';
import { readerOf } from '../support/desk-roles.ts';
import { openDirect } from '../support/direct.ts';
import { callsFromNow } from '../support/requests.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);
let bot = '';
let team = '';

beforeEach(async () => {
  team = await service.team('Aurora Coffee');
  bot = await service.createBot(team, 'Front desk');
});

/** Returns the environment of a machine of a desk. */
function machine(database: string): Readonly<Record<string, string>> {
  return { ...sandbox.env, BOTCTL_CONFIG_DIR: temporaryDirectory(), BOTCTL_DESK_DATABASE: database };
}

async function devices(count: number, env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const line = ['device', 'create', `Till ${at}`, '--bot', bot, '--discard-token', '-o', 'id'];
    ids.push((await botctl(line, { env })).stdout.trim());
  }
  return ids;
}

type Row = Readonly<Record<string, unknown>>;

const rowsOf = (stdout: string): readonly Row[] =>
  stdout
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

const watching = (seconds: number, ...more: readonly string[]) => [
  ...[
    'device',
    'watch',
    '--all',
    '--every',
    '2s',
    '--max-rps',
    '50',
    '--timeout',
    `${seconds}s`,
    '-o',
    'ndjson',
  ],
  ...more,
];

describe('watchers of one desk', () => {
  it('all see a change, and who read it', async () => {
    const { url } = await createDesk();
    const machines = Array.from({ length: 8 }, () => machine(url));
    const [first = machine(url)] = machines;
    const [id = ''] = await devices(10, first);
    setTimeout(() => void service.connect(id), 3000);
    const ran = await Promise.all(machines.map((env) => botctl(watching(11), { env })));
    for (const { exitCode, stderr, stdout } of ran) {
      expect(exitCode, stderr).toBe(0);
      const rows = rowsOf(stdout);
      const seen = rows.filter(({ device_id: device }) => device === id);
      expect(seen.at(-1)).toMatchObject({ state: 'ready', read_by: expect.any(String) });
      expect(new Set(rows.map(({ device_id: device }) => device)).size).toBeGreaterThanOrEqual(10);
    }
  }, 60_000);

  it('run a hook once for a change', async () => {
    const { url } = await createDesk();
    const machines = Array.from({ length: 4 }, () => machine(url));
    const [first = machine(url)] = machines;
    const [id = ''] = await devices(2, first);
    const line = watching(
      12,
      '--hook',
      'night',
      '--exec',
      process.execPath,
      '-e',
      'process.stdin.pipe(process.stderr)',
    );
    setTimeout(() => void service.connect(id), 2500);
    const ran = await Promise.all(machines.map((env) => botctl(line, { env })));
    const fired = ran.flatMap(({ stderr }) => stderr.match(/"state":"ready"/g) ?? []);
    expect(fired, ran.map(({ stderr }) => stderr).join('\n')).toHaveLength(1);
  }, 60_000);

  it('run a hook at each watch while the database is unavailable, rather than not at all', async () => {
    const { url } = await createDesk();
    const way = await cuttableDatabase(url);
    const [id = ''] = await devices(1, machine(url));
    const line = watching(14, '--exec', process.execPath, '-e', 'process.stdin.pipe(process.stderr)');
    setTimeout(way.cut, 3000);
    setTimeout(() => void service.connect(id), 4000);
    const ran = await Promise.all([1, 2].map(() => botctl(line, { env: machine(way.url) })));
    for (const { stderr } of ran) {
      expect(stderr.match(/"state":"ready"/g), stderr).toHaveLength(1);
      expect(stderr).toContain('so each watch runs its own hooks now');
    }
  }, 60_000);

  it('watch devices that a colleague adds or renames, and stop watching forgotten ones', async () => {
    const { url } = await createDesk();
    const colleague = machine(url);
    const [kept, forgotten, renamed] = await devices(3, colleague);
    let added = '';
    const change = wait(3000).then(async () => {
      await botctl(['device', 'add', String(renamed), '--name', 'Counter', '--offline'], { env: colleague });
      const create = ['device', 'create', 'Late', '--bot', bot, '--discard-token', '-o', 'id'];
      added = (await botctl(create, { env: colleague })).stdout.trim();
      return botctl(['device', 'forget', String(forgotten), '--yes'], { env: colleague });
    });
    const { exitCode, stderr, stdout } = await botctl(watching(24), { env: machine(url) });
    expect((await change).exitCode).toBe(0);
    expect(exitCode, stderr).toBe(0);
    const rows = rowsOf(stdout);
    const eventsOf = (id: unknown) =>
      rows.filter(({ device_id: device }) => device === id).map(({ event }) => event);
    expect(eventsOf(kept)).toEqual(['state']);
    expect(eventsOf(forgotten)).toEqual(['state', 'forgotten']);
    expect(eventsOf(added)).toEqual(['added', 'state']);
    expect(stderr).toMatch(/Till 1 was forgotten by .+, so it is no longer watched\./);
    expect(stderr).toContain('Till 2 is now called Counter.');
    expect(stderr).toContain('Late was added to the device book, so it is now watched.');
  }, 60_000);

  it('store that a device has a code without the code, and keep a reading if the next one fails', async () => {
    const database = await createDesk();
    const env = machine(database.url);
    const [id = ''] = await devices(1, env);
    await botctl(['device', 'connect', id, '--no-wait'], { env });
    await botctl(watching(3), { env });
    const stored = 'select status, status::text as text, read_at from readings';
    const before = await database.run(stored);
    expect(before).toMatchObject([{ status: { has_code: true } }]);
    expect(String(before[0]?.text)).not.toMatch(/data:|base64/);
    await callControl(sandbox.control, '/fault/add', {
      target: 'getDeviceStatus',
      effect: { kind: 'status', status: 404 },
    });
    await botctl(watching(5), { env });
    expect(await database.run(stored)).toEqual(before);
  }, 60_000);

  it('continue on their own while the database is unavailable', async () => {
    const { url } = await createDesk();
    const way = await cuttableDatabase(url);
    const env = machine(way.url);
    const [id = ''] = await devices(1, env);
    setTimeout(way.cut, 1500);
    setTimeout(() => void service.connect(id), 2000);
    const { stdout, stderr, exitCode } = await botctl(watching(9), { env });
    expect(exitCode, stderr).toBe(0);
    expect(rowsOf(stdout).at(-2)).toMatchObject({ state: 'ready' });
    expect(stderr).toContain('is away');
  }, 60_000);

  it('share their readings again within seconds when the database is available', async () => {
    const { url, run } = await createDesk();
    const way = await cuttableDatabase(url);
    const env = machine(way.url);
    await devices(1, env);
    setTimeout(way.cut, 1500);
    setTimeout(() => void run('update readings set observer = null').then(way.mend), 4000);
    const { stderr, exitCode } = await botctl(watching(14), { env });
    expect(exitCode, stderr).toBe(0);
    expect(stderr).toMatch(/is away .*\n(.*\n)*The desk's database is back\.\n/);
    expect(await run('select 1 from readings where observer is not null')).toHaveLength(1);
  }, 60_000);

  it('read on their own if the server is temporarily read-only, as a standby is', async () => {
    const { url, run } = await createDesk();
    await devices(1, machine(url));
    await run(`alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`);
    const { stdout, stderr, exitCode } = await botctl(watching(3), { env: machine(url) });
    expect(exitCode, stderr).toBe(0);
    expect(rowsOf(stdout)).toContainEqual(expect.objectContaining({ state: 'never_connected' }));
    expect(stderr).toContain('is away');
    expect(stderr).not.toMatch(/(may|can) only read/);
  }, 60_000);

  it('continue on their own while the database is overloaded', async () => {
    const database = await createDesk();
    const env = machine(database.url);
    const [id = ''] = await devices(1, env);
    const held = wait(1500).then(() => database.hold('lock table readings in exclusive mode'));
    setTimeout(() => void service.connect(id), 2000);
    try {
      const { stdout, stderr, exitCode } = await botctl(watching(12), { env });
      expect(exitCode, stderr).toBe(0);
      expect(rowsOf(stdout).at(-2)).toMatchObject({ state: 'ready' });
      expect(stderr).toContain('is away');
    } finally {
      await (await held)();
    }
  }, 60_000);

  it('read on their own for a read-only user whose key has no account, report that, and list the keys once', async () => {
    const database = await createDesk();
    await devices(2, machine(database.url));
    const env = machine(await readerOf(database));
    const calls = await callsFromNow(sandbox);
    const { stdout, stderr } = await botctl(watching(4), { env });
    expect(rowsOf(stdout)).toContainEqual(expect.objectContaining({ state: 'never_connected' }));
    expect(stderr).toContain('This watch reads the devices from the service: your user');
    expect((await calls('GET')).filter((call) => call.endsWith('/api-keys'))).toHaveLength(1);
  }, 60_000);

  it('run no hooks for a read-only user', async () => {
    const database = await createDesk();
    await devices(1, machine(database.url));
    const env = machine(await readerOf(database));
    const { exitCode, stderr } = await botctl(watching(4, '--exec', 'true'), { env });
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain("can only read, so it can't run hooks.");
    expect(stderr).toContain('botctl help desk');
  }, 60_000);

  it('do not wait for a colleague who reads less often, for a read-only user', async () => {
    const database = await createDesk();
    const [id = ''] = await devices(1, machine(database.url));
    await botctl(watching(3), { env: machine(database.url) });
    await database.run('update readings set read_at = clock_timestamp(), interval_ms = 600000');
    const env = machine(await readerOf(database));
    setTimeout(() => void service.connect(id), 1000);
    const { stdout } = await botctl(watching(14), { env });
    expect(rowsOf(stdout).map(({ state }) => state)).toContain('ready');
  }, 60_000);
});
