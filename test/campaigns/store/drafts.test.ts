import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { CampaignRow } from '../../../src/campaigns/campaign.ts';
import { completeDraft } from '../../../src/campaigns/draft-list.ts';
import { storeIn } from '../../../src/campaigns/store/campaign-store.ts';
import type { OpenDatabase } from '../../../src/campaigns/store/database.ts';
import { type AddedList, type CampaignDraft, rowsAtOnce } from '../../../src/campaigns/store.ts';
import { collect } from '../../../src/lib/iterables.ts';
import { springCampaign } from '../../support/campaign.ts';
import { type DatabasePlace, newDatabasePlace, tablesOf } from '../../support/campaign-databases.ts';
import { createCampaign } from '../../support/stored-campaign.ts';

const here = 'https://a.example';
const at = '2026-01-01T00:00:00.000Z';
const { campaign: spring } = springCampaign(here);

/** Returns planned rows, numbered from the first. */
function rowsFrom(first: number, count: number): readonly CampaignRow[] {
  return Array.from({ length: count }, (_, index) => {
    const row = first + index;
    const to = String(14155500000 + row);
    return { row, line: row + 1, cells: ['Ana', `+${to}`], state: 'planned', to, device: 0, text: 'Hello' };
  });
}

async function write(draft: CampaignDraft, rows: readonly CampaignRow[]): Promise<void> {
  for (let from = 0; from < rows.length; from += rowsAtOnce)
    await draft.write(rows.slice(from, from + rowsAtOnce));
}

const listAfter = (after: number): AddedList => {
  return { after, columns: ['name', 'phone', 'city'], source: { file: 'more.csv', sha256: '1'.repeat(64) } };
};

describe('a draft', () => {
  let place: DatabasePlace;
  let store: ReturnType<typeof storeIn>;
  let tables: OpenDatabase;

  beforeEach(async () => {
    place = await newDatabasePlace();
    const database = await place.open();
    store = storeIn(database);
    tables = await tablesOf(database);
  });

  const stored = async () => (await collect(store.rows(spring))).flat();
  const countOf = async (table: 'campaigns' | 'campaign_rows') =>
    (await tables.db.selectFrom(table).selectAll().execute()).length;

  const draftTimes = async () =>
    (await tables.db.selectFrom('campaigns').select('draft_at').execute()).map((row) => row.draft_at);

  it('becomes a campaign only when it is published', async () => {
    const rows = rowsFrom(1, 2500);
    const draft = await store.draft(spring);
    await write(draft, rows);
    expect(await store.find(here, 'spring')).toBeUndefined();
    expect(await store.list(here)).toEqual({ campaigns: [], unreadable: [] });
    await draft.publish();
    expect(await store.find(here, 'spring')).toMatchObject({ campaign: spring, rows: 2500 });
    expect(await stored()).toMatchObject(rows);
    await expect(draft.publish()).rejects.toMatchObject({ exitCode: 2 });
  });

  it('leaves nothing if it is discarded, or if its rows fail', async () => {
    await completeDraft(await store.draft(spring), async () => false);
    const draft = await store.draft(spring);
    const failing = completeDraft(draft, async () => {
      await write(draft, rowsFrom(1, 6000));
      throw new Error('the list is damaged');
    });
    await expect(failing).rejects.toThrow('the list is damaged');
    expect([await countOf('campaigns'), await countOf('campaign_rows')]).toEqual([0, 0]);
  });

  it('does not take a name that was published first by another draft, in any notation', async () => {
    const [one, other] = [await store.draft(spring), await store.draft({ ...spring, created_at: at })];
    await one.publish();
    await expect(completeDraft(other, async () => true)).rejects.toMatchObject({
      exitCode: 2,
      message: 'Campaign spring already exists.',
    });
    await expect(createCampaign(store, springCampaign(here))).rejects.toMatchObject({ exitCode: 2 });
    expect(await countOf('campaigns')).toBe(1);
    await store.draft({ ...spring, origin: 'https://b.example' }).then((draft) => draft.publish());
    expect(await countOf('campaigns')).toBe(2);
  });

  it('is added to a campaign after its rows, with new columns', async () => {
    await createCampaign(store, { campaign: spring, rows: rowsFrom(1, 2) });
    const draft = await store.draftMore(spring, listAfter(2));
    const more = rowsFrom(3, 12_000);
    await write(draft, more);
    expect(await stored()).toHaveLength(2);
    await draft.publish();
    const found = await store.find(here, 'spring');
    expect(found).toMatchObject({ rows: 12_002, campaign: { columns: ['name', 'phone', 'city'] } });
    expect(found?.campaign.sources).toHaveLength(2);
    const rows = await stored();
    expect(rows.map(({ row }) => row)).toEqual([...rowsFrom(1, 12_002)].map(({ row }) => row));
    expect(rows[0]?.cells).toEqual(['Ana', '+14155500001', null]);
    expect(await countOf('campaigns')).toBe(1);
  });

  it('is not added to a campaign that got other rows meanwhile, or to another campaign', async () => {
    await createCampaign(store, { campaign: spring, rows: rowsFrom(1, 2) });
    const drafts = [await store.draftMore(spring, listAfter(2)), await store.draftMore(spring, listAfter(2))];
    for (const draft of drafts) await write(draft, rowsFrom(3, 1));
    const both = await Promise.allSettled(drafts.map((draft) => completeDraft(draft, async () => true)));
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(both).toContainEqual({
      status: 'rejected',
      reason: expect.objectContaining({
        exitCode: 2,
        message: expect.stringContaining('Another command changed'),
      }),
    });
    await expect(store.draftMore(spring, listAfter(2))).rejects.toMatchObject({ exitCode: 2 });
    expect(await stored()).toHaveLength(3);
    const late = await store.draftMore(spring, listAfter(3));
    await write(late, rowsFrom(4, 1));
    await store.delete(spring);
    await createCampaign(store, {
      campaign: { ...spring, created_at: '2026-01-02T00:00:00.000Z' },
      rows: rowsFrom(1, 3),
    });
    await expect(completeDraft(late, async () => true)).rejects.toMatchObject({ exitCode: 2 });
    expect([await countOf('campaigns'), await countOf('campaign_rows')]).toEqual([1, 3]);
  });

  it('is added as a whole or not at all', async () => {
    await createCampaign(store, { campaign: spring, rows: rowsFrom(1, 2) });
    const draft = await store.draftMore(spring, listAfter(2));
    await write(draft, rowsFrom(3, 12_000));
    await tables.db.deleteFrom('campaign_rows').where('row', '=', 6000).execute();
    await expect(completeDraft(draft, async () => true)).rejects.toMatchObject({
      exitCode: 2,
    });
    expect(await stored()).toHaveLength(2);
    expect([await countOf('campaigns'), await countOf('campaign_rows')]).toEqual([1, 2]);
  });

  it('is deleted by a later one if its process died, and then accepts no more rows', async () => {
    const old = await store.draft({ ...spring, origin: 'https://b.example' });
    await write(old, rowsFrom(1, 10));
    await store.draft(spring);
    expect(await countOf('campaign_rows')).toBe(10);
    await tables.db.updateTable('campaigns').set({ draft_at: 1 }).where('origin', '!=', here).execute();
    const later = await store.draft(spring);
    expect(await countOf('campaign_rows')).toBe(0);
    await expect(old.write(rowsFrom(11, 1))).rejects.toMatchObject({ exitCode: 2 });
    await later.publish();
  });

  it('is not published once another process has started to delete it', async () => {
    const old = await store.draft(spring);
    await write(old, rowsFrom(1, 10));
    await place.advance(11 * 60_000);
    const before = await draftTimes();
    const deleting = store.draft({ ...spring, name: 'winter' });
    await vi.waitFor(async () => expect(await draftTimes()).not.toEqual(expect.arrayContaining(before)));
    await expect(old.publish()).rejects.toMatchObject({ exitCode: 2 });
    await deleting;
    expect(await store.find(here, 'spring')).toBeUndefined();
    expect([await countOf('campaigns'), await countOf('campaign_rows')]).toEqual([1, 0]);
  });

  it('is no longer deleted once it is published, even if its process did not learn that', async () => {
    const draft = await store.draft(spring);
    await write(draft, rowsFrom(1, 10));
    const lost = completeDraft(
      { ...draft, publish: () => draft.publish().then(() => Promise.reject(new Error('away'))) },
      async () => true,
    );
    await expect(lost).rejects.toThrow('away');
    expect(await store.find(here, 'spring')).toMatchObject({ rows: 10 });
    expect(await stored()).toHaveLength(10);
  });
});
