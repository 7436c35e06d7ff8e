import { statementsForBoth } from '../../database/migrate.ts';
import type { ServerSchema } from '../../database/server-database.ts';
import { campaignVariable } from '../../settings/database-name.ts';
import numberForms from './migrations/003_number_forms.sql?raw';
import oneStore from './migrations/004_one_store.sql?raw';
import create from './schema.sql?raw';

/**
 * The schema of campaigns. Databases of PostgreSQL that earlier versions made have had the first two or three migrations.
 * A migration that has landed is never edited; a change is a new one.
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

/** What each session with a server begins with: an answer means that a write is on the disk. */
export const sessionBegin = ['set synchronous_commit = on'];
