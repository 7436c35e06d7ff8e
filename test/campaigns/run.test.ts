import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { Failure } from '../../src/lib/errors.ts';
import { callControl } from '../../src/sandbox/control/client.ts';
import type { FaultEffect } from '../../src/sandbox/faults/fault.ts';
import { botctl, type RunOptions } from '../support/botctl.ts';
import { createLine } from '../support/campaign.ts';
import { newStorePlace, type StorePlace } from '../support/campaign-stores.ts';
import { needsServer } from '../support/database-server.ts';
import { openDirect } from '../support/direct.ts';
import { eventually } from '../support/eventually.ts';
import type { FakeClock } from '../support/fake-clock.ts';
import { useSandbox } from '../support/sandbox.ts';
import { storedCampaign } from '../support/stored-campaign.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);

let place: StorePlace;
let teamId: string;
let deviceId: string;

beforeEach(async () => {
  teamId = await service.team('Aurora Coffee');
  deviceId = await service.device(teamId, await service.createBot(teamId, 'Front desk'), 'Reception');
  await service.connect(deviceId);
});
afterEach(() => callControl(sandbox.control, '/fault/clear', {}));

const botctlHere = (args: readonly string[], options: RunOptions = {}) =>
  botctl(args, { ...options, env: { ...sandbox.env, ...place.env, ...options.env } });
const store = () => place.open();
const origin = () => new URL(sandbox.baseUrl).origin;

async function spring() {
  const stored = await storedCampaign(await store(), origin(), 'spring');
  if (!stored) throw new Error('there is no campaign spring');
  return stored.campaign;
}

/** Returns a question without styles and line wraps. */
const inOneLine = (text: string) => stripVTControlCharacters(text).replaceAll(/\s+/g, ' ');

/** Creates a campaign with this many rows, sent without a pause. */
async function create(rows: number, name = 'spring', ...more: readonly string[]): Promise<void> {
  const { args, stdin } = createLine({ rows, name, device: deviceId }, more);
  const made = await botctlHere(args, { stdin });
  expect(made.exitCode, made.stderr).toBe(0);
}

const run = async (options: RunOptions = {}, ...more: readonly string[]) =>
  botctlHere(['campaigns', 'run', 'spring', '--yes', '-o', 'json', ...more], {
    ...options,
    clock: options.clock ?? (await place.clock()),
  });
const pause = async () =>
  (await store()).mark(await spring(), { state: 'paused', at: '2026-01-01T00:00:00.000Z' });
const states = async (name = 'spring') =>
  (await storedCampaign(await store(), origin(), name))?.rows.map(({ state }) => state);
/** Returns the state of the whole campaign. */
const state = async () =>
  JSON.parse((await botctlHere(['campaigns', 'get', 'spring', '-o', 'json'])).stdout).state;
const sent = async () =>
  (await callControl(sandbox.control, '/messages', { limit: 100 })).rows.map(
    ({ destination_number: to }) => to,
  );
const fails = (effect: FaultEffect, times?: number) =>
  callControl(sandbox.control, '/fault/add', {
    target: 'POST /api/openapi/v1/send',
    effect,
    ...(times && { times }),
  });

/** undici's diagnostics channel for each new connection, before anything is written to it. */
const connected = 'undici:client:connected';

const longWaits = (clock: FakeClock) =>
  clock.waits.filter((wait) => wait > 1000).map((wait) => place.measured(wait));

describe('campaigns run', () => {
  beforeEach(async () => {
    place = await newStorePlace();
  });

  it('sends each planned row once, also if it is run again', async () => {
    await create(3);
    const ran = await run();
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject([
      { device: deviceId, accepted_now: 3, accepted: 3, left: 0, ended: 'done' },
    ]);
    expect(await sent()).toHaveLength(3);
    expect(await states()).toEqual(['accepted', 'accepted', 'accepted']);
    const again = await run();
    expect(again).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(again.stdout)).toMatchObject([{ accepted_now: 0, accepted: 3 }]);
    expect(again.stderr).toContain('0 messages accepted, 3 before, 0 rows skipped.');
    expect(await sent()).toHaveLength(3);
  });

  const fates: readonly (readonly [string, FaultEffect, number, string])[] = [
    ['the connection breaks before the message is taken', { kind: 'reset', when: 'before' }, 12, 'unknown'],
    ['the connection breaks after the message is taken', { kind: 'reset', when: 'after' }, 12, 'unknown'],
    ['half an answer comes', { kind: 'truncate' }, 12, 'unknown'],
    ['the service fails', { kind: 'status', status: 500 }, 12, 'unknown'],
    ['the service is not there', { kind: 'status', status: 503 }, 12, 'unknown'],
    ['a failure is called a refusal', { kind: 'status', status: 500, code: 'BAD_REQUEST' }, 12, 'unknown'],
    ['the message is refused', { kind: 'status', status: 400 }, 10, 'rejected'],
    ['there are too many requests', { kind: 'status', status: 429, retry_after: 7 }, 0, 'accepted'],
  ];
  it.each(fates)('ends with the known outcome if %s', async (_, effect, exitCode, state) => {
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

  it('sends nothing more and marks no row as sent if the key is refused', async () => {
    await create(2);
    await fails({ kind: 'status', status: 401 });
    expect(await run()).toMatchObject({ exitCode: 4, stdout: '' });
    expect(await states()).toEqual(['planned', 'planned']);
  });

  it('exits with code 7 if the service rate-limits requests for longer than the wait allows', async () => {
    await create(1);
    await fails({ kind: 'status', status: 429, retry_after: 100 });
    expect(await run()).toMatchObject({ exitCode: 7 });
    expect(await states()).toEqual(['planned']);
  });

  it('sends no requests until the end of Retry-After', async () => {
    await create(1);
    await fails({ kind: 'status', status: 429, retry_after: 150 }, 1);
    const clock = await place.clock();
    const begun = clock.now();
    expect(await run({ clock }, '--wait')).toMatchObject({ exitCode: 0 });
    expect(longWaits(clock)).toEqual([60_000, 60_000, 30_000]);
    const [row] = (await storedCampaign(await store(), origin(), 'spring'))?.rows ?? [];
    expect(place.measured(Date.parse(row?.at ?? '') - begun)).toBe(150_000);
  });

  it('pauses a device after three lost responses in a row, and continues with the next run', async () => {
    await create(5);
    await fails({ kind: 'status', status: 502 }, 3);
    const ran = await run();
    expect(ran.exitCode).toBe(12);
    expect(JSON.parse(ran.stdout)).toMatchObject([{ unknown: 3, left: 2, ended: 'stuck' }]);
    expect(await run()).toMatchObject({ exitCode: 12 });
    expect(await states()).toEqual(['unknown', 'unknown', 'unknown', 'accepted', 'accepted']);
  });

  it('pauses a device after five identical rejections, and resends rejected rows only with --retry', async () => {
    await create(7);
    await fails({ kind: 'status', status: 400 }, 5);
    expect(JSON.parse((await run()).stdout)).toMatchObject([{ rejected: 5, left: 2, ended: 'stuck' }]);
    expect((await run()).exitCode).toBe(10);
    expect((await states())?.filter((state) => state === 'rejected')).toHaveLength(5);
    expect(await run({}, '--retry', 'rejected')).toMatchObject({ exitCode: 0 });
    expect(new Set(await states())).toEqual(new Set(['accepted']));
  });

  it('resends rows that may have been sent only if the campaign is named', async () => {
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

  it('consumes no row if the device cannot send', async () => {
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

  it('skips newly opted-out numbers without a pause', async () => {
    await create(2, 'spring', '--gap', '1h');
    const at = '2026-01-01T00:00:00.000Z';
    await (await store()).optOuts(sandbox.baseUrl).add([{ number: '5511988880000', added_at: at }]);
    const clock = await place.clock();
    expect(await run({ clock })).toMatchObject({ exitCode: 0 });
    expect(await states()).toEqual(['skipped', 'accepted']);
    expect(longWaits(clock)).toEqual([]);
  });

  it('applies the longest pause of the active campaigns of a device, also between campaigns', async () => {
    await create(2, 'spring');
    await create(2, 'winter', '--gap', '50s');
    const clock = await place.clock();
    expect(await botctlHere(['campaigns', 'run', 'spring', 'winter', '--yes'], { clock })).toMatchObject({
      exitCode: 0,
    });
    expect(longWaits(clock)).toEqual([50_000, 50_000, 50_000]);
  });

  it('counts what all campaigns of a device sent on a day, and continues the next day with --wait', async () => {
    await create(2, 'winter', '--gap', '50s', '--daily', '3');
    const clock = await place.clock({ now: Date.UTC(2026, 0, 1, 23, 50) });
    expect(await botctlHere(['campaigns', 'run', 'winter', '--yes'], { clock })).toMatchObject({
      exitCode: 0,
    });
    expect(longWaits(clock)).toEqual([50_000]);
    await create(4, 'spring', '--daily', '4', '--tz', 'UTC');
    const ran = await run({ clock });
    expect(ran.exitCode, ran.stderr).toBe(9);
    expect(JSON.parse(ran.stdout)).toMatchObject([
      { accepted: 2, left: 2, ended: 'closed', next_at: '2026-01-02T00:00:00Z' },
    ]);
    expect(ran.stderr).toContain('spring reached its daily limit of 4');
    expect(await run({ clock }, '--wait')).toMatchObject({ exitCode: 0 });
  });

  it('continues after its pause if the clock was set back', async () => {
    await create(3, 'spring', '--gap', '10s');
    const stop = new AbortController();
    const ahead = await place.clock({ now: Date.UTC(2027, 0, 1) });
    const sleep = ahead.sleep.bind(ahead);
    ahead.sleep = async (time, until) => {
      if (time > 1000) stop.abort(new Failure('interrupted', 'Interrupted.'));
      await sleep(time, until);
    };
    expect((await run({ clock: ahead, signal: stop.signal })).exitCode).toBe(130);
    const clock = await place.clock();
    expect((await run({ clock })).exitCode).toBe(0);
    expect(longWaits(clock)).toEqual([10_000, 10_000]);
  });

  it('sends nothing outside its windows', async () => {
    await create(1, 'spring', '--window', '09:00-18:00', '--tz', 'America/Sao_Paulo');
    const ran = await run({ clock: await place.clock({ now: Date.UTC(2026, 0, 1, 23) }) });
    expect(ran.exitCode).toBe(9);
    expect(ran.stderr).toContain(
      'Resume at 2026-01-02T12:00:00Z (in 13 hours; 2026-01-02 09:00 in America/Sao_Paulo)',
    );
    expect(await states()).toEqual(['planned']);
  });

  it('continues with another number only with --accept-number', async () => {
    await create(1);
    await (await store()).setNumber(await spring(), 0, '+5511900000000');
    const ran = await run();
    expect(ran.exitCode).toBe(9);
    const { phone_number: number } = await service.call('GET', `/devices/${deviceId}/status`);
    expect(ran.stderr).toContain('was created with +5511900000000');
    expect((await run({}, '--accept-number', '+5511911111111')).exitCode).toBe(2);
    expect((await run({}, '--accept-number', `+${String(number).replace(/\D/g, '')}`)).exitCode).toBe(0);
  });

  it('resumes a paused campaign only with confirmation, and never a cancelled one', async () => {
    await create(1);
    await pause();
    const line = ['campaigns', 'run', 'spring'];
    const asked = await botctlHere(line, { terminal: true, answers: { 'Send?': 'n' } });
    expect(asked.exitCode).toBe(3);
    expect(asked.stderr.replaceAll(/\s+/g, ' ')).toContain(
      'spring was paused at 2026-01-01T00:00:00.000Z and will resume.',
    );
    for (const options of [{}, { terminal: true }]) {
      const left = await botctlHere([...line, '--yes', '-o', 'json'], options);
      expect(left).toMatchObject({ exitCode: 9, stdout: '' });
      expect(JSON.parse(left.stderr.trim().split('\n').at(-1) ?? '').error).toMatchObject({
        message: 'Campaign spring was paused at 2026-01-01T00:00:00.000Z. Nothing was sent.',
        next: [['botctl', 'campaigns', 'run', 'spring', '--resume']],
      });
    }
    expect(await states()).toEqual(['planned']);
    const ran = await run({}, '--resume');
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stderr).toContain('paused at 2026-01-01');
    await (await store()).mark(await spring(), { state: 'cancelled', at: '2026-01-01T00:00:00.000Z' });
    expect((await run({}, '--resume')).exitCode).toBe(2);
  });

  it('resumes a paused campaign after a yes to the question about it', async () => {
    await create(1);
    await pause();
    const line = ['campaigns', 'run', 'spring'];
    const asked = await botctlHere(line, { terminal: true, answers: { 'Send?': 'y' } });
    expect(asked.exitCode, asked.stderr).toBe(0);
    // No rows are left, so it asks nothing and stays paused.
    await pause();
    expect(await run()).toMatchObject({ exitCode: 0 });
    expect(await botctlHere(line, { terminal: true })).toMatchObject({ exitCode: 0 });
    expect((await storedCampaign(await store(), origin(), 'spring'))?.mark).toMatchObject({
      state: 'paused',
    });
  });

  it('sends one campaign next to a paused one, which stays paused and resends nothing', async () => {
    await create(2, 'spring');
    await create(1, 'winter');
    await fails({ kind: 'status', status: 400 }, 1);
    const one = ['campaigns', 'run', 'spring', '--yes', '--retry', 'rejected'];
    await botctlHere(['campaigns', 'run', 'spring', '--yes'], { clock: await place.clock() });
    expect(await states()).toEqual(['rejected', 'accepted']);
    await pause();
    const paused = await botctlHere(one, { clock: await place.clock() });
    expect(paused.exitCode).toBe(9);
    expect(paused.stderr.replaceAll(/\s+/g, ' ')).toContain(
      'botctl campaigns run spring --resume --retry rejected',
    );
    const both = await run({}, 'winter', '--retry', 'rejected');
    expect(both.exitCode, both.stderr).toBe(10);
    expect([await states(), await states('winter')]).toEqual([['rejected', 'accepted'], ['accepted']]);
    expect((await storedCampaign(await store(), origin(), 'spring'))?.mark).toMatchObject({
      state: 'paused',
    });
  });

  it('stops before the next message once the campaign is paused', async () => {
    await create(3, 'spring', '--gap', '10s');
    const clock = await place.clock();
    const sleep = clock.sleep.bind(clock);
    clock.sleep = async (time, until) => {
      if (time > 1000)
        await (await store()).mark(await spring(), { state: 'paused', at: '2026-01-01T00:00:00.000Z' });
      await sleep(time, until);
    };
    const ran = await run({ clock });
    expect(ran.exitCode, ran.stderr).toBe(9);
    expect(JSON.parse(ran.stdout)).toMatchObject([
      { ended: 'paused', because: 'Campaign spring was paused.', left: 2 },
    ]);
    expect(ran.stderr).toContain('Resume with: botctl campaigns run spring --resume');
    expect(await states()).toEqual(['accepted', 'planned', 'planned']);
  });

  it('sends nothing over a connection that took so long that the lease expired', async () => {
    await create(2);
    // The next message needs a new connection, as after a pause.
    await fails({ kind: 'reset', when: 'before' }, 1);
    const clock = await place.clock();
    const before = await sent();
    const onConnected = (): void => clock.advance(33_000);
    subscribe(connected, onConnected);
    onTestFinished(() => void unsubscribe(connected, onConnected));
    const ran = await run({ clock });
    expect(ran.exitCode, ran.stderr).toBe(12);
    expect(JSON.parse(ran.stdout)).toMatchObject([
      { unknown: 1, left: 1, because: expect.stringContaining('expired before the request was sent') },
    ]);
    expect((await storedCampaign(await store(), origin(), 'spring'))?.rows).toMatchObject([
      { state: 'unknown' },
      { state: 'planned', attempts: 0 },
    ]);
    expect(await sent()).toEqual(before);
  });

  it('finishes the message in flight if it is interrupted, and can be continued', async () => {
    await create(3, 'spring', '--gap', '10s');
    expect(await state()).toBe('new');
    const stop = new AbortController();
    const clock = await place.clock();
    const sleep = clock.sleep.bind(clock);
    clock.sleep = async (time, until) => {
      if (time > 1000) stop.abort(new Failure('interrupted', 'Interrupted.'));
      await sleep(time, until);
    };
    const { BOTCTL_DATABASE: database, ...env } = place.env;
    const line = ['campaigns', 'run', 'spring', '--wait', ...(database ? ['--database', database] : [])];
    const ran = await botctl([...line, '--yes'], {
      ...{ clock, signal: stop.signal, env: { ...sandbox.env, ...env } },
    });
    expect(ran.exitCode, ran.stderr).toBe(130);
    // The command repeats the database and --wait.
    expect(ran.stderr.replaceAll(/\s+/g, ' ')).toContain(`Resume with: botctl ${line.join(' ')}`);
    expect(await states()).toEqual(['accepted', 'planned', 'planned']);
    expect(await state()).toBe('started');
    expect((await run()).exitCode).toBe(0);
    expect(new Set(await states())).toEqual(new Set(['accepted']));
    expect(await state()).toBe('finished');
  });

  it('waits for the response to the message in flight if it is interrupted', async () => {
    await create(2, 'spring', '--gap', '1h');
    await callControl(sandbox.control, '/fault/add', { target: 'POST /api/openapi/v1/send', delay: 200 });
    const stop = new AbortController();
    const running = run({ clock: systemClock, signal: stop.signal });
    await eventually(async () =>
      (await callControl(sandbox.control, '/fault/list', {})).some(({ met }) => met > 0),
    );
    stop.abort(new Failure('interrupted', 'Interrupted.'));
    expect((await running).exitCode).toBe(130);
    expect(await states()).toEqual(['accepted', 'planned']);
  });

  describe('after a backup was restored', () => {
    /** Creates a campaign of three rows, sends two after a backup, and restores the backup. */
    async function restored(): Promise<void> {
      await create(3, 'spring', '--daily', '2', '--tz', 'UTC');
      const restore = await place.backup();
      expect((await run({ clock: await place.clock({ now: Date.UTC(2026, 0, 1) }) })).exitCode).toBe(9);
      await restore();
      expect(await states()).toEqual(['planned', 'planned', 'planned']);
    }
    const nextDay = () => place.clock({ now: Date.UTC(2026, 0, 2) });

    it('resends nothing without --allow resend, even after earlier confirmations', async () => {
      await restored();
      const before = await sent();
      for (const terminal of [false, true]) {
        const ran = await run({ terminal, clock: await nextDay() });
        expect(ran.exitCode, ran.stderr).toBe(2);
        const { message, next } = JSON.parse(ran.stderr.trim().split('\n').at(-1) ?? '').error;
        expect(message).toContain('it has 0 sent rows, and at 2026-01-01');
        expect(message).toContain('it had 2.');
        expect(next.at(-1)).toEqual(['botctl', 'campaigns', 'run', 'spring', '--allow', 'resend']);
      }
      expect(await sent()).toEqual(before);
      const again = await run({ clock: await nextDay() }, '--allow', 'resend');
      expect(again.exitCode, again.stderr).toBe(9);
      expect((await sent()).length - before.length).toBe(2);
      // An unchanged campaign continues without a question.
      const clock = await place.clock({ now: Date.UTC(2026, 0, 3) });
      expect((await run({ clock })).exitCode).toBe(0);
    });

    it('asks the user and prints the number of missing rows', async () => {
      await restored();
      const before = await sent();
      const line = ['campaigns', 'run', 'spring'];
      const options = { terminal: true, answers: { 'Send?': 'n' }, clock: await nextDay() };
      const declined = await botctlHere(line, options);
      expect(declined.exitCode).toBe(3);
      expect(inOneLine(declined.stderr)).toContain('is older than what this machine sent');
      expect(inOneLine(declined.stderr)).toContain(', in about 1 day. The first goes to +');
      expect(await sent()).toEqual(before);
    });

    it('sends the other rows once the user has recorded which were sent', async () => {
      await restored();
      const before = await sent();
      const settled = await botctlHere(['campaigns', 'settle', 'spring', '1', '2', '--accepted']);
      expect(settled.exitCode, settled.stderr).toBe(0);
      expect((await run({ clock: await nextDay() })).exitCode).toBe(0);
      expect((await sent()).length - before.length).toBe(1);
    });

    it('resends after a failover that --accept-failover confirms', needsServer, async () => {
      await restored();
      const ran = await run({ clock: await nextDay() }, '--accept-failover');
      expect(ran.exitCode, ran.stderr).toBe(9);
      expect(await states()).toEqual(['accepted', 'accepted', 'planned']);
    });

    it('also stops if the backup was restored during a run', async () => {
      await create(3, 'spring', '--gap', '2m');
      const restore = await place.backup();
      const clock = await place.clock();
      const sleep = clock.sleep.bind(clock);
      let isRestored = false;
      clock.sleep = async (time, until) => {
        if (time > 1000 && !isRestored) {
          isRestored = true;
          await restore();
        }
        await sleep(time, until);
      };
      const before = await sent();
      const ran = await run({ clock });
      expect(ran.exitCode, ran.stderr).toBe(9);
      expect(ran.stderr).toContain('is older than what this machine sent');
      expect((await sent()).length - before.length).toBe(1);
    });
  });

  it('asks before it sends', async () => {
    await create(2);
    const line = ['campaigns', 'run', 'spring'];
    expect(await botctlHere(line)).toMatchObject({ exitCode: 2 });
    const declined = await botctlHere(line, { terminal: true, answers: { 'Send?': 'n' } });
    expect(declined.exitCode).toBe(3);
    expect(inOneLine(declined.stderr)).toMatch(
      /This sends 2 messages of spring through [\w-]+\. The first goes to \+\d+: "/,
    );
    expect(await states()).toEqual(['planned', 'planned']);
    const sends = await botctlHere(line, { terminal: true, answers: { 'Send?': 'y' } });
    expect(sends.exitCode, sends.stderr).toBe(0);
  });
});
