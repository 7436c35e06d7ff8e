import { defineCommand } from '../../cli/command.ts';
import { option } from '../../cli/options.ts';
import { databaseLabel } from '../../lib/database-address.ts';
import { Failure } from '../../lib/errors.ts';
import { addressOf, publicUrl, warnOfUnverified } from './database-options.ts';

export const migrate = defineCommand({
  name: 'migrate',
  summary: 'Migrate the database of a sandbox',
  description:
    "Migrates the PostgreSQL tables of a sandbox to this version, in one transaction. Earlier versions can't use the " +
    'database afterwards: stop all sandboxes on it and make a backup first. The uploaded files do not change.',
  options: {
    database: option('--database <url>', 'database of the sandbox', publicUrl),
  },
  examples: [
    {
      line: 'botctl sandbox migrate --database postgres://ana@db.example/rehearsal',
      does: 'Migrate a database after updating botctl',
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
      throw new Failure('usage', 'No database was given.', {
        hint: 'Add --database URL, or set BOTCTL_SANDBOX_DATABASE.',
      });
    }
    warnOfUnverified(server, context.terminal);
    return server;
  },
  confirm: async (_context, _input, { url }) => ({
    level: 'yes',
    statement: `Earlier versions of botctl can't use ${databaseLabel(url)} afterwards.`,
    question: 'Migrate it?',
  }),
  async run({ reporter }, _input, server) {
    const { migrateDatabase } = await import('../../sandbox/store/postgresql.ts');
    const working = reporter.progress('Migrating the database');
    const migrated = await migrateDatabase(server).finally(() => working.stop());
    const name = databaseLabel(server.url);
    reporter.done(migrated ? `Migrated ${name}.` : `${name} is already up to date.`);
    return { database: name, migrated };
  },
});
