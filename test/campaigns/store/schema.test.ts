import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keyDigest } from '../../../src/campaigns/store/keys.ts';
import { campaignSchema } from '../../../src/campaigns/store/schema.ts';
import type { Tables } from '../../../src/campaigns/store/tables.ts';
import { migrate, schemaState } from '../../../src/database/migrate.ts';
import { openFile, openServer } from '../../../src/database/open.ts';
import { oneForm } from '../../../src/lib/number-forms.ts';
import { createDatabase, needsServer, type TestDatabase } from '../../support/database-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const open = ({ url }: TestDatabase) =>
  openServer<Tables>({ url: new URL(url), password: undefined }, { patience: 'endless', schema: 'public' });

async function migrated(database: TestDatabase): Promise<void> {
  const opened = open(database);
  await migrate(opened, campaignSchema);
  await opened.close();
}

const fixture = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../fixtures/earlier', name), 'utf8');

const columns = `select table_name, column_name, data_type, is_nullable, column_default, identity_generation
  from information_schema.columns where table_schema = 'public' order by 1, 2`;
const indexes = `select tablename, indexname, indexdef from pg_indexes where schemaname = 'public' order by 1, 2`;

it('is created in a SQLite file', async () => {
  const file = join(temporaryDirectory(), 'campaigns.db');
  const database = await openFile<Tables>(file, { isShared: true, user: 'This test' });
  await migrate(database, campaignSchema);
  expect(await schemaState(database, campaignSchema)).toBe('newest');
  expect(await database.db.selectFrom('campaign_rows').selectAll().execute()).toEqual([]);
  await database.close();
});

describe('is that of a new database after a migration that keeps every row', needsServer, () => {
  it.each(['campaigns-6abd2134.sql', 'campaigns-cb5b60d9.sql'])('%s', async (dump) => {
    const [created, earlier] = await Promise.all([createDatabase(), createDatabase()]);
    await earlier.run(fixture(dump));
    const counts = `select (select count(*) from public.campaigns) as campaigns, (select count(*) from public.campaign_rows) as rows,
      (select count(*) from public.lanes) as lanes`;
    const before = await earlier.run(counts);
    const opened = open(earlier);
    expect(await schemaState(opened, campaignSchema)).toBe('older');
    await opened.close();
    await Promise.all([migrated(created), migrated(earlier)]);
    for (const question of [columns, indexes])
      expect(await earlier.run(question)).toEqual(await created.run(question));
    expect(await earlier.run(counts)).toEqual(before);
    const rows = await earlier.run(
      'select frozen, form, key_digest from campaign_rows where form is not null',
    );
    for (const { frozen, form, key_digest } of rows) {
      const { to, key } = JSON.parse(String(frozen));
      expect({ form, key_digest }).toEqual({
        form: oneForm(to),
        key_digest: key === undefined ? null : keyDigest(key),
      });
    }
    expect(rows.some(({ key_digest }) => key_digest !== null)).toBe(true);
  });
});
