import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { campaignPath, createFileStore } from '../../../src/campaigns/files/file-store.ts';
import { inTurn } from '../../../src/campaigns/files/in-turn.ts';
import { holdLane } from '../../../src/campaigns/files/lane-file.ts';
import { writeMark } from '../../../src/campaigns/files/mark.ts';
import { createOptOuts } from '../../../src/campaigns/files/opt-outs.ts';
import { withRequest } from '../../../src/campaigns/lane.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { Failure } from '../../../src/lib/errors.ts';
import { addFault, clearFaults, listFaults, readMessages } from '../../../src/sandbox/control/client.ts';
import type { FaultEffect } from '../../../src/sandbox/faults/fault.ts';
import { botctl, type RunOptions, temporaryDirectory } from '../../support/botctl.ts';
import { openDirect } from '../../support/direct.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);
const { signal } = new AbortController();

let home: string;
let teamId: string;
let deviceId: string;

beforeEach(async () => {
  home = temporaryDirectory();
  teamId = await service.team('Aurora Coffee');
  deviceId = await service.device(teamId, await service.createBot(teamId, 'Front desk'), 'Reception');
  await service.connect(deviceId);
});
afterEach(() => clearFaults(sandbox.control, undefined));

const botctlHere = (args: readonly string[], options: RunOptions = {}) =>
  botctl(args, { ...options, env: { ...sandbox.env, BOTCTL_CONFIG_DIR: home, ...options.env } });
const data = () => join(home, 'data');
const store = () => createFileStore(data(), signal);
const origin = () => new URL(sandbox.baseUrl).origin;

async function spring() {
  const stored = await store().get(origin(), 'spring');
  if (!stored) throw new Error('there is no campaign spring');
  return stored.campaign;
}

/** Makes a campaign with so many rows, sent without a pause. */
async function create(rows: number, name = 'spring', ...more: readonly string[]): Promise<void> {
  const people = Array.from({ length: rows }, (_, at) => `P${at},+55119888800${String(at).padStart(2, '0')}`);
  const list = `name,phone\n${people.join('\n')}\n`;
  const line = [
    'campaigns',
    'create',
    name,
    '--recipients',
    '-',
    '--device',
    deviceId,
    '--message',
    'Hi {{ name }}',
  ];
  const gap = more.includes('--gap') ? [] : ['--gap', '0s'];
  const made = await botctlHere([...line, ...gap, ...more], { stdin: list });
  expect(made.exitCode, made.stderr).toBe(0);
}

const run = (options: RunOptions = {}, ...more: readonly string[]) =>
  botctlHere(['campaigns', 'run', 'spring', '--yes', '-o', 'json', ...more], {
    clock: new FakeClock(),
    ...options,
  });
const states = async (name = 'spring') => (await store().get(origin(), name))?.rows.map(({ state }) => state);
const sent = async () =>
  (await readMessages(sandbox.control, { limit: 100 })).rows.map(({ destination_number: to }) => to);
const fails = (effect: FaultEffect, times?: number) =>
  addFault(sandbox.control, { target: 'POST /api/openapi/v1/send', effect, ...(times && { times }) });

describe('campaigns run', () => {
  it('sends each planned row once, also where it is run again', async () => {
    await create(3);
    const ran = await run();
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject([{ device: deviceId, accepted: 3, left: 0, ended: 'done' }]);
    expect(await sent()).toHaveLength(3);
    expect(await states()).toEqual(['accepted', 'accepted', 'accepted']);
    expect(await run()).toMatchObject({ exitCode: 0 });
    expect(await sent()).toHaveLength(3);
  });

  it.each<readonly [string, FaultEffect, number, string]>([
    ['the connection breaks before the message is taken', { kind: 'reset', when: 'before' }, 12, 'unknown'],
    ['the connection breaks after the message is taken', { kind: 'reset', when: 'after' }, 12, 'unknown'],
    ['half an answer comes', { kind: 'truncate' }, 12, 'unknown'],
    ['the service fails', { kind: 'status', status: 500 }, 12, 'unknown'],
    ['the service is not there', { kind: 'status', status: 503 }, 12, 'unknown'],
    ['a failure is called a refusal', { kind: 'status', status: 500, code: 'BAD_REQUEST' }, 12, 'unknown'],
    ['the message is refused', { kind: 'status', status: 400 }, 10, 'rejected'],
    ['there are too many requests', { kind: 'status', status: 429, retry_after: 7 }, 0, 'accepted'],
  ])('ends with what is known where %s', async (_, effect, exitCode, state) => {
    await create(2);
    await fails(effect, 1);
    const before = (await sent()).length;
    const ran = await run();
    expect(ran.exitCode, ran.stderr).toBe(exitCode);
    expect(await states()).toEqual([state, 'accepted']);
    const isTaken = state === 'accepted' || effect.kind === 'truncate';
    const isReset = effect.kind === 'reset' && effect.when === 'after';
    expect((await sent()).length - before).toBe(isTaken || isReset ? 2 : 1);
  });

  it('sends nothing more, and takes nothing for sent, where the key is not accepted', async () => {
    await create(2);
    await fails({ kind: 'status', status: 401 });
    expect(await run()).toMatchObject({ exitCode: 4, stdout: '' });
    expect(await states()).toEqual(['planned', 'planned']);
  });

  it('ends with 7 where the service has too many requests for longer than is waited for', async () => {
    await create(1);
    await fails({ kind: 'status', status: 429, retry_after: 100 });
    expect(await run()).toMatchObject({ exitCode: 7 });
    expect(await states()).toEqual(['planned']);
  });

  it('asks nothing of a service for as long as that says', async () => {
    await create(1);
    await fails({ kind: 'status', status: 429, retry_after: 150 }, 1);
    const clock = new FakeClock();
    const begun = clock.now();
    expect(await run({ clock }, '--wait')).toMatchObject({ exitCode: 0 });
    expect(clock.waits.filter((wait) => wait > 1000)).toEqual([60_000, 60_000, 30_000]);
    expect(Date.parse((await store().get(origin(), 'spring'))?.rows[0]?.at ?? '') - begun).toBe(150_000);
  });

  it('pauses a device after three lost answers in a row, and goes on with the next run', async () => {
    await create(5);
    await fails({ kind: 'status', status: 502 }, 3);
    const ran = await run();
    expect(ran.exitCode).toBe(12);
    expect(JSON.parse(ran.stdout)).toMatchObject([{ unknown: 3, left: 2, ended: 'stuck' }]);
    expect(await run()).toMatchObject({ exitCode: 12 });
    expect(await states()).toEqual(['unknown', 'unknown', 'unknown', 'accepted', 'accepted']);
  });

  it('pauses a device after five equal rejections, and sends what was rejected again only where that is said', async () => {
    await create(7);
    await fails({ kind: 'status', status: 400 }, 5);
    expect(JSON.parse((await run()).stdout)).toMatchObject([{ rejected: 5, left: 2, ended: 'stuck' }]);
    expect((await run()).exitCode).toBe(10);
    expect((await states())?.filter((state) => state === 'rejected')).toHaveLength(5);
    expect(await run({}, '--retry', 'rejected')).toMatchObject({ exitCode: 0 });
    expect(new Set(await states())).toEqual(new Set(['accepted']));
  });

  it('sends again what may have been sent only by the name of the campaign', async () => {
    await create(1);
    await fails({ kind: 'reset', when: 'after' }, 1);
    expect((await run()).exitCode).toBe(12);
    expect((await run({}, '--retry-unknown')).exitCode).toBe(2);
    expect((await run({}, 'winter', '--retry-unknown')).stderr).toContain('one campaign at a time');
    const before = await sent();
    const again = await run({}, '--retry-unknown', '--confirm', 'spring');
    expect(again.exitCode, again.stderr).toBe(0);
    expect((await sent()).length - before.length).toBe(1);
  });

  it('sends nothing again that became unknown after it was asked about', async () => {
    await create(2);
    const at = '2026-01-01T00:00:00.000Z';
    const lose = async (row: number) =>
      store().record(await spring(), [
        { row, event: 'claim', at },
        { row, event: 'lose', at },
      ]);
    await lose(1);
    await store().mark(await spring(), { state: 'paused', at });
    const turn = await holdLane(data(), { origin: origin(), device: deviceId }, signal, () => undefined);
    const running = run({}, '--retry-unknown', '--confirm', 'spring');
    // It goes on from here once it has the turn of the device.
    await eventually(async () => (await store().get(origin(), 'spring'))?.mark === undefined);
    await lose(2);
    turn.release();
    expect((await running).exitCode).toBe(12);
    expect(await states()).toEqual(['accepted', 'unknown']);
  });

  it('takes what a dead process was sending for unknown, and leaves it', async () => {
    await create(2);
    await store().record(await spring(), [{ row: 1, event: 'claim', at: '2026-01-01T00:00:00.000Z' }]);
    const ran = await run();
    expect(ran.exitCode).toBe(12);
    expect(await states()).toEqual(['unknown', 'accepted']);
    const [row] = JSON.parse((await botctlHere(['campaigns', 'results', 'spring', '-o', 'json'])).stdout);
    expect(row).toMatchObject({ state: 'unknown', reason: 'PROCESS_ENDED', attempts: 1 });
  });

  it('pauses after what a dead process was sending through the device, for whichever campaign', async () => {
    await create(2, 'spring', '--gap', '10s');
    await create(1, 'winter', '--gap', '10s');
    const clock = new FakeClock();
    const stop = new AbortController();
    const sleep = clock.sleep.bind(clock);
    clock.sleep = async (time, until) => {
      if (time === 10_000) stop.abort(new Failure('interrupted', 'Interrupted.'));
      await sleep(time, until);
    };
    expect((await run({ clock, signal: stop.signal })).exitCode).toBe(130);
    // As it stands on the disk while a message is on its way.
    const key = { origin: origin(), device: deviceId };
    const turn = await holdLane(data(), key, signal, () => undefined);
    turn.update({ ...turn.lane, ...withRequest(turn.lane, clock.now()) });
    turn.release();
    const later = new FakeClock({ now: clock.now() + 8_000 });
    expect(await botctlHere(['campaigns', 'run', 'winter', '--yes'], { clock: later })).toMatchObject({
      exitCode: 0,
    });
    expect(later.waits.filter((wait) => wait > 1000)).toEqual([10_000]);
  });

  it('costs no row where the device can not send', async () => {
    await create(2);
    await service.call('POST', `/devices/${deviceId}/disconnect`);
    const ran = await run();
    expect(ran.exitCode).toBe(9);
    expect(JSON.parse(ran.stderr.trim().split('\n').at(-1) ?? '').error.hint).toContain(
      'botctl campaigns run spring',
    );
    await fails({ kind: 'status', status: 400 }, 1);
    expect(await states()).toEqual(['planned', 'planned']);
  });

  it('skips who has opted out since, without a pause', async () => {
    await create(2, 'spring', '--gap', '1h');
    const at = '2026-01-01T00:00:00.000Z';
    await createOptOuts(data(), sandbox.baseUrl, signal).add([{ number: '5511988880000', added_at: at }]);
    const clock = new FakeClock();
    expect(await run({ clock })).toMatchObject({ exitCode: 0 });
    expect(await states()).toEqual(['skipped', 'accepted']);
    expect(clock.waits.filter((wait) => wait > 1000)).toEqual([]);
  });

  it('keeps the longest pause of the campaigns that a device still has, also between theirs', async () => {
    await create(2, 'spring');
    await create(1, 'winter', '--gap', '50s');
    const clock = new FakeClock();
    expect(await botctlHere(['campaigns', 'run', 'spring', 'winter', '--yes'], { clock })).toMatchObject({
      exitCode: 0,
    });
    expect(clock.waits.filter((wait) => wait > 1000)).toEqual([50_000, 50_000]);
  });

  it('counts what all campaigns of a device sent on a day, and goes on the next day where it may wait', async () => {
    await create(2, 'winter', '--gap', '50s', '--daily', '3');
    const clock = new FakeClock({ now: Date.UTC(2026, 0, 1, 12) });
    expect(await botctlHere(['campaigns', 'run', 'winter', '--yes'], { clock })).toMatchObject({
      exitCode: 0,
    });
    expect(clock.waits.filter((wait) => wait > 1000)).toEqual([50_000]);
    await create(4, 'spring', '--daily', '4', '--tz', 'UTC');
    const ran = await run({ clock });
    expect(ran.exitCode, ran.stderr).toBe(9);
    expect(JSON.parse(ran.stdout)).toMatchObject([
      { accepted: 2, left: 2, ended: 'closed', next_at: '2026-01-02T00:00:00Z' },
    ]);
    expect(ran.stderr).toContain('spring lets a device send 4 on this day');
    expect(await run({ clock }, '--wait')).toMatchObject({ exitCode: 0 });
  });

  it('goes on after its pause where the clock was put back', async () => {
    await create(3, 'spring', '--gap', '10s');
    const stop = new AbortController();
    const ahead = new FakeClock({ now: Date.UTC(2027, 0, 1) });
    const sleep = ahead.sleep.bind(ahead);
    ahead.sleep = async (time, until) => {
      if (time === 10_000) stop.abort(new Failure('interrupted', 'Interrupted.'));
      await sleep(time, until);
    };
    expect((await run({ clock: ahead, signal: stop.signal })).exitCode).toBe(130);
    const clock = new FakeClock();
    expect((await run({ clock })).exitCode).toBe(0);
    expect(clock.waits.filter((wait) => wait > 1000)).toEqual([10_000, 10_000]);
  });

  it('sends nothing outside its windows', async () => {
    await create(1, 'spring', '--window', '09:00-18:00', '--tz', 'America/Sao_Paulo');
    const ran = await run({ clock: new FakeClock({ now: Date.UTC(2026, 0, 1, 23) }) });
    expect(ran.exitCode).toBe(9);
    expect(ran.stderr).toContain('Go on at 2026-01-02T12:00:00Z');
    expect(await states()).toEqual(['planned']);
  });

  it('goes on with another number only where that is said', async () => {
    await create(1);
    await store().change(await spring(), ({ campaign, rows }) => ({
      rows,
      campaign: {
        ...campaign,
        devices: campaign.devices.map((device) => ({ ...device, number: '+5511900000000' })),
      },
    }));
    const ran = await run();
    expect(ran.exitCode).toBe(9);
    const { phone_number: number } = await service.call('GET', `/devices/${deviceId}/status`);
    expect(ran.stderr).toContain('was made with +5511900000000');
    expect((await run({}, '--accept-number', '+5511911111111')).exitCode).toBe(2);
    expect((await run({}, '--accept-number', `+${String(number).replace(/\D/g, '')}`)).exitCode).toBe(0);
  });

  it('goes on where it was paused, and not where it was cancelled', async () => {
    await create(1);
    await store().mark(await spring(), { state: 'paused', at: '2026-01-01T00:00:00.000Z' });
    const ran = await run();
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stderr).toContain('was paused at');
    await store().mark(await spring(), { state: 'cancelled', at: '2026-01-01T00:00:00.000Z' });
    expect((await run()).exitCode).toBe(2);
  });

  it('stops before its next message once it is paused', async () => {
    await create(3, 'spring', '--gap', '10s');
    const clock = new FakeClock();
    const sleep = clock.sleep.bind(clock);
    clock.sleep = async (time, until) => {
      if (time === 10_000)
        await store().mark(await spring(), { state: 'paused', at: '2026-01-01T00:00:00.000Z' });
      await sleep(time, until);
    };
    const ran = await run({ clock });
    expect(ran.exitCode, ran.stderr).toBe(9);
    expect(ran.stdout).toContain('Campaign spring was paused.');
    expect(await states()).toEqual(['accepted', 'planned', 'planned']);
  });

  it.each([
    ['paused', 9],
    ['cancelled', 0],
  ] as const)(
    'sends nothing once it is %s, also where a message was about to leave',
    async (state, exitCode) => {
      await create(2);
      const before = await sent();
      const lanes = join(data(), 'lanes');
      const isBusy = () =>
        existsSync(lanes) &&
        readdirSync(lanes).some(
          (file) =>
            file.endsWith('.json') && readFileSync(join(lanes, file), 'utf8').includes('"isBusy":true'),
        );
      const path = campaignPath(data(), origin(), 'spring');
      const campaign = await spring();
      // The message waits for this turn to be written down as being sent.
      const running = await inTurn(path, 'it', signal, async () => {
        const begun = run();
        await eventually(async () => isBusy());
        writeMark(path, campaign, { state, at: '2026-01-01T00:00:00.000Z' });
        return { ended: begun };
      });
      expect((await running.ended).exitCode).toBe(exitCode);
      expect(await sent()).toEqual(before);
      expect(isBusy()).toBe(false);
    },
  );

  it('lets the message on its way come to its end where it is interrupted, and can be gone on with', async () => {
    await create(3, 'spring', '--gap', '10s');
    const stop = new AbortController();
    const clock = new FakeClock();
    const sleep = clock.sleep.bind(clock);
    clock.sleep = async (time, until) => {
      if (time === 10_000) stop.abort(new Failure('interrupted', 'Interrupted.'));
      await sleep(time, until);
    };
    const ran = await run({ clock, signal: stop.signal });
    expect(ran.exitCode, ran.stderr).toBe(130);
    expect(ran.stderr).toContain('botctl campaigns run spring');
    expect(await states()).toEqual(['accepted', 'planned', 'planned']);
    expect((await run()).exitCode).toBe(0);
    expect(new Set(await states())).toEqual(new Set(['accepted']));
  });

  it('waits for the answer to the message on its way where it is interrupted', async () => {
    await create(2, 'spring', '--gap', '1h');
    await addFault(sandbox.control, { target: 'POST /api/openapi/v1/send', delay: 200 });
    const stop = new AbortController();
    const running = run({ clock: systemClock, signal: stop.signal });
    await eventually(async () => (await listFaults(sandbox.control)).some(({ met }) => met > 0));
    stop.abort(new Failure('interrupted', 'Interrupted.'));
    expect((await running).exitCode).toBe(130);
    expect(await states()).toEqual(['accepted', 'planned']);
  });

  it('is refused for what another machine keeps, until it is moved here', async () => {
    await create(1);
    await store().change(await spring(), ({ campaign, rows }) => ({
      rows,
      campaign: { ...campaign, made_on: { host: 'elsewhere' } },
    }));
    const ran = await run();
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain('botctl campaigns run spring --move-here');
    expect((await run({}, '--move-here')).exitCode).toBe(0);
    expect((await run()).exitCode).toBe(0);
  });

  it('leaves the turn of a device to a process of another machine, which is not seen here', async () => {
    await create(2);
    await fails({ kind: 'status', status: 400 }, 1);
    expect(await run()).toMatchObject({ exitCode: 10 });
    const lanes = join(data(), 'lanes');
    const lane = join(lanes, readdirSync(lanes).find((name) => name.endsWith('.json')) ?? '');
    const { machine, ...more } = JSON.parse(readFileSync(lane, 'utf8'));
    writeFileSync(lane, JSON.stringify({ ...more, machine: { ...machine, host: 'elsewhere' } }));
    const lock = JSON.stringify({ identity: 'there', pid: process.pid, started: 'another boot/1' });
    writeFileSync(`${lane}.lock`, lock);
    for (const retry of [[], ['--retry', 'rejected']]) {
      const ran = await run({}, ...retry);
      expect(ran.exitCode).toBe(2);
      expect(ran.stderr).toContain('belongs to elsewhere');
      expect(readFileSync(`${lane}.lock`, 'utf8')).toBe(lock);
    }
    expect(await run({}, '--retry', 'rejected', '--move-here')).toMatchObject({ exitCode: 0 });
  });

  it('asks before it sends', async () => {
    await create(2);
    const line = ['campaigns', 'run', 'spring'];
    expect(await botctlHere(line)).toMatchObject({ exitCode: 2 });
    const declined = await botctlHere(line, { terminal: true, answers: { 'Send?': 'n' } });
    expect(declined.exitCode).toBe(3);
    expect(declined.stderr).toContain('This sends 2 messages of spring.');
    expect(await states()).toEqual(['planned', 'planned']);
    const sends = await botctlHere(line, { terminal: true, answers: { 'Send?': 'y' } });
    expect(sends.exitCode, sends.stderr).toBe(0);
  });
});
