import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { campaignPath } from '../../../src/campaigns/files/file-store.ts';
import { inTurn } from '../../../src/campaigns/files/in-turn.ts';
import { holdLane } from '../../../src/campaigns/files/lane-file.ts';
import { writeMark } from '../../../src/campaigns/files/mark.ts';
import { withRequest } from '../../../src/campaigns/lane.ts';
import { Failure } from '../../../src/lib/errors.ts';
import { useCampaignsOnFiles } from '../../support/campaigns-on-files.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const {
  at: here,
  signal,
  data,
  store,
  origin,
  botctlHere,
  spring,
  states,
  create,
  run,
  sent,
  fails,
} = useCampaignsOnFiles();

describe('campaigns run on files', () => {
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
    const turn = await holdLane(data(), { origin: origin(), device: here.deviceId }, signal, () => undefined);
    const running = run({}, '--retry-unknown', '--confirm', 'spring', '--resume');
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
    const key = { origin: origin(), device: here.deviceId };
    const turn = await holdLane(data(), key, signal, () => undefined);
    turn.update({ ...turn.lane, ...withRequest(turn.lane, clock.now()) });
    turn.release();
    const later = new FakeClock({ now: clock.now() + 8_000 });
    expect(await botctlHere(['campaigns', 'run', 'winter', '--yes'], { clock: later })).toMatchObject({
      exitCode: 0,
    });
    expect(later.waits.filter((wait) => wait > 1000)).toEqual([10_000]);
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
            /\.(?:json|recent)$/.test(file) &&
            readFileSync(join(lanes, file), 'utf8').includes('"isBusy":true'),
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
      const ran = await running.ended;
      expect(ran.exitCode).toBe(exitCode);
      expect(JSON.parse(ran.stdout)).toMatchObject([{ ended: state, accepted: 0 }]);
      expect(await sent()).toEqual(before);
      expect(isBusy()).toBe(false);
    },
  );

  it('is refused for what another machine keeps, until it is moved here', async () => {
    await create(1);
    await store().change(await spring(), (campaign) => ({
      campaign: { ...campaign, made_on: { host: 'elsewhere' } },
    }));
    const ran = await run();
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain('botctl campaigns run spring --move-here');
    expect((await run({}, '--move-here')).exitCode).toBe(0);
    expect(await states()).toEqual(['accepted']);
  });

  it('stays paused where it is moved here, until somebody says that it goes on', async () => {
    await create(1);
    await store().mark(await spring(), { state: 'paused', at: '2026-01-01T00:00:00.000Z' });
    await store().change(await spring(), (campaign) => ({
      campaign: { ...campaign, made_on: { host: 'elsewhere' } },
    }));
    const moved = await run({}, '--move-here');
    expect(moved.exitCode).toBe(9);
    expect(moved.stderr).toContain('botctl campaigns run spring --resume');
    expect(await states()).toEqual(['planned']);
    expect((await run({}, '--resume')).exitCode).toBe(0);
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
});
