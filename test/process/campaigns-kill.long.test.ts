import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { CampaignOnFile } from '../../src/campaigns/files/campaign-run.ts';
import { campaignPath } from '../../src/campaigns/files/file-store.ts';
import { addFault, clearFaults, readMessages } from '../../src/sandbox/control/client.ts';
import type { FaultRequest } from '../../src/sandbox/faults/fault.ts';
import { botctl, temporaryDirectory } from '../support/botctl.ts';
import { openDirect } from '../support/direct.ts';
import { type Running, start } from '../support/process.ts';
import { givenSeed } from '../support/property-seed.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);

const count = 2000;
const kills = 50;
const seed = givenSeed ?? Math.floor(Math.random() * 2 ** 31);
const target = 'POST /api/openapi/v1/send';

/** When a run is killed: so many milliseconds after it has sent this many more. */
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

let home: string;
let deviceId: string;

beforeEach(async () => {
  home = temporaryDirectory();
  const teamId = await service.team('Aurora Coffee');
  deviceId = await service.device(teamId, await service.createBot(teamId, 'Front desk'), 'Reception');
  await service.connect(deviceId);
});

const env = () => ({ ...sandbox.env, BOTCTL_CONFIG_DIR: home });
const numberOf = (at: number): string => `+55119${String(80_000_000 + at)}`;

async function create(name: string, first: number, rows: number, ...more: readonly string[]): Promise<void> {
  const lines = Array.from({ length: rows }, (_, at) => numberOf(first + at));
  const line = [
    'campaigns',
    'create',
    name,
    '--recipients',
    '-',
    '--device',
    deviceId,
    '--message',
    `of ${name}`,
  ];
  const made = await botctl([...line, ...more], { stdin: `phone\n${lines.join('\n')}\n`, env: env() });
  expect(made.exitCode, made.stderr).toBe(0);
}

const run = (...names: readonly string[]): Running =>
  start(['campaigns', 'run', ...names, '--yes'], { env: env() });
const open = (name: string) =>
  new CampaignOnFile(campaignPath(`${home}/data`, new URL(sandbox.baseUrl).origin, name), name);

/** Everything that the service sent through the device, in its order. */
async function sent() {
  const rows: Awaited<ReturnType<typeof readMessages>>['rows'][number][] = [];
  for (let after: string | undefined, more = true; more; ) {
    const page = await readMessages(sandbox.control, { limit: 100, ...(after && { after }) });
    rows.push(...page.rows);
    ({ cursor: after, more } = page);
  }
  return rows.filter(({ device_id: device }) => device === deviceId);
}

describe('campaigns run', () => {
  it(`sends no number two messages, and accounts for every row, killed ${kills} times between faults (seed ${seed})`, async () => {
    await create('spring', 0, count, '--gap', '0s');
    for (const fault of faults) await addFault(sandbox.control, fault);
    const campaign = open('spring');
    const left = (): number => {
      campaign.read();
      return campaign.tally(0).planned;
    };
    for (const { more, wait } of moments) {
      const goal = left() - more;
      const running = run('spring');
      // One that a lost answer too many has paused is as good as killed.
      while (left() > Math.max(0, goal) && running.process.exitCode === null) await sleep(5);
      await sleep(wait);
      running.process.kill('SIGKILL');
      await running.ended;
    }
    await clearFaults(sandbox.control, undefined);
    const last = run('spring');
    expect([0, 12], last.output.stderr).toContain(await last.ended);
    const { rows } = campaign.read();
    const tally = campaign.tally(0);
    expect(tally).toMatchObject({ planned: 0, sending: 0, rejected: 0, skipped: 0 });
    expect(tally.accepted + tally.unknown).toBe(count);
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

  it('keeps the pause and the number of a day of a device over three processes and two campaigns', async () => {
    const gap = 300;
    // No day may end meanwhile: a zone where it is about noon.
    const ahead = 12 - new Date().getUTCHours();
    const noon = ahead === 0 ? 'UTC' : `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
    await create('spring', 0, 20, '--gap', '100ms..200ms', '--daily', '15', '--tz', noon);
    await create('winter', 100, 20, '--gap', `${gap}ms`, '--daily', '15', '--tz', noon);
    const running = [run('spring', 'winter'), run('winter', 'spring'), run('winter')];
    for (const one of running) expect(await one.ended, one.output.stderr).toBe(9);
    const messages = await sent();
    expect(messages).toHaveLength(15);
    const times = messages.map(({ time }) => Date.parse(time));
    const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
    // The service notes a message before its answer comes, from which the pause counts.
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(gap);
  }, 120_000);
});
