import { migrationsOf } from '../../database/migrations.ts';
import type { Schema } from '../../database/schema.ts';
import campaigns from './migrations/001_campaigns.sql?raw';
import leaseHolder from './migrations/002_lease_holder.sql?raw';
import numberForms from './migrations/003_number_forms.sql?raw';

/** What campaigns keep in a database on a server. A step that has landed is never edited; a change is a new step. */
export const schema: Schema = {
  migrations: migrationsOf({
    '001_campaigns': campaigns,
    '002_lease_holder': leaseHolder,
    '003_number_forms': numberForms,
  }),
  needs: 'campaigns need',
  ownDatabase: 'Give campaigns a database of their own.',
};
