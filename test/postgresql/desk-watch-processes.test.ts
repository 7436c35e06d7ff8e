import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { botctl } from '../support/botctl.ts';
import { createDesk } from '../support/desk.ts';
import { cuttableDatabase } from '../support/desk-machine.ts';
import { openDirect } from '../support/direct.ts';
import { type Running, start } from '../support/process.ts';
import { requestsFromNow } from '../support/requests.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);
const preload = fileURLToPath(new URL('../support/other-clock.cjs', import.meta.url));
const minuteMs = 60_000;
let team = '';
let bot = '';

beforeEach(async () => {
  team = await service.team('Aurora Coffee');
  bot = await service.createBot(team, 'Front desk');
});

/** Creates devices, and adds them to the device book of a desk. */
async function devices(count: number, database: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) ids.push(await service.device(team, bot, `Till ${at}`));
  const seen_at = new Date().toISOString();
  const { exitCode, stderr } = await botctl(['device', 'import', '-'], {
    env: { ...sandbox.env, BOTCTL_DESK_DATABASE: database },
    stdin: JSON.stringify(ids.map((id, at) => ({ id, name: `Till ${at}`, seen_at }))),
  });
  expect(exitCode, stderr).toBe(0);
  return ids;
}

interface Event {
  readonly at: string;
  readonly device_id?: string;
  readonly state?: string;
  readonly read_at?: string;
}

/** A watch in a process of its own. */
interface Watcher extends Running {
  readonly aheadMs: number;
  events(): readonly Event[];
  /** Returns the states of a device so far. */
  statesOf(device: string): readonly (string | undefined)[];
  /** Waits until it has shown this many devices. */
  has(count: number): Promise<void>;
  /** Waits until the last state that it shows of a device is this one. */
  shows(device: string, state: string): Promise<void>;
}

interface Pace {
  readonly everyMs: number;
  readonly maxRps: number;
}

/** Starts a watch of all devices, with a home of its own. */
function watcher(database: string, { everyMs, maxRps }: Pace, aheadMs = 0): Watcher {
  const pace = ['--every', `${everyMs / 1000}s`, '--max-rps', String(maxRps)];
  const env = {
    ...sandbox.env,
    BOTCTL_DESK_DATABASE: database,
    NODE_OPTIONS: `--require ${preload}`,
    BOTCTL_TEST_CLOCK_AHEAD: String(aheadMs),
  };
  const running = start(['device', 'watch', '--all', ...pace, '-o', 'ndjson'], { env });
  const events = (): readonly Event[] =>
    running.output.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  const statesOf = (device: string) =>
    events().flatMap(({ device_id, state }) => (device_id === device ? [state] : []));
  return {
    ...running,
    aheadMs,
    events,
    statesOf,
    has: (count) => running.until(() => new Set(events().map(({ device_id }) => device_id)).size >= count),
    shows: (device, state) => running.until(() => statesOf(device).at(-1) === state),
  };
}

const wait = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Returns the readings of a device per second while some work runs. */
async function readingsDuring(work: () => Promise<unknown>): Promise<number> {
  const requests = await requestsFromNow(sandbox);
  const begun = performance.now();
  await work();
  const seconds = (performance.now() - begun) / 1000;
  const others = ['createToken', 'listKeys'];
  return (await requests()).filter(({ operation = '' }) => !others.includes(operation)).length / seconds;
}

describe('eight watchers of one desk', () => {
  it('read 500 devices as often as one does, and show a change and its age although their clocks differ', async () => {
    const pace = { everyMs: 10_000, maxRps: 50 };
    const usual = 500 / 10;
    const { url } = await createDesk();
    const [changing = ''] = await devices(500, url);
    const first = watcher(url, pace);
    await first.has(500);
    const alone = await readingsDuring(() => wait(pace.everyMs / 2));
    const clocks = [5, -5, 0, 5, -5, 0, -5].map((minutes) => minutes * minuteMs);
    let all = [first];
    const together = await readingsDuring(async () => {
      all = [first, ...clocks.map((aheadMs) => watcher(url, pace, aheadMs))];
      await Promise.all(all.map((one) => one.has(500)));
      await wait(pace.everyMs);
    });
    expect(together).toBeLessThanOrEqual(1.2 * Math.max(alone, usual));

    await service.connect(changing);
    await Promise.all(all.map((one) => one.shows(changing, 'ready')));
    for (const { aheadMs, events, output, statesOf } of all) {
      expect(output.stderr).not.toContain('is away');
      expect(statesOf(changing).at(0)).toBe('never_connected');
      const real = Date.now() + aheadMs;
      for (const { at, read_at = '' } of events()) {
        expect(Math.abs(Date.parse(at) - real)).toBeLessThan(4 * minuteMs);
        // A clock that is five minutes wrong would exceed this.
        expect(Math.abs(Date.parse(at) - Date.parse(read_at))).toBeLessThan(minuteMs);
      }
    }
  }, 180_000);

  it('each read on their own while the database is unavailable, report that once, and share again', async () => {
    const pace = { everyMs: 2000, maxRps: 5 };
    const usual = 10 / 2;
    const { url } = await createDesk();
    const [changing = ''] = await devices(10, url);
    const way = await cuttableDatabase(url);
    const all = Array.from({ length: 8 }, () => watcher(way.url, pace));
    await Promise.all(all.map((one) => one.has(10)));
    way.cut();
    await Promise.all(all.map((one) => one.until((_, stderr) => stderr.includes('is away'))));
    // Until then, the other watchers' readings are used.
    await wait(2 * pace.everyMs);
    const apart = await readingsDuring(async () => {
      await service.connect(changing);
      await Promise.all(all.map((one) => one.shows(changing, 'ready')));
      // Long enough that each watcher's initial burst of calls matters little.
      await wait(4 * pace.everyMs);
    });
    expect(apart).toBeGreaterThan(3 * usual);
    expect(apart).toBeLessThan(1.2 * 8 * pace.maxRps);
    way.mend();
    for (const one of all) one.process.kill('SIGUSR2');
    await wait(2 * pace.everyMs);
    const together = await readingsDuring(() => wait(2 * pace.everyMs));
    expect(together).toBeLessThanOrEqual(1.2 * usual + 1);
    for (const { output, process: child } of all) {
      expect(child.exitCode).toBeNull();
      expect(output.stderr.match(/is away/g)).toHaveLength(1);
    }
  }, 180_000);

  it('continue if the database is restored to an earlier state', async () => {
    const pace = { everyMs: 2000, maxRps: 5 };
    const database = await createDesk();
    const [changing = '', missing = ''] = await devices(10, database.url);
    const all = Array.from({ length: 8 }, () => watcher(database.url, pace));
    await Promise.all(all.map((one) => one.has(10)));
    await database.run('create table saved as select * from readings');
    await database.run(`delete from saved where device = '${missing}'`);
    await service.connect(changing);
    await Promise.all(all.map((one) => one.shows(changing, 'ready')));
    await database.run('alter table readings rename to dropped');
    await Promise.all(
      all.map((one) => one.until((_, stderr) => stderr.includes('not shared at the moment'))),
    );
    await database.run(
      'truncate dropped; insert into dropped select * from saved; alter table dropped rename to readings',
    );
    for (const one of all) one.process.kill('SIGUSR2');
    await service.connect(missing);
    await Promise.all(all.map((one) => one.shows(missing, 'ready')));
    const [row] = await database.run(
      `select status->>'connected' as up from readings where device = '${missing}'`,
    );
    expect(row).toEqual({ up: 'true' });
    for (const { output, process: child, statesOf } of all) {
      expect(child.exitCode).toBeNull();
      expect(output.stderr.match(/not shared at the moment/g)).toHaveLength(1);
      const states = statesOf(changing);
      expect(states.slice(states.indexOf('ready'))).toEqual(['ready']);
    }
  }, 180_000);
});
