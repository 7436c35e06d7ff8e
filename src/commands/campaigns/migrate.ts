import { defineCommand } from '../../cli/command.ts';
import { storeOptions } from '../../cli/store-options.ts';
import { databaseLabel } from '../../lib/database-address.ts';
import { requireCampaignDatabase } from '../../settings/database-name.ts';

export const migrate = defineCommand({
  name: 'migrate',
  summary: 'Migrate a shared database of campaigns',
  description:
    'Migrates the tables of an earlier version to this one. First end all runs of earlier versions, on every host of the ' +
    'database. The campaigns of this machine need no migration.',
  options: storeOptions,
  examples: [
    {
      line: 'botctl campaigns migrate --database postgres://ana@db.example/campaigns',
      does: 'Migrate a database after updating botctl',
    },
  ],
  needs: 'identity',
  effect: 'creates',
  output: {
    kind: 'record',
    fields: [{ name: 'database' }, { name: 'migrated', kind: 'flag' }],
  },
  async run(session, { database: given }) {
    const { signal, terminal } = session;
    const address = requireCampaignDatabase(session, given, 'campaigns migrate');
    const [{ migrateServerDatabase, migrationText }, { campaignSchema, sessionBegin }] = await Promise.all([
      import('../../database/server-database.ts'),
      import('../../campaigns/store/schema.ts'),
    ]);
    const before = await migrateServerDatabase(address, campaignSchema, sessionBegin, signal);
    const name = databaseLabel(address.url);
    const text = migrationText(before, name);
    if (before === 'newest') terminal.note(text);
    else terminal.done(text);
    return { database: name, migrated: before !== 'newest' };
  },
});
