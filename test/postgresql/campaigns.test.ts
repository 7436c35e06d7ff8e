import { describe, expect, it } from 'vitest';
import { storeIn } from '../../src/campaigns/store/campaign-store.ts';
import { springCampaign } from '../support/campaign.ts';
import { openServerAt, tablesOf } from '../support/campaign-databases.ts';
import { addRows } from '../support/campaign-stores.ts';
import { createDatabase } from '../support/database-server.ts';
import { eventually } from '../support/eventually.ts';
import { startRelay } from '../support/relay.ts';
import { createCampaign, storedCampaign } from '../support/stored-campaign.ts';

const here = 'https://a.example';
const at = '2026-01-01T00:00:00.000Z';
const { campaign: spring, rows } = springCampaign(here);

describe('a database on a server', () => {
  it('lets a campaign be paused while its rows are changed', async () => {
    const created = await createDatabase();
    const [store, other] = [
      storeIn(await openServerAt(created.url)),
      storeIn(await openServerAt(created.url)),
    ];
    await createCampaign(store, springCampaign(here));
    const release = await created.hold('select 1 from campaign_rows where row = 1 for update');
    const changing = store.record(spring, [{ row: 1, event: 'settle_accepted', at }]);
    await eventually(async () => {
      const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
      return (await created.run(waiting)).length > 0;
    });
    await other.mark(spring, { state: 'paused', at });
    await release();
    expect(await changing).toHaveLength(1);
    expect(await store.find(here, 'spring')).toMatchObject({ mark: { state: 'paused' } });
    await created.drop();
  });

  it('accepts the rows of one of two concurrent writers', async () => {
    const created = await createDatabase();
    const first = storeIn(await openServerAt(created.url));
    const stores = [first, storeIn(await openServerAt(created.url))];
    const [row] = rows;
    await createCampaign(first, springCampaign(here));
    const source = { file: 'more.csv', sha256: '1'.repeat(64) };
    const more = row ? [{ ...row, row: 3, to: '14155550123' }] : [];
    const both = await Promise.allSettled(
      stores.map((store) => addRows(store, spring, more, { after: 2, columns: spring.columns, source })),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect((await storedCampaign(first, here, 'spring'))?.rows).toHaveLength(3);
    await created.drop();
  });

  it('exits with code 8 if it is unavailable', async () => {
    const created = await createDatabase();
    const relay = await startRelay(new URL(created.url));
    const url = new URL(created.url);
    url.port = String(relay.port);
    const store = storeIn(await openServerAt(url.href));
    relay.cut();
    await expect(store.look(here, 'spring')).rejects.toMatchObject({ exitCode: 8 });
    await created.drop();
  });

  it('is refused for an earlier version, with the command that migrates it', async () => {
    const created = await createDatabase();
    await tablesOf(await openServerAt(created.url));
    await created.run(`delete from kysely_migration where name = '004_one_store'`);
    await expect(openServerAt(created.url)).rejects.toMatchObject({ exitCode: 2 });
    await created.drop();
  });
});
