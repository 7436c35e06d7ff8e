import { beforeEach, describe, expect, it } from 'vitest';
import type { CampaignStore } from '../../src/campaigns/store/campaign-store.ts';
import { springCampaign } from '../support/campaign.ts';
import { addRows, allOptOuts, newStorePlace, type StorePlace } from '../support/campaign-stores.ts';
import { createCampaign, storedCampaign } from '../support/stored-campaign.ts';

const here = 'https://a.example';
const at = '2026-01-01T00:00:00.000Z';
const { campaign: spring, rows: springRows } = springCampaign(here);

/** Returns a campaign with this many planned rows. */
const withRows = (count: number, name = 'spring') => ({
  campaign: { ...spring, name },
  rows: Array.from({ length: count }, (_, index) => ({
    row: index + 1,
    line: index + 2,
    cells: [`P${index}`, `+55119888${10_000 + index}`],
    state: 'planned' as const,
    to: `55119888${10_000 + index}`,
    device: 0,
    text: `Hello P${index}!`,
  })),
});

describe('campaigns', () => {
  let place: StorePlace;
  let store: CampaignStore;

  beforeEach(async () => {
    place = await newStorePlace();
    store = await place.open();
  });

  const rows = async (name = 'spring') => (await storedCampaign(store, here, name))?.rows ?? [];

  it('are read as they were written, with every character', async () => {
    const made = springCampaign(here);
    const [first] = made.rows;
    const odd = {
      ...made,
      rows: [
        {
          ...first,
          row: 1,
          line: 2,
          cells: ["a\0b'\u{1F600}", null],
          state: 'planned' as const,
          text: 'x\u0000\n"',
        },
      ],
    };
    await createCampaign(store, made);
    await createCampaign(store, { ...odd, campaign: { ...odd.campaign, name: 'odd' } });
    expect(await storedCampaign(store, here, 'spring')).toEqual(made);
    expect((await storedCampaign(store, here, 'odd'))?.rows).toMatchObject([
      { cells: ["a\0b'\u{1F600}", null], text: 'x\u0000\n"' },
    ]);
    expect(await storedCampaign(store, here, 'winter')).toBeUndefined();
    expect(await store.look(here, 'spring')).toMatchObject({
      campaign: made.campaign,
      counts: { rows: 2, planned: 1, duplicates: 1 },
    });
  });

  it('have a name that is unique for each service, in any composition of its accents', async () => {
    await createCampaign(store, springCampaign(here, 'caf\u00e9'));
    await createCampaign(store, springCampaign('https://b.example', 'caf\u00e9'));
    const again = await Promise.allSettled(
      [1, 2, 3].map(() => createCampaign(store, springCampaign(here, 'cafe\u0301'))),
    );
    for (const one of again)
      expect(one).toMatchObject({
        status: 'rejected',
        reason: { exitCode: 2, message: expect.stringContaining('already') },
      });
    await createCampaign(store, springCampaign(here, 'Caf\u00e9'));
    const names = (await store.list(here)).campaigns.map(({ campaign }) => campaign.name);
    expect(names.toSorted()).toEqual(['Caf\u00e9', 'caf\u00e9']);
    expect((await storedCampaign(store, here, 'cafe\u0301'))?.campaign.name).toBe('caf\u00e9');
  });

  it('are read with all rows, or with some of them', async () => {
    const made = withRows(4);
    const long = {
      ...made.rows[1],
      row: 2,
      line: 3,
      cells: [],
      state: 'planned' as const,
      text: 'x\0'.repeat(9),
    };
    await createCampaign(store, { ...made, rows: made.rows.map((row) => (row.row === 2 ? long : row)) });
    const claim = (row: number) => ({ row, event: 'claim', at }) as const;
    await store.record(spring, [claim(1), { row: 1, event: 'accept', at }, claim(4)]);
    const summary = await store.summarise(here, 'spring');
    expect(summary).toMatchObject({
      campaign: spring,
      counts: { rows: 4, planned: 2, accepted: 1, sending: 1 },
      messages: { first: { text: long.text }, last: { text: 'Hello P2!' }, longest: long.text },
      alike: 1,
    });
    expect(summary?.messages.secondsNeeded({ gap: { shortest: 1000, longest: 1000 } })).toBe(1);
    expect(await store.rowsNumbered(spring, [4, 9, 1, 2 ** 40])).toMatchObject([
      { row: 4, state: 'sending', cells: ['P3', '+5511988810003'], attempts: 1 },
      { row: 1, state: 'accepted', text: 'Hello P0!' },
    ]);
    expect(await store.firstMessage(spring)).toMatchObject({ row: 2, state: 'planned' });
    const running = await store.open(here, 'spring');
    const sending = [...(await running.rowsIn(['sending', 'unknown'])).values()];
    expect(sending).toEqual([{ row: 4, state: 'sending', device: 0, attempts: 1 }]);
    await store.mark(spring, { state: 'cancelled', at });
    expect(await store.rowsNumbered(spring, [3])).toMatchObject([{ state: 'skipped', reason: 'cancelled' }]);
    expect(await store.summarise(here, 'spring')).toMatchObject({
      counts: { planned: 0, cancelled: 2 },
      messages: { first: undefined, longest: undefined },
      alike: 0,
    });
    expect(await store.summarise(here, 'winter')).toBeUndefined();
  });

  it('have a first message even if no row is planned any more, but none if no row was valid', async () => {
    await createCampaign(store, withRows(2));
    const accepted = [1, 2].map((row) => ({ row, event: 'settle_accepted', at }) as const);
    await store.record(spring, accepted);
    expect(await store.firstMessage(spring)).toMatchObject({ row: 1, state: 'accepted' });
    const wrong = {
      row: 1,
      line: 2,
      cells: [],
      state: 'skipped' as const,
      reason: 'invalid',
      because: 'no number',
    };
    await createCampaign(store, { campaign: { ...spring, name: 'winter' }, rows: [wrong] });
    expect(await store.firstMessage({ ...spring, name: 'winter' })).toBeUndefined();
    await expect(store.firstMessage({ ...spring, name: 'summer' })).rejects.toMatchObject({ exitCode: 5 });
  });

  it('append rows and columns only if the writer has seen all existing ones', async () => {
    await createCampaign(store, springCampaign(here));
    const [first] = springRows;
    const source = { file: 'more.csv', sha256: '1'.repeat(64) };
    const columns = ['name', 'phone', 'city'];
    const more = [
      {
        ...first,
        row: 3,
        line: 2,
        cells: ['Caio', '+55 11 95555-4444', 'Santos'],
        to: '5511955554444',
        state: 'planned' as const,
      },
    ];
    await addRows(store, spring, more, { after: 2, columns, source });
    expect((await rows()).map(({ cells }) => cells)).toEqual([
      [...(springRows[0]?.cells ?? []), null],
      [...(springRows[1]?.cells ?? []), null],
      ['Caio', '+55 11 95555-4444', 'Santos'],
    ]);
    expect((await storedCampaign(store, here, 'spring'))?.campaign.sources).toHaveLength(2);
    await expect(addRows(store, spring, more, { after: 2, columns, source })).rejects.toMatchObject({
      exitCode: 2,
    });
    await store.setNumber(spring, 0, '+5511900000000');
    expect((await storedCampaign(store, here, 'spring'))?.campaign.devices[0]?.number).toBe('+5511900000000');
  });

  it('are not changed by a writer that holds an earlier campaign of the same name', async () => {
    await createCampaign(store, springCampaign(here));
    await store.delete(spring);
    const again = { ...spring, created_at: '2026-01-02T00:00:00.000Z' };
    await createCampaign(store, { ...springCampaign(here), campaign: again });
    for (const change of [
      () => store.setNumber(spring, 0, '+1'),
      () => store.record(spring, [{ row: 1, event: 'claim', at }]),
      () => store.mark(spring, { state: 'cancelled', at }),
      () => store.delete(spring),
    ])
      await expect(change()).rejects.toMatchObject({
        exitCode: 2,
        message: expect.stringContaining('Another command changed'),
      });
    expect(await rows()).toMatchObject([{ state: 'planned' }, {}]);
    await store.delete(again);
    await expect(store.delete(again)).rejects.toMatchObject({ exitCode: 5 });
  });

  it('store the events of a row only if its state allows them', async () => {
    await createCampaign(store, springCampaign(here));
    const done = await store.record(spring, [
      { row: 1, event: 'claim', at },
      { row: 1, event: 'lose', at, reason: 'OUTCOME_UNKNOWN', because: 'the connection broke' },
      { row: 2, event: 'claim', at },
      { row: 3, event: 'claim', at },
    ]);
    expect(done).toMatchObject([{ row: 1, state: 'unknown', attempts: 1 }]);
    expect(await rows()).toMatchObject([
      { state: 'unknown', reason: 'OUTCOME_UNKNOWN', because: 'the connection broke', at },
      { state: 'skipped', reason: 'duplicate' },
    ]);
    expect(await store.record(spring, [{ row: 1, event: 'claim', at }])).toEqual([]);
    await store.record(spring, [{ row: 1, event: 'settle_not_sent', at }]);
    expect(await store.look(here, 'spring')).toMatchObject({ counts: { planned: 1 } });
  });

  it('plan a row again only if the caller saw its last attempt, and accept planned rows as sent', async () => {
    await createCampaign(store, withRows(2));
    const claim = { row: 1, event: 'claim', at } as const;
    const lose = { row: 1, event: 'lose', at } as const;
    await store.record(spring, [claim, lose, { row: 1, event: 'retry', at, attempts: 1 }, claim, lose]);
    expect(await store.record(spring, [{ row: 1, event: 'retry', at, attempts: 1 }])).toEqual([]);
    expect(await store.record(spring, [{ row: 1, event: 'retry', at, attempts: 2 }])).toHaveLength(1);
    await store.record(spring, [{ row: 2, event: 'settle_accepted', at }]);
    expect(await rows()).toMatchObject([{ state: 'planned' }, { state: 'accepted' }]);
  });

  it('stay paused until they are resumed, and are cancelled for good with their remaining rows', async () => {
    await createCampaign(store, springCampaign(here));
    await store.mark(spring, { state: 'paused', at });
    expect(await storedCampaign(store, here, 'spring')).toMatchObject({
      mark: { state: 'paused', at },
      rows: [{ state: 'planned' }, {}],
    });
    await store.mark(spring, undefined);
    expect((await storedCampaign(store, here, 'spring'))?.mark).toBeUndefined();
    await store.mark(spring, { state: 'cancelled', at });
    for (const mark of [undefined, { state: 'paused', at } as const])
      await expect(store.mark(spring, mark)).rejects.toMatchObject({ exitCode: 2 });
    expect(await rows()).toMatchObject([{ state: 'skipped', reason: 'cancelled' }, {}]);
    expect(await store.look(here, 'spring')).toMatchObject({
      counts: { planned: 0, cancelled: 1 },
      mark: { state: 'cancelled' },
    });
  });

  it('store opt-outs under both notations of a number, for their service alone', async () => {
    const optOuts = store.optOuts(here);
    const added = await optOuts.add([
      { number: '5511988887777', added_at: at, note: 'STOP' },
      { number: '551188887777', added_at: at },
      { number: '14155550123', added_at: at },
    ]);
    expect(added).toEqual([
      { number: '5511988887777', added_at: at, note: 'STOP' },
      { number: '14155550123', added_at: at },
    ]);
    expect(await optOuts.filterOptedOut(['551188887777', '14155550123', '14155550124'])).toEqual(
      new Set(['551188887777', '14155550123']),
    );
    expect(await allOptOuts(store.optOuts('https://b.example'))).toEqual([]);
    expect(await allOptOuts(optOuts)).toHaveLength(2);
    expect((await optOuts.remove('551188887777'))?.number).toBe('5511988887777');
    expect(await optOuts.remove('551188887777')).toBeUndefined();
    expect(await optOuts.find('5511988887777')).toBeUndefined();
  });
});
