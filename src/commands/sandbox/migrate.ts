import { defineCommand } from '../../cli/command.ts';
import { option } from '../../cli/options.ts';
import { shownDatabase } from '../../lib/database-address.ts';
import { Failure } from '../../lib/errors.ts';
import { addressOf, publicUrl, warnOfUnverified } from './database-options.ts';

export const migrate = defineCommand({
  name: 'migrate',
  summary: 'Migrate a database of an earlier botctl',
  description:
    'Brings the tables of a sandbox in PostgreSQL to the form that this version needs, in one transaction. Earlier ' +
    'versions cannot serve the database afterwards, so end all sandboxes on it and make a backup first. The directory of ' +
    'the uploaded files stays as it is.',
  options: {
    database: option('--database <url>', 'the database, as for sandbox start', publicUrl),
  },
  examples: [
    {
      line: 'botctl sandbox migrate --database postgres://ana@db.example/rehearsal',
      does: 'Migrate the database after an update of botctl',
    },
  ],
  needs: 'nothing',
  effect: 'changes',
  output: {
    kind: 'record',
    fields: [{ name: 'database' }, { name: 'migrated', kind: 'flag' }],
  },
  async prepare(context, { database }) {
    const server = addressOf(context, database);
    if (!server) {
      throw new Failure('usage', 'The database is missing.', {
        hint: 'Name it: --database, or BOTCTL_SANDBOX_DATABASE.',
      });
    }
    warnOfUnverified(server, context.terminal);
    return server;
  },
  confirm: async (_context, _input, { url }) => ({
    level: 'yes',
    statement: `Earlier versions of botctl cannot serve ${shownDatabase(url)} afterwards.`,
    question: 'Migrate it?',
  }),
  async run({ reporter }, _input, server) {
    const { migrateDatabase } = await import('../../sandbox/store/postgresql.ts');
    const working = reporter.progress('Migrating the database');
    const migrated = await migrateDatabase(server).finally(() => working.stop());
    const name = shownDatabase(server.url);
    reporter.done(migrated ? `Migrated ${name}.` : `${name} needs no migration.`);
    return { database: name, migrated };
  },
});
