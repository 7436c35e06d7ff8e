import fs, { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { EarlierStore } from '../../src/campaigns/claim-by-turn.ts';
import { createFileStore } from '../../src/campaigns/files/file-store.ts';
import { withOutcome, withoutRequest, withRequest } from '../../src/campaigns/lane.ts';
import { paceOf } from '../../src/campaigns/pace.ts';

import { bootId } from '../../src/lib/boot-id.ts';
import { temporaryDirectory } from '../support/botctl.ts';
import { springCampaign } from '../support/campaign.ts';
import { changeFs } from '../support/changed-fs.ts';
import { FakeClock } from '../support/fake-clock.ts';

const { signal } = new AbortController();
const origin = 'https://a.example';

it('a message of no row whose process died counts for its device, and leaves no row unknown', async () => {
  const store = createFileStore(temporaryDirectory(), signal);
  const stored = springCampaign(origin);
  await store.create(stored);
  const campaign = await store.open(origin, 'spring');
  const lane = {
    key: { origin, device: stored.campaign.devices[0]?.id ?? '' },
    label: 'Reception',
    entries: [{ campaign, device: 0 }],
  };
  const begun = Date.UTC(2026, 0, 1);
  const turnAt = (now: number) =>
    store.turn(lane, { signal, clock: new FakeClock({ now }), takesOver: false, requestTimeout: 1000 });
  const turn = await turnAt(begun);
  const claim = await turn.claimDevice(withRequest(turn.lane, turn.now()));
  expect(claim?.isHeld()).toBe(true);
  // Nothing is settled: its process is gone.
  turn.release();
  const later = await turnAt(begun + 5000);
  expect(later.lane).toMatchObject({ isBusy: false, lastAt: begun + 5000, sent: [[begun, 1]] });
  expect((await store.get(origin, 'spring'))?.rows).toEqual(stored.rows);
  later.release();
});

describe.skipIf(bootId() === undefined)('the message of a row on files', () => {
  const { campaign: spring, rows: springRows } = springCampaign(origin);
  const device = spring.devices[0]?.id ?? '';
  const accepted = { event: 'accept' } as const;
  let data: string;
  let store: EarlierStore;
  let clock: FakeClock;

  beforeEach(async () => {
    data = temporaryDirectory();
    store = createFileStore(data, signal);
    clock = new FakeClock({ now: Date.UTC(2026, 0, 1) });
    const [first] = springRows;
    const rows = [1, 2, 3].map((row) => ({ ...first, row, line: row, cells: [], state: 'planned' as const }));
    for (const name of ['spring', 'winter']) await store.create({ campaign: { ...spring, name }, rows });
  });

  /** Begins a turn, a minute after the one before, as a run does. */
  const begin = async (name = 'spring') => {
    clock.advance(60_000);
    const campaign = await store.open(origin, name);
    const entry = { campaign, device: 0 };
    const lane = { key: { origin, device }, label: 'Reception', entries: [entry] };
    const turn = await store.turn(lane, { signal, clock, takesOver: false, requestTimeout: 1000 });
    const { created_at } = spring;
    const { campaigns } = turn.lane;
    const started = { ...campaigns, [campaign.id]: { name, created_at, pace: paceOf(spring) } };
    if (!campaigns[campaign.id]) await turn.update({ ...turn.lane, campaigns: started });
    const before = turn.lane;
    const row = turn.next(entry);
    if (!row) throw new Error('no row is planned');
    return {
      turn,
      row,
      claim: () => turn.claim(entry, row, withRequest(before, turn.now())),
      accept: () => {
        clock.advance(1000);
        return turn.settle(entry, row.row, accepted, withOutcome(turn.lane, accepted, turn.now(), 0));
      },
      lose: () => {
        const lost = { event: 'lose', because: 'no answer came', reason: 'lost' } as const;
        return turn.settle(entry, row.row, lost, withOutcome(turn.lane, lost, turn.now(), 0));
      },
      giveBack: () => turn.settle(entry, row.row, { event: 'return' }, withoutRequest(turn.lane, before)),
    };
  };
  const send = async (name?: string) => {
    const { turn, claim, accept } = await begin(name);
    await claim();
    await accept();
    turn.release();
  };
  const lose = async (name: string) => {
    const { turn, claim, lose: loseAnswer } = await begin(name);
    await claim();
    await loseAnswer();
    turn.release();
  };
  const sentIn = ({ sent }: { readonly sent: readonly (readonly [number, number])[] }) =>
    sent.reduce((sum, [, count]) => sum + count, 0);
  const states = async (name = 'spring') => (await store.get(origin, name))?.rows.map(({ state }) => state);

  it('waits for the disk once, with the line that it is about to leave, before it leaves', async () => {
    await send();
    const calls: string[] = [];
    const { fsyncSync, fdatasyncSync, renameSync } = fs;
    const journal = () =>
      readdirSync(join(data, 'campaigns'))
        .filter((name) => name.endsWith('.ndjson'))
        .map((name) =>
          readFileSync(join(data, 'campaigns', name), 'utf8')
            .trimEnd()
            .split('\n')
            .at(-1),
        )
        .find((line) => line?.includes('"row":2,'));
    changeFs({
      fsyncSync: (handle) => {
        calls.push('sync');
        fsyncSync(handle);
      },
      fdatasyncSync: (handle) => {
        calls.push(`data sync behind ${journal()}`);
        fdatasyncSync(handle);
      },
      renameSync: (from, to) => {
        calls.push(`replace ${String(to).slice(-7)}`);
        renameSync(from, to);
      },
    });
    const { turn, claim, accept } = await begin();
    expect(calls).toEqual([]);
    await claim();
    const asked = calls.splice(0);
    expect(asked).toEqual(['replace .recent', expect.stringContaining('"state":"sending"')]);
    await accept();
    turn.release();
    expect(calls).toEqual(['replace .recent']);
    expect(await states()).toEqual(['accepted', 'accepted', 'planned']);
  });

  it('is not sent and counts for the pace where the disk fails just before that', async () => {
    await send();
    const { fdatasyncSync } = fs;
    let isBroken = true;
    changeFs({
      fdatasyncSync: (handle) => {
        if (isBroken) throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
        fdatasyncSync(handle);
      },
    });
    const { turn, claim } = await begin();
    await expect(claim()).rejects.toMatchObject({ exitCode: 2 });
    turn.release();
    isBroken = false;
    const later = await begin();
    expect(later.turn.lane).toMatchObject({ isBusy: false, lastAt: clock.now() });
    expect(sentIn(later.turn.lane)).toBe(2);
    expect(later.row.row).toBe(2);
    later.turn.release();
    expect(await states()).toEqual(['accepted', 'planned', 'planned']);
  });

  const recentFile = () => {
    const name = readdirSync(join(data, 'lanes')).find((one) => one.endsWith('.recent'));
    return join(data, 'lanes', name ?? '');
  };
  /** What was not brought to the disk may be there, in part, or not at all once the machine has started again. */
  const losses = {
    'is gone': () => rmSync(recentFile()),
    'is there in part': () => writeFileSync(recentFile(), readFileSync(recentFile()).subarray(0, 40)),
    'is an older one': (older: string) => writeFileSync(recentFile(), older),
  };
  const restart = () => {
    for (const name of readdirSync(join(data, 'lanes'))) {
      const path = join(data, 'lanes', name);
      const text = readFileSync(path, 'utf8').replace(bootId() ?? '', 'an earlier start');
      writeFileSync(path, text);
    }
    store = createFileStore(data, signal);
  };

  it.each(Object.entries(losses))(
    'counts for the pace of all campaigns of its device after a power cut, where what was not waited for %s',
    async (_, lose) => {
      await send();
      const older = readFileSync(recentFile(), 'utf8');
      const { turn, claim, giveBack } = await begin('winter');
      await claim();
      await giveBack();
      turn.release();
      await send();
      const cut = await begin();
      expect(await cut.claim()).toMatchObject({ row: { row: 3 } });
      cut.turn.release();
      lose(older);
      restart();
      const other = await begin('winter');
      expect(sentIn(other.turn.lane)).toBe(3);
      expect(other.turn.lane).toMatchObject({ isBusy: false, lastAt: clock.now() });
      other.turn.release();
      expect(await states()).toEqual(['accepted', 'accepted', 'sending']);
      // What was found is on the disk by then.
      rmSync(recentFile(), { force: true });
      restart();
      const again = await begin('winter');
      expect(sentIn(again.turn.lane)).toBe(3);
      again.turn.release();
    },
  );

  it('pauses its device for longer than a power cut', async () => {
    for (const name of ['spring', 'spring', 'winter']) await lose(name);
    rmSync(recentFile(), { force: true });
    restart();
    const { turn } = await begin('winter');
    expect(turn.lane.paused?.because).toContain('messages in a row may have been sent');
    turn.release();
  });

  it('counts after a power cut also where its campaign was deleted or got more rows before', async () => {
    await send();
    await send('winter');
    await store.setNumber({ ...spring, name: 'winter' }, 0, '+5511900000000');
    await send('winter');
    await store.delete(spring);
    rmSync(recentFile(), { force: true });
    restart();
    const { turn } = await begin('winter');
    expect(sentIn(turn.lane)).toBe(3);
    turn.release();
  });
});
