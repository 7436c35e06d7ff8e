import { hostname } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CampaignRow } from '../../src/campaigns/campaign.ts';
import type { EarlierStore } from '../../src/campaigns/claim-by-turn.ts';
import { withOutcome, withRequest } from '../../src/campaigns/lane.ts';
import type { LaneEntry, OtherMessage } from '../../src/campaigns/running.ts';
import { oneForm } from '../../src/lib/number-forms.ts';
import { springCampaign } from '../support/campaign.ts';
import { addRows, allOptOuts, openDatabase } from '../support/campaign-stores.ts';
import { createDatabase, needsServer, type TestDatabase } from '../support/database-server.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { startRelay } from '../support/relay.ts';

const here = 'https://a.example';
const { signal } = new AbortController();
const at = '2026-01-01T00:00:00.000Z';
const { campaign: spring } = springCampaign(here);
const device = spring.devices[0]?.id ?? '';
const requestTimeout = 1000;
const leaseMs = 2 * requestTimeout + 5000;

describe('a database of campaigns', needsServer, () => {
  let database: TestDatabase;
  let store: EarlierStore;
  let other: EarlierStore;
  const closers: (() => unknown)[] = [];

  beforeEach(async () => {
    database = await createDatabase();
    [store, other] = [await openDatabase(database.url), await openDatabase(database.url)];
    const [first] = springCampaign(here).rows;
    const rows = [1, 2].map((row) => ({
      ...first,
      cells: [],
      line: row + 1,
      state: 'planned' as const,
      row,
    }));
    await store.create({ campaign: spring, rows });
  });
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
    await database.drop();
  });

  const rows = async () => (await store.get(here, 'spring'))?.rows ?? [];
  const laneOf = (entry: LaneEntry) => ({
    key: { origin: here, device },
    label: 'Reception',
    entries: [entry],
  });
  const turnOf = async (by: EarlierStore, clock = new FakeClock(), timeout = requestTimeout) => {
    const entry = { campaign: await by.open(here, 'spring'), device: 0 };
    const turn = await by.turn(laneOf(entry), { signal, clock, takesOver: false, requestTimeout: timeout });
    const row = turn.next(entry);
    if (!row) throw new Error('no row is planned');
    return { turn, entry, row, claim: () => turn.claim(entry, row, withRequest(turn.lane, turn.now())) };
  };
  const advance = (milliseconds: number) =>
    database.run(
      `update campaign_clock set clock_offset = clock_offset + ${milliseconds} * interval '1 millisecond'`,
    );
  /** Waits until a statement with such words waits for a lock. */
  const untilHeldUp = (words: string) =>
    eventually(async () => {
      const [{ waits } = {}] = await database.run(
        `select count(*) as waits from pg_stat_activity where wait_event_type = 'Lock' and query like '%${words}%' and pid <> pg_backend_pid()`,
      );
      return Number(waits) > 0;
    });

  const accepted = { event: 'accept' } as const;

  it('knows opt-outs and rows again that an earlier version stored with what is dialled at home', async () => {
    const numbers = [
      ...[
        '55011988887777',
        '5511988887777',
        '55011988887777',
        '4402079460018',
        '390612345678',
        '520445512345678',
      ],
      ...[
        '52015512345678',
        '54111512345678',
        '54296615123456',
        '3530861234567',
        '551000001111',
        '12125550123',
      ],
    ];
    // Its forms were those of numbers without such zeros.
    const stored = [...new Set(numbers)].map((number) => `('${here}', '${number}', '${number}', '${at}')`);
    await database.run(`insert into opt_outs (origin, form, number, added_at) values ${stored.join(', ')}`);
    await database.run(`update campaign_rows set form = '4402079460018' where row = 1`);
    await database.run(`delete from kysely_migration where name = '003_number_forms'`);
    const optOuts = (await openDatabase(database.url)).optOuts(here);
    const asked = [...numbers, '442079460018'];
    expect(await optOuts.among(asked)).toEqual(new Set(asked));
    for (const number of numbers) {
      expect(await optOuts.find(number), number).toMatchObject({ number: expect.any(String) });
    }
    expect(await optOuts.find('551188887777')).toEqual({ number: '55011988887777', added_at: at });
    expect(await allOptOuts(optOuts)).toHaveLength(new Set(numbers.map(oneForm)).size);
    expect(await database.run('select form from campaign_rows where row = 1')).toEqual([
      { form: '442079460018' },
    ]);
    const { turn, row } = await turnOf(store);
    expect(turn.isOptedOut(row)).toBe(true);
  });

  it('gives a device to one of two hosts that have both seen it free', async () => {
    const [one, two] = [await turnOf(store), await turnOf(other)];
    const claims = await Promise.all([one.claim(), two.claim()]);
    expect(claims.filter(Boolean)).toHaveLength(1);
    expect((await rows()).filter(({ state }) => state === 'sending')).toHaveLength(1);
    await expect(two.turn.update(two.turn.lane)).rejects.toMatchObject({ name: 'LaneChanged' });
  });

  it('lets a host wait as long as the message of another one may be on its way, and takes that for unknown then', async () => {
    const one = await turnOf(store);
    await one.claim();
    const clock = new FakeClock();
    const waiting = turnOf(other, clock);
    while (clock.waits.length < 3) await new Promise((resolve) => setImmediate(resolve));
    expect(await rows()).toMatchObject([{ state: 'sending' }, {}]);
    await advance(leaseMs);
    const two = await waiting;
    expect(await rows()).toMatchObject([{ state: 'unknown', reason: 'PROCESS_ENDED' }, { state: 'planned' }]);
    expect(two.row.row).toBe(2);
    expect(two.turn.lane).toMatchObject({ isBusy: false });
    expect(two.turn.now() - (two.turn.lane.lastAt ?? 0)).toBeLessThan(leaseMs);
    // Who sent it comes back with the answer: that is known, and the device is the other's all the same.
    await two.claim();
    await one.turn.settle(one.entry, 1, accepted, withOutcome(one.turn.lane, accepted, one.turn.now(), 0));
    expect(await rows()).toMatchObject([{ state: 'accepted' }, { state: 'sending' }]);
    const lanes = await database.run('select lease is null as is_free from lanes');
    expect(lanes).toEqual([{ is_free: false }]);
  });

  it('tells who has a device, and until when at the most, once its message takes longer than most', async () => {
    await (await turnOf(store, new FakeClock(), 60_000)).claim();
    const clock = new FakeClock();
    const begun = clock.now();
    const told: (OtherMessage & { readonly at: number })[] = [];
    const entry = { campaign: await other.open(here, 'spring'), device: 0 };
    const onHeld = (message: OtherMessage) => void told.push({ ...message, at: clock.now() - begun });
    const waiting = other.turn(laneOf(entry), { signal, clock, takesOver: false, requestTimeout, onHeld });
    await eventually(() => told.length > 1);
    await advance(125_000);
    (await waiting).release();
    const [first, second] = told;
    expect(first).toMatchObject({ holder: `${hostname()} (process ${process.pid})`, at: 3000 });
    expect(second?.until).toBe(first?.until);
    expect((first?.until ?? 0) - begun).toBeGreaterThan(60_000);
    expect((first?.until ?? 0) - begun).toBeLessThanOrEqual(125_000);
  });

  it('does not let a message leave once half of its time has passed, by the clock on the wall either', async () => {
    const clock = new FakeClock();
    const { claim } = await turnOf(store, clock);
    const claimed = await claim();
    clock.advance(leaseMs / 2 - 1);
    expect(claimed?.isHeld()).toBe(true);
    clock.advance(1);
    expect(claimed?.isHeld()).toBe(false);
  });

  it('never takes back what a person said of a row meanwhile', async () => {
    const one = await turnOf(store);
    await one.claim();
    await advance(leaseMs);
    await (await turnOf(other)).turn.release();
    await store.record(spring, [{ row: 1, event: 'settle_accepted', at }]);
    await one.turn.settle(one.entry, 1, { event: 'return' }, one.turn.lane);
    expect(await rows()).toMatchObject([{ state: 'accepted' }, {}]);
  });

  it('keeps that a message was taken also where its row was planned again meanwhile, so that it is not sent twice', async () => {
    const one = await turnOf(store);
    await one.claim();
    await advance(leaseMs);
    (await turnOf(other)).turn.release();
    await store.record(spring, [{ row: 1, event: 'settle_not_sent', at }]);
    expect(await rows()).toMatchObject([{ state: 'planned' }, {}]);
    const lane = withOutcome(one.turn.lane, accepted, one.turn.now(), 0);
    await one.turn.settle(one.entry, 1, accepted, lane);
    expect(await rows()).toMatchObject([{ state: 'accepted' }, { state: 'planned' }]);
  });

  it('takes a row that was planned again for unknown where the answer to its message was lost', async () => {
    const one = await turnOf(store);
    await one.claim();
    await advance(leaseMs);
    (await turnOf(other)).turn.release();
    await store.record(spring, [{ row: 1, event: 'settle_not_sent', at }]);
    const lost = { event: 'lose', reason: 'TIMEOUT', because: 'no answer' } as const;
    await one.turn.settle(one.entry, 1, lost, withOutcome(one.turn.lane, lost, one.turn.now(), 0));
    expect(await rows()).toMatchObject([{ state: 'unknown', reason: 'TIMEOUT' }, { state: 'planned' }]);
  });

  it('says so where what came of a message is not kept, since another host sends its row', async () => {
    const told: string[] = [];
    const one = await turnOf(await openDatabase(database.url, (text) => told.push(text)));
    await one.claim();
    await advance(leaseMs);
    (await turnOf(other)).turn.release();
    await store.record(spring, [{ row: 1, event: 'settle_not_sent', at }]);
    const two = await turnOf(other);
    await two.claim();
    const lane = withOutcome(one.turn.lane, accepted, one.turn.now(), 0);
    await one.turn.settle(one.entry, 1, accepted, lane);
    expect(told.join()).toContain('Row 1 of spring is accepted');
    expect(await rows()).toMatchObject([{ state: 'sending', attempts: 2 }, {}]);
  });

  it('keeps a refusal of any characters, half of one too, and goes on with its device', async () => {
    const one = await turnOf(store);
    await one.claim();
    const refused = { event: 'reject', reason: 'BAD_REQUEST', because: 'no \ud83c number\0' } as const;
    await one.turn.settle(one.entry, 1, refused, withOutcome(one.turn.lane, refused, one.turn.now(), 0));
    await store.create({ campaign: { ...spring, name: 'winter' }, rows: [] });
    const two = await turnOf(other);
    expect(two.turn.lane.rejections).toEqual({ says: 'no \ufffd number', count: 1 });
  });

  it('gives back a claim that is about to be taken when its connection breaks, and one whose device was free by then', async () => {
    const { relay, store: cutStore } = await relayed();
    const { claim } = await turnOf(cutStore);
    // The claim waits for the row of its device, and is taken long after its connection broke.
    const letGo = await database.hold(`select from lanes for update`);
    const claiming = claim();
    await untilHeldUp('with picked as');
    relay.cut();
    await letGo();
    relay.mend();
    expect(await claiming).toBeUndefined();
    expect(await rows()).toMatchObject([{ state: 'planned' }, {}]);
    const { turn } = await turnOf(other);
    expect(turn.lane).toMatchObject({ isBusy: false, sent: [] });
  });

  it('claims nothing in the minute after the one in which that was decided', async () => {
    const one = await turnOf(store);
    const decided = Math.floor(one.turn.now() / 60_000) * 60_000 - 1;
    expect(await one.turn.claim(one.entry, one.row, withRequest(one.turn.lane, decided))).toBeUndefined();
    expect(await rows()).toMatchObject([{ state: 'planned' }, {}]);
  });

  it('waits for no lease longer than one lasts where the clock was put back', async () => {
    await (await turnOf(store)).claim();
    await advance(-3_600_000);
    const clock = new FakeClock();
    const waiting = turnOf(other, clock);
    while (clock.waits.length < 2) await new Promise((resolve) => setImmediate(resolve));
    await advance(leaseMs);
    expect((await waiting).row.row).toBe(2);
  });

  /** Opens the store by a way that can be cut. */
  const relayed = async () => {
    const url = new URL(database.url);
    const relay = await startRelay(new URL(database.url));
    url.port = String(relay.port);
    const told: string[] = [];
    return { relay, told, store: await openDatabase(url.href, (text) => told.push(text)) };
  };

  it.each(['cutAt', 'cutAfter'] as const)(
    'sends nothing of a claim whose answer was lost (%s), and has the row planned again',
    async (cut) => {
      const { relay, store: cutStore } = await relayed();
      const { claim } = await turnOf(cutStore);
      relay[cut]('with picked as');
      const claiming = claim();
      setTimeout(relay.mend, 50);
      expect(await claiming).toBeUndefined();
      expect(await rows()).toMatchObject([{ state: 'planned' }, {}]);
      const { turn } = await turnOf(other);
      expect(turn.lane).toMatchObject({ isBusy: false, sent: [] });
    },
  );

  it.each(['cutAt', 'cutAfter'] as const)(
    'writes what came of a message until it is taken (%s)',
    async (cut) => {
      const { relay, told, store: cutStore } = await relayed();
      const one = await turnOf(cutStore);
      await one.claim();
      relay[cut]('with outcome as');
      const settling = one.turn.settle(
        one.entry,
        1,
        accepted,
        withOutcome(one.turn.lane, accepted, one.turn.now(), 0),
      );
      setTimeout(relay.mend, 50);
      await settling;
      expect(await rows()).toMatchObject([{ state: 'accepted' }, {}]);
      expect(told.join()).toContain('what came of row 1');
      const { turn } = await turnOf(other);
      expect(turn.lane.sent).toHaveLength(1);
    },
  );

  it('sends nothing of a campaign in a database that a standby took over, before somebody says so', async () => {
    const one = await turnOf(store);
    await database.run(`update campaigns set server = 'of the server before'`);
    expect(await one.claim()).toBeUndefined();
    const campaign = await other.open(here, 'spring');
    expect(campaign).toMatchObject({ mark: { state: 'paused' }, obstacle: { exitCode: 2 } });
    expect(campaign.obstacle?.message).toContain('took over');
    await other.takeOver(spring);
    await campaign.refresh();
    expect(campaign.obstacle).toBeUndefined();
    expect(campaign.mark).toBeUndefined();
  });

  it('notes the timeline of the server, which a standby that takes over does not have', async () => {
    const [kept] = await database.run(
      `select server, substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as timeline from campaigns`,
    );
    expect(String(kept?.server)).toMatch(new RegExp(`/${kept?.timeline}$`));
  });

  it('measures the pause after a message by its own clock, and waits for none in the future', async () => {
    const one = await turnOf(store);
    await one.claim();
    await one.turn.settle(one.entry, 1, accepted, withOutcome(one.turn.lane, accepted, 0, 0));
    const two = await turnOf(other);
    expect(Math.abs(Number(two.turn.lane.lastAt) - Date.now())).toBeLessThan(60_000);
    await advance(-3_600_000);
    const three = await turnOf(store);
    expect(three.turn.lane.lastAt).toBeLessThanOrEqual(three.turn.now());
  });

  it('is refused where it holds other things, or was made by a newer botctl', async () => {
    const foreign = await createDatabase();
    closers.push(foreign.drop);
    await foreign.run('create table customers (id integer)');
    await expect(openDatabase(foreign.url)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('customers'),
    });
    await database.run(`insert into kysely_migration values ('999_later', '2030-01-01')`);
    await expect(openDatabase(database.url)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('newer botctl'),
    });
  });

  it('is not deleted from under a message that is on its way', async () => {
    await (await turnOf(store)).claim();
    await expect(other.delete(spring)).rejects.toMatchObject({ exitCode: 2 });
    await advance(leaseMs);
    await other.delete(spring);
    expect(await database.run('select from campaign_rows')).toEqual([]);
  });

  it.each<readonly [string, string, string, (row: CampaignRow) => Promise<unknown>]>([
    [
      'added',
      `insert into campaign_rows (campaign, row, state, frozen) select id, 3, 'planned', '{}' from campaigns`,
      'insert into campaign_rows',
      (row) =>
        addRows(store, spring, [{ ...row, row: 3 }], {
          after: 2,
          columns: spring.columns,
          source: { file: 'more.csv', sha256: '1'.repeat(64) },
        }),
    ],
    [
      'changed',
      'select from campaign_rows where row = 2 for update',
      'for update',
      () => store.record(spring, [{ row: 2, event: 'settle_accepted', at }]),
    ],
  ])(
    'lets a campaign be paused at once while rows of it are %s, and what sends it sees that',
    async (_, holding, words, change) => {
      const { row, claim } = await turnOf(store);
      const letGo = await database.hold(holding);
      const changing = change(row);
      await untilHeldUp(words);
      await other.mark(spring, { state: 'paused', at });
      expect(await other.find(here, 'spring')).toMatchObject({ mark: { state: 'paused' } });
      expect(await claim()).toBeUndefined();
      await letGo();
      await changing;
      expect(await other.get(here, 'spring')).toMatchObject({ mark: { state: 'paused' } });
    },
  );

  it('takes the rows of one of two that add some at the same time, whose numbers would be the same', async () => {
    const [first] = await rows();
    const add = (by: EarlierStore, file: string) =>
      addRows(by, spring, first ? [{ ...first, row: 3 }] : [], {
        after: 2,
        columns: spring.columns,
        source: { file, sha256: '1'.repeat(64) },
      });
    const both = await Promise.allSettled([add(store, 'one.csv'), add(other, 'two.csv')]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(both).toContainEqual({
      status: 'rejected',
      reason: expect.objectContaining({ exitCode: 2, message: expect.stringContaining('meanwhile') }),
    });
    expect(await rows()).toHaveLength(3);
  });

  it('says that it is away with exit code 8', async () => {
    const { relay, store: cutStore } = await relayed();
    relay.cut();
    await expect(cutStore.look(here, 'spring')).rejects.toMatchObject({ exitCode: 8 });
  });
});
