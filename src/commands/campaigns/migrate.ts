import { defineCommand, withFailure } from '../../cli/command.ts';
import { storeOptions } from '../../cli/store-options.ts';
import { databaseLabel } from '../../lib/database-address.ts';
import { Failure } from '../../lib/errors.ts';
import { pluralize } from '../../lib/text/numbers.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { campaignDatabase } from '../../settings/database-name.ts';

export const migrate = defineCommand({
  name: 'migrate',
  summary: 'Move campaigns and opt-outs to the current storage',
  description:
    'Imports the files in which earlier versions stored campaigns and opt-outs on this machine, for every service, and renames ' +
    'them. With a database, it also migrates the tables of an earlier version. First end all runs of earlier versions, on ' +
    'every host of the database. Rows that were being sent become unknown.',
  options: storeOptions,
  examples: [
    { line: 'botctl campaigns migrate', does: 'Import the files of this machine' },
    {
      line: 'botctl campaigns migrate --database postgres://ana@db.example/campaigns',
      does: 'Also migrate a shared database',
    },
  ],
  needs: 'identity',
  effect: 'creates',
  output: {
    kind: 'record',
    fields: [
      { name: 'campaigns', kind: 'number' },
      { name: 'rows', kind: 'number' },
      { name: 'unknown', kind: 'number' },
      { name: 'optouts', heading: 'Opt-outs', kind: 'number' },
      { name: 'files', heading: 'Files renamed to' },
      { name: 'database' },
    ],
  },
  async run(session, { database: given }) {
    const { settings, clock, signal, terminal } = session;
    const { data } = settings.paths;
    const { importEarlierFiles } = await import('../../campaigns/import-earlier.ts');
    const { openOnMachine } = await import('../../campaigns/store/open-database.ts');
    const warn = (text: string): void => terminal.warn(text);
    const importing = terminal.progress('Importing campaigns and opt-outs');
    const imported = await importEarlierFiles(
      data,
      { clock, signal },
      openOnMachine(data, clock, warn),
    ).finally(() => importing.stop());
    if (imported) {
      const { campaigns, rows, optOuts, unknown, shared, omitted } = imported;
      terminal.done(
        `Imported ${pluralize(campaigns, 'campaign')} with ${pluralize(rows, 'row')}, and ${pluralize(optOuts, 'opt-out')}.`,
      );
      if (unknown > 0)
        terminal.note(
          `${pluralize(unknown, 'row')} may have been sent: the process that sent them died. Their state is unknown.`,
        );
      if (shared !== undefined)
        terminal.warn(
          `The opt-outs were in ${shared}, behind a link. If other machines use that file, this machine no longer sees what they add. To share opt-outs, use a database.`,
        );
      for (const text of omitted) terminal.warn(text);
    } else terminal.note('This machine has no files of an earlier version.');
    const address = campaignDatabase(session, given);
    if (address) {
      const { migrateServerDatabase } = await import('../../database/server-database.ts');
      const { campaignSchema, sessionBegin } = await import('../../campaigns/store/schema.ts');
      const before = await migrateServerDatabase(address, campaignSchema, sessionBegin, signal);
      const name = databaseLabel(address.url);
      if (before === 'newest') terminal.note(`${name} is up to date.`);
      else terminal.done(`Migrated ${name}.`);
    }
    const { campaigns = 0, rows = 0, unknown = 0, optOuts = 0, movedTo = [], omitted = [] } = imported ?? {};
    const result = {
      ...{ campaigns, rows, unknown, optouts: optOuts, files: movedTo },
      database: address ? databaseLabel(address.url) : null,
    };
    return withFailure(result, omitted.length > 0 ? notAll(omitted.length, data) : undefined);
  },
});

function notAll(count: number, data: string): Failure {
  return new Failure('partlyDone', `${pluralize(count, 'campaign')} could not be imported.`, {
    hint: remark`Restore its file from a backup into ${data}/campaigns, then import it: ${command('campaigns', 'migrate')}. Messages that were sent after that backup would be sent again. If there are any, cancel the campaign.`,
  });
}
