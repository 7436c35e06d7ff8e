import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CampaignStore } from '../../src/campaigns/store/campaign-store.ts';
import type { AcceptedMessage } from '../../src/sandbox/accepted-messages.ts';
import { callControl } from '../../src/sandbox/control/client.ts';
import type { FaultRequest } from '../../src/sandbox/faults/fault.ts';
import { botctl } from '../support/botctl.ts';
import { placeOnMachine, placeOnServer, type StorePlace } from '../support/campaign-stores.ts';
import { openDirect } from '../support/direct.ts';
import { eventually } from '../support/eventually.ts';
import { type Running, start } from '../support/process.ts';
import { givenSeed } from '../support/properties.ts';
import { useSandbox } from '../support/sandbox.ts';
import { storedCampaign } from '../support/stored-campaign.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);

const count = 2000;
const kills = 20;
const seed = givenSeed ?? Math.floor(Math.random() * 2 ** 31);
const target = 'POST /api/openapi/v1/send';

/** The moments at which a run is killed: after this many more messages, and some milliseconds later. */
const moments = fc.sample(
  fc.record({ more: fc.integer({ min: 1, max: 30 }), wait: fc.integer({ min: 0, max: 15 }) }),
  { seed, numRuns: kills },
);

const faults: readonly FaultRequest[] = [
  { target, effect: { kind: 'reset', when: 'before' }, rate: 0.01, seed: `${seed} before` },
  { target, effect: { kind: 'reset', when: 'after' }, rate: 0.01, seed: `${seed} after` },
  { target, effect: { kind: 'status', status: 429, retry_after: 0 }, rate: 0.02, seed: `${seed} 429` },
  { target, effect: { kind: 'status', status: 500 }, rate: 0.01, seed: `${seed} 500` },
];

/** The number of concurrent sending processes, and of devices that they send through. */
const [processes, deviceCount] = [4, 2];

let place: StorePlace;
let store: CampaignStore;
let devices: readonly string[];

beforeEach(async () => {
  const teamId = await service.team('Aurora Coffee');
  const made: string[] = [];
  for (let device = 0; device < deviceCount; device += 1) {
    const id = await service.device(teamId, await service.createBot(teamId, 'Front desk'), `Desk ${device}`);
    await service.connect(id);
    made.push(id);
  }
  devices = made;
});

const env = () => ({ ...sandbox.env, ...place.env });
const origin = () => new URL(sandbox.baseUrl).origin;
const numberOf = (at: number): string => `+55119${String(80_000_000 + at)}`;

async function create(
  name: string,
  { first, rows, through = devices }: { first: number; rows: number; through?: readonly string[] },
  ...more: readonly string[]
): Promise<void> {
  const lines = Array.from({ length: rows }, (_, at) => numberOf(first + at));
  const line = ['campaigns', 'create', name, '--recipients', '-', '--message', `of ${name}`];
  const given = through.flatMap((device) => ['--device', device]);
  const made = await botctl([...line, ...given, ...more], {
    stdin: `phone\n${lines.join('\n')}\n`,
    env: env(),
  });
  expect(made.exitCode, made.stderr).toBe(0);
}

// A short request timeout: a device stays locked for twice as long after its process was killed.
const run = (...names: readonly string[]): Running =>
  start(['campaigns', 'run', ...names, '--yes', '--request-timeout', '1s'], { env: env() });

/** Returns all messages that the service sent through the devices, in its order. */
async function sent() {
  const rows: AcceptedMessage[] = [];
  for (let after: string | undefined, more = true; more; ) {
    const page = await callControl(sandbox.control, '/messages', { limit: 100, ...(after && { after }) });
    rows.push(...page.rows);
    ({ cursor: after, more } = page);
  }
  return rows.filter(({ device_id: device }) => devices.includes(device));
}

describe.each([
  ['a SQLite file', placeOnMachine],
  ['a database on a server', placeOnServer],
] as const)('campaigns run, with campaigns in %s,', (kind, makePlace) => {
  beforeEach(async () => {
    place = await makePlace();
    store = await place.open();
  });

  it(`sends no number two messages, and accounts for every row, killed ${kills} times between faults (seed ${seed})`, async () => {
    await create('spring', { first: 0, rows: count }, '--gap', '0s');
    for (const fault of faults) await callControl(sandbox.control, '/fault/add', fault);
    const counts = async () => {
      const found = await store.look(origin(), 'spring');
      if (!found) throw new Error('there is no campaign spring');
      return found.counts;
    };
    const left = async () => (await counts()).planned;
    const running = Array.from({ length: processes }, () => run('spring'));
    for (const [at, { more, wait }] of moments.entries()) {
      const victim = at % processes;
      const goal = (await left()) - more;
      const one = running[victim];
      if (!one) throw new Error('nothing runs');
      // A run that stopped after too many lost answers counts as killed.
      while ((await left()) > Math.max(0, goal) && one.process.exitCode === null) await sleep(5);
      await sleep(wait);
      one.process.kill('SIGKILL');
      await one.ended;
      running[victim] = run('spring');
    }
    await callControl(sandbox.control, '/fault/clear', {});
    for (const one of running) await one.ended;
    const last = run('spring');
    expect([0, 12], last.output.stderr).toContain(await last.ended);
    const tally = await counts();
    expect(tally).toMatchObject({ rows: count, planned: 0, sending: 0, rejected: 0 });
    expect(tally.accepted + tally.unknown).toBe(count);
    const rows = (await storedCampaign(store, origin(), 'spring'))?.rows ?? [];
    const numbers = (await sent()).map(({ destination_number: number }) => number);
    expect(new Set(numbers).size).toBe(numbers.length);
    const arrived = new Set(numbers);
    const lacking = rows.filter(({ state, to = '' }) => state === 'accepted' && !arrived.has(to));
    expect(lacking.map(({ row }) => row)).toEqual([]);
    const accounted = new Set(
      rows.filter(({ state }) => ['accepted', 'unknown'].includes(state)).map(({ to }) => to),
    );
    expect(numbers.filter((number) => !accounted.has(number))).toEqual([]);
  }, 900_000);

  it('keeps the pause and the daily count of a device over three processes and two campaigns', async () => {
    const gap = 300;
    const [device = ''] = devices;
    // No day may end meanwhile, so this picks a time zone where it is about noon.
    const ahead = 12 - new Date().getUTCHours();
    const noon = ahead === 0 ? 'UTC' : `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
    const pace = ['--daily', '15', '--tz', noon];
    const through = [device];
    await create('spring', { first: 0, rows: 20, through }, '--gap', '100ms..200ms', ...pace);
    await create('winter', { first: 100, rows: 20, through }, '--gap', `${gap}ms`, ...pace);
    const running = [run('spring', 'winter'), run('winter', 'spring'), run('winter')];
    for (const one of running) expect(await one.ended, one.output.stderr).toBe(9);
    const messages = (await sent()).filter(({ device_id: its }) => its === device);
    expect(messages).toHaveLength(15);
    const times = messages.map(({ time }) => Date.parse(time));
    const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
    // The service records a message before its answer arrives, from which the pause is measured.
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(gap);
  }, 120_000);

  it.runIf(kind === 'a SQLite file')(
    'marks the row of a killed process as unknown, and continues at once on the same machine',
    async () => {
      const through = devices.slice(0, 1);
      await create('spring', { first: 0, rows: 2, through }, '--gap', '0s');
      const delay = await callControl(sandbox.control, '/fault/add', { target, delay: 3000 });
      const killed = start(['campaigns', 'run', 'spring', '--yes', '--request-timeout', '60s'], {
        env: env(),
      });
      await eventually(async () =>
        (await callControl(sandbox.control, '/fault/list', {})).some(
          ({ id, met }) => id === delay.id && met > 0,
        ),
      );
      killed.process.kill('SIGKILL');
      await killed.ended;
      await callControl(sandbox.control, '/fault/clear', {});
      const begun = performance.now();
      expect(await run('spring').ended).toBe(12);
      // The lease lasts for two minutes.
      expect(performance.now() - begun).toBeLessThan(60_000);
      expect((await storedCampaign(store, origin(), 'spring'))?.rows).toMatchObject([
        { state: 'unknown' },
        { state: 'accepted' },
      ]);
    },
    120_000,
  );
});
