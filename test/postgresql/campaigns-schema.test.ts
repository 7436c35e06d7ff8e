import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keyDigest } from '../../src/campaigns/store/rows.ts';
import { campaignSchema } from '../../src/campaigns/store/schema.ts';
import type { Tables } from '../../src/campaigns/store/tables.ts';
import { migrate, schemaState } from '../../src/database/migrate.ts';
import { canonicalForm } from '../../src/phone-numbers/number-forms.ts';
import { createDatabase, type TestDatabase } from '../support/database-server.ts';
import { openServer } from '../support/open-server.ts';

const open = ({ url }: TestDatabase) => openServer<Tables>(url, 'endless');

async function migrated(database: TestDatabase): Promise<void> {
  const opened = open(database);
  await migrate(opened, campaignSchema);
  await opened.close();
}

const fixture = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../fixtures/earlier', name), 'utf8');

const here = 'https://a.example';

const columns = `select table_name, column_name, data_type, is_nullable, column_default, identity_generation
  from information_schema.columns where table_schema = 'public' order by 1, 2`;
const indexes = `select tablename, indexname, indexdef from pg_indexes where schemaname = 'public' order by 1, 2`;

describe('the schema of campaigns after a migration from an earlier version', () => {
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
        form: canonicalForm(to),
        key_digest: key === undefined ? null : keyDigest(key),
      });
    }
    expect(rows.some(({ key_digest }) => key_digest !== null)).toBe(true);
  });

  it('finds numbers that were stored with a national prefix, and sends none of them twice', async () => {
    const numbers = [
      '55011988887777',
      '5511988887777',
      '4402079460018',
      '390612345678',
      '520445512345678',
    ].concat([
      '52015512345678',
      '54111512345678',
      '54296615123456',
      '3530861234567',
      '551000001111',
      '12125550123',
    ]);
    const database = await createDatabase();
    await database.run(fixture('campaigns-6abd2134.sql'));
    const stored = numbers.map(
      (number) => `('${here}', '${number}', '${number}', '2026-01-01T00:00:00.000Z')`,
    );
    await database.run(
      `insert into public.opt_outs (origin, form, number, added_at) values ${stored.join()}`,
    );
    const [{ id } = {}] = await database.run('select campaign as id from public.campaign_rows limit 1');
    const row = (at: number, number: string, state: string) =>
      `('${id}', ${at}, 0, '${state}', '{"line":1,"cells":[],"to":"${number}"}', '${number}')`;
    await database.run(`insert into public.campaign_rows (campaign, row, device, state, frozen, form) values
      ${row(900, '4402079460018', 'planned')}, ${row(901, '442079460018', 'accepted')}`);
    await migrated(database);
    const forms = await database.run(`select form, number from opt_outs where origin = '${here}'`);
    expect(forms).toHaveLength(new Set(numbers.map(canonicalForm)).size);
    for (const { form, number } of forms) expect(form).toBe(canonicalForm(String(number)));
    expect(
      await database.run('select state, form, because from campaign_rows where row >= 900 order by row'),
    ).toEqual([
      { state: 'skipped', form: null, because: 'row 901 has its number' },
      { state: 'accepted', form: '442079460018', because: null },
    ]);
  });
});
