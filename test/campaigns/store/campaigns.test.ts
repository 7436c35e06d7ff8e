import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { storeIn } from '../../../src/campaigns/store/campaign-store.ts';
import type { OpenDatabase } from '../../../src/campaigns/store/database.ts';
import { campaignFile } from '../../../src/campaigns/store/file.ts';
import { type OpenedDatabase, openOnMachine } from '../../../src/campaigns/store/open-database.ts';
import { lockQueue } from '../../../src/campaigns/store/queue-rows.ts';
import { frozenText, storedRow } from '../../../src/campaigns/store/rows.ts';
import { springCampaign } from '../../support/campaign.ts';
import { type DatabasePlace, newDatabasePlace, tablesOf } from '../../support/campaign-databases.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { storedCampaign } from '../../support/stored-campaign.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const here = 'https://a.example';
const at = '2026-01-01T00:00:00.000Z';
const id = '0b1f0c52-9b4e-4f7a-8a6d-2f1e5b7c9d02';
const lease = '1c1f0c52-9b4e-4f7a-8a6d-2f1e5b7c9d03';
const { campaign: spring, rows } = springCampaign(here);

describe('campaigns', () => {
  let place: DatabasePlace;
  let database: OpenedDatabase;
  let store: ReturnType<typeof storeIn>;
  let tables: OpenDatabase;

  beforeEach(async () => {
    place = await newDatabasePlace();
    database = await place.open();
    store = storeIn(database);
  });

  const insert = async (name = 'spring', campaign = id) => {
    tables = await tablesOf(database);
    const { created_at } = spring;
    const frozen = frozenText({ ...spring, name });
    await tables.db
      .insertInto('campaigns')
      .values({ id: campaign, origin: here, name_key: name, created_at, frozen, rows: 2, server: '' })
      .execute();
    const made = rows.map((row) => storedRow(campaign, row));
    await tables.db.insertInto('campaign_rows').values(made).execute();
  };

  it('do not exist before the first write, which creates the storage', async () => {
    expect(database.isNew).toBe(true);
    expect(await store.list(here)).toEqual({ campaigns: [], unreadable: [] });
    expect(await store.optOuts(here).find('5511988887777')).toBeUndefined();
    expect(await store.optOuts(here).remove('5511988887777')).toBeUndefined();
    expect((await place.open()).isNew).toBe(true);
    await insert();
    expect((await place.open()).isNew).toBe(false);
    expect(await storedCampaign(storeIn(await place.open()), here, 'spring')).toEqual({
      campaign: spring,
      rows,
    });
  });

  it('are listed and read without the damaged ones, which are named', async () => {
    await insert();
    await insert('winter', lease);
    await tables.db.updateTable('campaign_rows').set({ frozen: '{"line":' }).where('row', '=', 1).execute();
    await tables.db.updateTable('campaigns').set({ frozen: '{}' }).where('id', '=', lease).execute();
    const { campaigns, unreadable } = await store.list(here);
    expect(campaigns).toMatchObject([{ campaign: spring, counts: { rows: 2, planned: 1, duplicates: 1 } }]);
    expect(unreadable).toMatchObject([{ exitCode: 2, message: expect.stringContaining('winter') }]);
    await expect(store.find(here, 'winter')).rejects.toMatchObject({ exitCode: 2 });
    expect((await storedCampaign(store, here, 'spring'))?.rows).toEqual(rows.slice(1));
    expect(await store.rowsNumbered(spring, [1, 2])).toEqual(rows.slice(1));
    expect(await store.summarise(here, 'spring')).toMatchObject({ alike: 0 });
    expect(place.warnings.join()).toContain('Row 1 of campaign spring is damaged');
    await store.delete(spring);
    expect((await store.list(here)).campaigns).toEqual([]);
  });

  it('are not visible before they are published', async () => {
    await insert();
    await tables.db.updateTable('campaigns').set({ draft_at: 1 }).execute();
    expect(await store.list(here)).toEqual({ campaigns: [], unreadable: [] });
    expect(await store.find(here, 'spring')).toBeUndefined();
    await expect(store.mark(spring, { state: 'paused', at })).rejects.toMatchObject({ exitCode: 5 });
  });

  it('are not deleted while one of their messages is being sent', async () => {
    await insert();
    await store.record(spring, [{ row: 1, event: 'claim', at }]);
    await tables.db.updateTable('campaign_rows').set({ claim: lease }).where('row', '=', 1).execute();
    const device = spring.devices[0]?.id ?? '';
    const until = 4_000_000_000_000;
    await tables.db
      .insertInto('lanes')
      .values({ origin: here, device, lane: '{}', lease, lease_until: until })
      .execute();
    await expect(store.delete(spring)).rejects.toMatchObject({ exitCode: 2 });
    expect(await store.find(here, 'spring')).toMatchObject({ mark: { state: 'paused' } });
    await tables.db.updateTable('lanes').set({ lease_until: 1 }).execute();
    await store.delete(spring);
    expect(await tables.db.selectFrom('campaign_rows').selectAll().execute()).toEqual([]);
  });

  it('are not deleted before the first claim of a device has ended', async () => {
    await insert();
    const other = storeIn(await place.open());
    const device = spring.devices[0]?.id ?? '';
    const deleting = await tables.db.transaction().execute(async (step) => {
      await lockQueue(step, { origin: here, device });
      const started = Promise.allSettled([other.delete(spring)]);
      await sleep(200);
      await step.updateTable('lanes').set({ lease, lease_until: 4_000_000_000_000 }).execute();
      await step
        .updateTable('campaign_rows')
        .set({ state: 'sending', claim: lease })
        .where('row', '=', 1)
        .execute();
      return [started];
    });
    expect(await deleting[0]).toMatchObject([{ status: 'rejected', reason: { exitCode: 2 } }]);
  });

  it('keep opt-outs in the order of their addition, each once in any notation', async () => {
    const optOuts = store.optOuts(here);
    const many = Array.from({ length: 2500 }, (_, index) => ({
      number: `1415555${1000 + index}`,
      added_at: at,
    }));
    const [first] = many;
    expect(await optOuts.add([...many, ...(first ? [first] : [])])).toHaveLength(2500);
    expect(await optOuts.add([{ number: '5511988887777', added_at: at, note: 'a\0b\ud83c' }])).toEqual([
      { number: '5511988887777', added_at: at, note: 'ab\ufffd' },
    ]);
    const listed: string[] = [];
    for await (const page of optOuts.list()) listed.push(...page.map(({ number }) => number));
    expect(listed).toEqual([...many.map(({ number }) => number), '5511988887777']);
  });
});

it('reports that a file was replaced while it was open', async () => {
  const data = join(temporaryDirectory(), 'data');
  const optOuts = storeIn(openOnMachine(data, new FakeClock(), () => undefined)).optOuts(here);
  const add = (number: string) => optOuts.add([{ number, added_at: at }]);
  await add('5511988887777');
  renameSync(campaignFile(data), `${campaignFile(data)}.before`);
  await expect(add('5511988887778')).rejects.toMatchObject({ exitCode: 8 });
});
