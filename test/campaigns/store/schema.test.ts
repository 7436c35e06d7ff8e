import { join } from 'node:path';
import { expect, it } from 'vitest';
import { campaignSchema } from '../../../src/campaigns/store/schema.ts';
import type { Tables } from '../../../src/campaigns/store/tables.ts';
import { migrate, schemaState } from '../../../src/database/migrate.ts';
import { openFile } from '../../../src/database/open.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

it('creates the tables of campaigns in a SQLite file', async () => {
  const file = join(temporaryDirectory(), 'campaigns.db');
  const database = await openFile<Tables>(file, { isShared: true, user: 'This test' });
  await migrate(database, campaignSchema);
  expect(await schemaState(database, campaignSchema)).toBe('newest');
  expect(await database.db.selectFrom('campaign_rows').selectAll().execute()).toEqual([]);
  await database.close();
});
