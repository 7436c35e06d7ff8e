import { statementsForBoth } from '../../database/migrate.ts';
import type { ServerSchema } from '../../database/server-database.ts';
import { campaignVariable } from '../../settings/database-name.ts';
import numberForms from './migrations/003_number_forms.sql?raw';
import oneStore from './migrations/004_one_store.sql?raw';
import create from './schema.sql?raw';

/**
 * The schema of campaigns. PostgreSQL databases of earlier versions have already had the first two or three migrations.
 * A migration is never edited after it was merged; each change is a new one.
 */
export const campaignSchema: ServerSchema = {
  create: statementsForBoth(create),
  migrations: {
    '001_campaigns': undefined,
    '002_lease_holder': undefined,
    // Earlier versions had no SQLite.
    '003_number_forms': { sqlite: '', postgres: numberForms },
    '004_one_store': { sqlite: '', postgres: oneStore },
  },
  needs: 'campaigns need',
  ownDatabase: 'Give campaigns a database of their own.',
  variable: campaignVariable,
};

/** Run at the start of each session: with it, a commit is acknowledged only after it is on the disk. */
export const sessionBegin = ['set synchronous_commit = on'];
