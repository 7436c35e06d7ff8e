import { defineCommand } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { option } from '../../cli/options.ts';
import { shownDatabase } from '../../lib/database-address.ts';
import { allowFailure } from '../../lib/errors.ts';
import { duration, type Parse, ValueError } from '../../lib/parse.ts';
import { counted } from '../../lib/text/numbers.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { span } from '../../lib/time.ts';
import type { NamedDatabase } from '../../settings/database-name.ts';
import { deskOptions, namedDesk } from './named-desk.ts';

const dayMs = 86_400_000;

/** A duration that a desk may keep its history for. Returns milliseconds. */
const keepTime: Parse<number> = (raw) => {
  const milliseconds = duration(raw);
  if (milliseconds < dayMs || milliseconds > 36_500 * dayMs)
    throw new ValueError(`must be from 1d to 36500d, not "${raw}"`);
  return milliseconds;
};

/** The state of a database before its migration, and what it is called afterwards. */
const outcomes = { none: 'created', older: 'updated', newest: 'unchanged' } as const;

export const migrate = defineCommand({
  name: 'migrate',
  summary: 'Create or update the tables of a desk',
  description:
    'Creates the tables in which a desk shares its devices and their history, or updates those of an earlier botctl. ' +
    'The user of the database has to be their owner. Machines with an earlier botctl have to be updated afterwards. ' +
    'botctl help desk explains the setup, with the SQL of the roles.',
  options: {
    ...deskOptions,
    keep: option('--keep <duration>', 'how long to keep the history, 90d at first: 1d to 36500d', keepTime),
  },
  examples: [
    {
      line: 'botctl desk migrate --database postgres://desk_owner@db.example/desk',
      does: 'Create the tables, or update them after an update of botctl',
    },
    { line: 'botctl desk migrate --keep 365d', does: 'Keep the history for a year' },
  ],
  needs: 'nothing',
  effect: 'creates',
  output: {
    kind: 'record',
    fields: [
      { name: 'database' },
      { name: 'schema' },
      { name: 'tables' },
      { name: 'keep', heading: 'History kept for', kind: 'seconds' },
    ],
  },
  async prepare(context, { database, keep }) {
    const { address } = await namedDesk(context, database);
    return { address, lost: keep === undefined ? 0 : await lostEvents(context, address, keep) };
  },
  confirm: async (_context, { keep = 0 }, { lost }) =>
    lost === 0
      ? undefined
      : {
          level: 'yes',
          statement: `${counted(lost, 'event')} of the history are older than ${span(keep)}. They are deleted as new ones come.`,
        },
  async run({ signal, terminal }, { keep }, { address }) {
    const name = shownDatabase(address.url);
    const [{ migrateServerDatabase }, { deskSchema, sessionBegin }, { connectDesk }, { keepHistory }] =
      await Promise.all([
        import('../../database/server-database.ts'),
        import('../../desk/schema.ts'),
        import('../../desk/connect.ts'),
        import('../../desk/look.ts'),
      ]);
    const before = await migrateServerDatabase(address, deskSchema, sessionBegin, signal);
    if (before === 'newest') terminal.note(`The tables of ${name} are up to date.`);
    else
      terminal.done(before === 'none' ? `Created the tables of ${name}.` : `Updated the tables of ${name}.`);
    const desk = await connectDesk(address, {
      patience: 'short',
      signal,
      warn: (text) => terminal.warn(text),
    });
    try {
      if (keep !== undefined && keep !== desk.keepMs) await keepHistory(desk, keep);
      // The files of this machine move to the desk here: its tables are there, and nothing of it is in use yet.
      if (before !== 'newest')
        terminal.note(remark`To grant privileges on them to colleagues: ${command('help', 'desk')}`);
      return {
        database: name,
        schema: desk.schema,
        tables: outcomes[before],
        keep: (keep ?? desk.keepMs) / 1000,
      };
    } finally {
      await desk.close();
    }
  },
});

/** Returns how many events a desk would lose if it kept its history for so long; 0 if there is no desk yet. */
async function lostEvents(
  { signal, terminal }: Context,
  address: NamedDatabase,
  keepMs: number,
): Promise<number> {
  const [{ connectDesk }, { eventsOlderThan }] = await Promise.all([
    import('../../desk/connect.ts'),
    import('../../desk/look.ts'),
  ]);
  const warn = (text: string): void => terminal.warn(text);
  const desk = await allowFailure(connectDesk(address, { patience: 'short', signal, warn }), [
    'invalidInput',
  ]);
  try {
    return desk === undefined || keepMs >= desk.keepMs ? 0 : await eventsOlderThan(desk, keepMs);
  } finally {
    await desk?.close();
  }
}
