import { hostname } from 'node:os';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { withActiveCampaigns } from '../../../src/campaigns/campaign-order.ts';
import type { Claim, ClaimOffer, ForeignMessage, QueueEntry } from '../../../src/campaigns/claim.ts';
import type { SendQueue } from '../../../src/campaigns/send-queue.ts';
import { storeIn } from '../../../src/campaigns/store/campaign-store.ts';
import type { OpenDatabase } from '../../../src/campaigns/store/database.ts';
import type { OpenedDatabase } from '../../../src/campaigns/store/open-database.ts';
import { frozenText, storedRow } from '../../../src/campaigns/store/rows.ts';
import { sendMethods } from '../../../src/campaigns/store/send.ts';
import { processView } from '../../../src/lib/running-process.ts';
import { springCampaign } from '../../support/campaign.ts';
import { type DatabasePlace, newDatabasePlace, tablesOf } from '../../support/campaign-databases.ts';
import { needsServer, testServer } from '../../support/database-server.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { type Relay, startRelay } from '../../support/relay.ts';
import { storedCampaign } from '../../support/stored-campaign.ts';

const here = 'https://a.example';
const { signal } = new AbortController();
const at = '2026-01-01T00:00:00.000Z';
const { campaign: spring } = springCampaign(here);
const device = spring.devices[0]?.id ?? '';
const requestTimeout = 1000;
const leaseMs = 2 * requestTimeout + 5000;
const accepted = { event: 'accept' } as const;
const lost = { event: 'lose', reason: 'TIMEOUT', because: 'no answer' } as const;
const ids = {
  spring: '0b1f0c52-9b4e-4f7a-8a6d-2f1e5b7c9d02',
  winter: '1c1f0c52-9b4e-4f7a-8a6d-2f1e5b7c9d03',
};

type Store = ReturnType<typeof storeIn> & ReturnType<typeof sendMethods>;

describe('sending campaigns', () => {
  let place: DatabasePlace;
  let tables: OpenDatabase;
  let store: Store;
  let other: Store;

  const storeOf = (database: OpenedDatabase): Store => ({ ...storeIn(database), ...sendMethods(database) });
  const insert = async (name: keyof typeof ids, count: number) => {
    const { created_at } = spring;
    const { db, server } = tables;
    await db
      .insertInto('campaigns')
      .values(({ eb }) => ({
        ...{ id: ids[name], origin: here, name_key: name, created_at, rows: count },
        ...{ frozen: frozenText({ ...spring, name }), server: eb.val(server).$castTo<string>() },
      }))
      .execute();
    const rows = Array.from({ length: count }, (_, index) => ({
      ...{ row: index + 1, line: index + 2, cells: [`P${index}`], state: 'planned' as const },
      ...{ to: `55119888${10_000 + index}`, device: 0, text: `Hello P${index}!` },
    }));
    await db
      .insertInto('campaign_rows')
      .values(rows.map((row) => storedRow(ids[name], row)))
      .execute();
  };

  beforeEach(async () => {
    place = await newDatabasePlace();
    const database = await place.open();
    tables = await tablesOf(database);
    [store, other] = [storeOf(database), storeOf(await place.open())];
    await insert('spring', 2);
  });

  const rows = async (name = 'spring') => (await storedCampaign(store, here, name))?.rows ?? [];
  interface ClaimedBy {
    readonly by?: Store;
    readonly clock?: FakeClock;
    readonly names?: readonly (keyof typeof ids)[];
    readonly timeout?: number;
    readonly onHeld?: (message: ForeignMessage) => void;
    readonly stop?: AbortSignal;
  }
  /** Claims the next row, or returns the queue if there is none. */
  const claimed = async ({
    by = store,
    clock = new FakeClock(),
    names = ['spring'],
    timeout = requestTimeout,
    onHeld,
    stop = signal,
  }: ClaimedBy) => {
    const entries: QueueEntry[] = [];
    for (const name of names) entries.push({ campaign: await by.open(here, name), device: 0 });
    const decide = ({ queue: found, next, waiting }: ClaimOffer) => {
      const queue = withActiveCampaigns(found, entries, waiting);
      return next ? { queue, send: 'row' as const } : { queue, instead: queue };
    };
    const queue = { key: { origin: here, device }, label: 'Reception', entries };
    return by.claim(queue, decide, {
      signal: stop,
      clock,
      requestTimeout: timeout,
      ...(onHeld && { onHeld }),
    });
  };
  const claim = async (options: ClaimedBy = {}): Promise<Claim> => {
    const result = await claimed(options);
    if ('instead' in result) throw new Error('nothing is planned');
    return result.claim;
  };
  /** Returns the queue, once no message is in flight. */
  const readQueue = async (): Promise<SendQueue> => {
    const entries = [{ campaign: await store.open(here, 'spring'), device: 0 }];
    const key = { origin: here, device };
    const result = await store.claim(
      { key, label: '', entries },
      ({ queue }) => ({ queue, instead: queue }),
      {
        ...{ signal, clock: new FakeClock(), requestTimeout },
      },
    );
    if (!('instead' in result)) throw new Error('a message was claimed');
    return result.instead;
  };
  const lease = async () =>
    (await tables.db.selectFrom('lanes').select(['lease', 'lease_until']).executeTakeFirstOrThrow()).lease;
  /** Returns a manual clock, and the promise of a claim that waits on it. */
  const waiting = (options: ClaimedBy = {}) => {
    const clock = new FakeClock({ byHand: true });
    let isOver = false;
    const claiming = claim({ by: other, clock, ...options }).finally(() => {
      isOver = true;
    });
    const looked = (times: number) => eventually(async () => isOver || clock.waits.length >= times);
    return { clock, claiming, looked };
  };

  it('stores that a row is being sent before sending, and then its outcome, for one of two processes', async () => {
    const one = await claim();
    expect(one).toMatchObject({ row: { row: 1, state: 'sending', attempts: 1 } });
    expect(one.isHeld()).toBe(true);
    expect(one.entry.campaign.tally(0)).toMatchObject({ planned: 1, sending: 1 });
    expect(await rows()).toMatchObject([{ state: 'sending', attempts: 1 }, { state: 'planned' }]);
    const two = waiting();
    await two.looked(1);
    two.clock.advance(200);
    await two.looked(2);
    expect(await rows()).toMatchObject([{ state: 'sending' }, { state: 'planned' }]);
    const refused = { event: 'reject', reason: 'BAD_REQUEST', because: 'no \ud83c number\0' } as const;
    expect(await one.settle(refused)).toMatchObject({
      rejections: { count: 1 },
      sent: [[expect.any(Number), 1]],
    });
    expect(one.entry.campaign.tally(0)).toMatchObject({ planned: 1, sending: 0, rejected: 1 });
    two.clock.advance(200);
    expect(await two.claiming).toMatchObject({ row: { row: 2 } });
    expect(await rows()).toMatchObject([
      { state: 'rejected', reason: 'BAD_REQUEST', because: 'no \ufffd number' },
      { state: 'sending' },
    ]);
  });

  it('assigns each row to exactly one of many concurrent claims', async () => {
    await insert('winter', 20);
    const stores = await Promise.all(Array.from({ length: 4 }, async () => storeOf(await place.open())));
    const taken: number[] = [];
    const sendAll = async (by: Store) => {
      for (;;) {
        const result = await claimed({ by, names: ['winter'], timeout: 60_000 });
        if ('instead' in result) return;
        taken.push(result.claim.row?.row ?? 0);
        await result.claim.settle(accepted);
      }
    };
    await Promise.all(stores.map(sendAll));
    expect(taken.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(new Set((await rows('winter')).map(({ state }) => state))).toEqual(new Set(['accepted']));
  });

  it('marks the row of an expired lease as unknown, and accepts the outcome from its sender later', async () => {
    const one = await claim();
    const two = waiting();
    await two.looked(1);
    await place.advance(leaseMs);
    two.clock.advance(200);
    expect(await two.claiming).toMatchObject({ row: { row: 2 } });
    expect(await rows()).toMatchObject([{ state: 'unknown', reason: 'PROCESS_ENDED' }, { state: 'sending' }]);
    const held = await lease();
    await one.settle(accepted);
    expect(await rows()).toMatchObject([{ state: 'accepted' }, { state: 'sending' }]);
    // The other process still holds the device.
    expect(await lease()).toBe(held);
  });

  it('pauses after a message of a dead process as long as after any other', async () => {
    await claim();
    await place.advance(leaseMs + 500);
    const { lastAt, sent } = await readQueue();
    expect(sent).toMatchObject([[expect.any(Number), 1]]);
    const now = await tables.db.selectFrom('lanes').select(tables.now.as('now')).executeTakeFirstOrThrow();
    expect(Number(now.now) - (lastAt ?? 0)).toBeLessThan(leaseMs);
    expect(await rows()).toMatchObject([{ state: 'unknown' }, { state: 'planned' }]);
  });

  it.runIf(testServer === undefined)(
    'takes over the device of a local dead process at once, and of a remote one after its lease',
    async () => {
      await insert('winter', 1);
      await claim();
      const ended = { host: hostname(), pid: 4_194_305, view: processView() };
      const isTakenFrom = async (holder: object) => {
        await tables.db
          .updateTable('lanes')
          .set({ holder: JSON.stringify(holder) })
          .execute();
        const { claiming, looked, clock } = waiting({ names: ['spring', 'winter'] });
        await looked(1);
        const isTaken = clock.waits.length === 0;
        await place.advance(leaseMs);
        clock.advance(200);
        await claiming;
        return isTaken;
      };
      expect(await isTakenFrom({ ...ended, view: 'another machine' })).toBe(false);
      expect(await isTakenFrom(ended)).toBe(true);
      expect(await rows()).toMatchObject([{ state: 'unknown' }, { state: 'sending' }]);
      expect(await rows('winter')).toMatchObject([{ state: 'unknown' }]);
    },
  );

  it('does not let a message leave once half of its lease has passed', async () => {
    const clock = new FakeClock();
    const one = await claim({ clock });
    clock.advance(leaseMs / 2 - 1);
    expect(one.isHeld()).toBe(true);
    clock.advance(1);
    expect(one.isHeld()).toBe(false);
  });

  it('reports who holds a device, and until when at most, once its message takes longer than most', async () => {
    await claim({ timeout: 60_000 });
    const told: (ForeignMessage & { readonly after: number })[] = [];
    const clock = new FakeClock();
    const begun = clock.now();
    const onHeld = (message: ForeignMessage) => void told.push({ ...message, after: clock.now() - begun });
    const claiming = claim({ by: other, clock, onHeld });
    await eventually(async () => told.length > 1);
    await place.advance(125_000);
    await claiming;
    const [first, second] = told;
    expect(first).toMatchObject({ holder: `${hostname()} (process ${process.pid})`, after: 3000 });
    expect(second?.until).toBe(first?.until);
  });

  it('waits no longer than the lease time if the clock was set back', async () => {
    await claim();
    await place.advance(-3_600_000);
    const { claiming, looked, clock } = waiting();
    for (let look = 1; look <= leaseMs / 200; look += 1) {
      await looked(look);
      expect(await rows()).toMatchObject([{ state: 'sending' }, { state: 'planned' }]);
      clock.advance(200);
    }
    await looked(leaseMs / 200 + 1);
    clock.advance(200);
    expect((await claiming).row?.row).toBe(2);
    expect(await rows()).toMatchObject([{ state: 'unknown' }, { state: 'sending' }]);
  });

  it('measures the pause after a message by the clock of the database, and ignores times in the future', async () => {
    // This machine's clock differs.
    await (await claim({ clock: new FakeClock({ now: 0 }) })).settle(accepted);
    const { lastAt = 0 } = await readQueue();
    const now = await tables.db.selectFrom('lanes').select(tables.now.as('now')).executeTakeFirstOrThrow();
    if (testServer !== undefined) expect(Math.abs(lastAt - Number(now.now))).toBeLessThan(60_000);
    await place.advance(-3_600_000);
    expect((await readQueue()).lastAt).toBeLessThanOrEqual(Math.max(lastAt, Number(now.now)) - 3_590_000);
  });

  it('plans a row again if its message was not accepted, and leaves its device unchanged', async () => {
    const before = await readQueue();
    const one = await claim();
    await one.settle({ event: 'return' });
    expect(await rows()).toMatchObject([{ state: 'planned', attempts: 0 }, {}]);
    expect(await readQueue()).toMatchObject({ sent: before.sent, lastAt: before.lastAt });
  });

  it('sends no opted-out row, and none of a paused or deleted campaign', async () => {
    await store.optOuts(here).add([{ number: '551188810000', added_at: at }]);
    const one = await claim();
    expect(one.row?.row).toBe(2);
    await one.settle({ event: 'return' });
    expect(await rows()).toMatchObject([{ state: 'skipped', reason: 'opted_out' }, { state: 'planned' }]);
    await other.mark(spring, { state: 'paused', at });
    await expect(claim()).rejects.toThrow('nothing is planned');
    expect((await store.open(here, 'spring')).mark).toEqual({ state: 'paused', at });
    await other.delete(spring);
    const gone = { campaign: one.entry.campaign, device: 0 };
    const queue = { key: { origin: here, device }, label: '', entries: [gone] };
    const claiming = store.claim(queue, ({ queue: found }) => ({ queue: found, instead: 0 }), {
      ...{ signal, clock: new FakeClock(), requestTimeout },
    });
    await expect(claiming).rejects.toMatchObject({ exitCode: 5 });
  });

  it('never overwrites what the user recorded for a row meanwhile', async () => {
    const one = await claim();
    await place.advance(leaseMs);
    await readQueue();
    await store.record(spring, [{ row: 1, event: 'settle_accepted', at }]);
    await one.settle({ event: 'return' });
    expect(await rows()).toMatchObject([{ state: 'accepted' }, {}]);
  });

  it.each([
    ['accepted', accepted],
    ['unknown', lost],
  ] as const)(
    'stores that a message is %s even if its row was planned again meanwhile',
    async (state, outcome) => {
      const one = await claim();
      await place.advance(leaseMs);
      await readQueue();
      await store.record(spring, [{ row: 1, event: 'settle_not_sent', at }]);
      await one.settle(outcome);
      expect(await rows()).toMatchObject([{ state }, { state: 'planned' }]);
    },
  );

  it('reports if the outcome of a message is not stored because another process sends its row', async () => {
    const one = await claim();
    await place.advance(leaseMs);
    await readQueue();
    await store.record(spring, [{ row: 1, event: 'settle_not_sent', at }]);
    await claim({ by: other });
    await one.settle(accepted);
    expect(place.warnings.join()).toContain('Row 1 of spring is accepted');
    expect(await rows()).toMatchObject([{ state: 'sending', attempts: 2 }, {}]);
  });

  it('counts a test message for its device, and marks no row as unknown if its process dies', async () => {
    const entries = [{ campaign: await store.open(here, 'spring'), device: 0 }];
    const queue = { key: { origin: here, device }, label: '', entries };
    const claimTest = () =>
      store.claim(queue, ({ queue: found }) => ({ queue: found, send: 'test' }), {
        ...{ signal, clock: new FakeClock(), requestTimeout },
      });
    const one = await claimTest();
    if ('instead' in one) throw new Error('nothing was claimed');
    expect(one.claim.row).toBeUndefined();
    await one.claim.settle(accepted);
    expect((await readQueue()).sent).toMatchObject([[expect.any(Number), 1]]);
    await claimTest();
    await place.advance(leaseMs);
    expect((await readQueue()).sent).toMatchObject([[expect.any(Number), 2]]);
    expect(await rows()).toMatchObject([{ state: 'planned' }, { state: 'planned' }]);
  });

  it('alternates between the campaigns of a device, also across processes', async () => {
    await insert('winter', 2);
    const order: string[] = [];
    for (const by of [store, other, store, other]) {
      const one = await claim({ by, names: ['spring', 'winter'] });
      order.push(one.entry.campaign.campaign.name);
      await place.advance(1000);
      await one.settle(accepted);
    }
    expect(order).toEqual(['spring', 'winter', 'spring', 'winter']);
    expect((await readQueue()).campaigns).toMatchObject({ [ids.winter]: { lastAt: expect.any(Number) } });
  });

  describe('over a connection that breaks', needsServer, () => {
    /** Mends it repeatedly, because a connection may break late on a busy machine. */
    const mend = (relay: Relay) => {
      const mending = setInterval(relay.mend, 50);
      onTestFinished(() => clearInterval(mending));
    };
    const relayed = async () => {
      const url = new URL(place.url ?? '');
      const relay = await startRelay(new URL(url));
      url.port = String(relay.port);
      const cut = storeOf(await place.openAt(url.href));
      await cut.open(here, 'spring');
      return { relay, cut };
    };

    it.each([
      ['cutAt', 'commit'],
      ['cutAfter', 'commit'],
      ['cutAt', 'set "state" = $'],
    ] as const)('sends nothing for a claim whose response was lost (%s %s)', async (way, text) => {
      const { relay, cut } = await relayed();
      relay[way](text);
      const claiming = claim({ by: cut });
      mend(relay);
      await expect(claiming).rejects.toMatchObject({ exitCode: 8 });
      expect(await rows()).toMatchObject([{ state: 'planned' }, {}]);
      expect((await readQueue()).sent).toEqual([]);
      expect(await claim()).toMatchObject({ row: { row: 1 } });
    });

    it.each(['cutAt', 'cutAfter'] as const)(
      'retries storing the outcome of a message until it succeeds (%s)',
      async (way) => {
        const { relay, cut } = await relayed();
        const one = await claim({ by: cut });
        relay[way]('commit');
        const settling = one.settle(accepted);
        mend(relay);
        await settling;
        expect(await rows()).toMatchObject([{ state: 'accepted', attempts: 1 }, {}]);
        expect(place.warnings.join()).toContain('the outcome of row 1');
        expect(place.warnings.join()).not.toContain('another command changed');
        expect((await readQueue()).sent).toHaveLength(1);
      },
    );

    it('stops retrying a few seconds after a signal, and the row is later unknown', async () => {
      const { relay, cut } = await relayed();
      const stopping = new AbortController();
      const one = await claim({ by: cut, stop: stopping.signal });
      relay.cutAt('commit');
      const settling = one.settle(accepted);
      stopping.abort();
      await expect(settling).rejects.toMatchObject({ exitCode: 8 });
      expect(place.warnings.join()).toContain('could not store the outcome of row 1');
      expect(await rows()).toMatchObject([{ state: 'sending' }, {}]);
      await place.advance(leaseMs + 1);
      await readQueue();
      expect(await rows()).toMatchObject([{ state: 'unknown' }, {}]);
    }, 20_000);

    it('sends nothing for a campaign after a failover before the user confirms', async () => {
      await tables.db.updateTable('campaigns').set({ server: 'the one before' }).execute();
      await expect(claim()).rejects.toThrow('nothing is planned');
      const campaign = await other.open(here, 'spring');
      expect(campaign).toMatchObject({ mark: { state: 'paused' }, obstacle: { exitCode: 2 } });
      await other.takeOver(spring);
      await campaign.refresh();
      expect(campaign).toMatchObject({ mark: undefined, obstacle: undefined });
      expect(await claim()).toMatchObject({ row: { row: 1 } });
    });
  });
});
