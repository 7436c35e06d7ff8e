import { defineCommand } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { shownDatabase } from '../../lib/database-address.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { isoTime } from '../../lib/time.ts';
import type { NamedDatabase } from '../../settings/database-name.ts';
import { deskOptions, namedDesk } from './named-desk.ts';

export const status = defineCommand({
  name: 'status',
  summary: 'Show the desk and your role in it',
  description:
    'Connects with the database in which a desk shares its devices and their history, and changes nothing there. ' +
    'Also shows the changes of this machine that wait for the database, and warns of those that were refused. ' +
    'botctl help desk explains how to set one up.',
  options: deskOptions,
  examples: [
    { line: 'botctl desk status', does: 'Show the desk of the current profile' },
    {
      line: 'botctl desk status --database postgres://ana@db.example/desk -o json',
      does: 'Show another one, for a script',
    },
  ],
  needs: 'nothing',
  effect: 'reads',
  output: {
    kind: 'record',
    fields: [
      { name: 'database' },
      { name: 'server', heading: 'PostgreSQL' },
      { name: 'schema' },
      { name: 'id', kind: 'id' },
      { name: 'role' },
      { name: 'user', heading: 'Database user' },
      { name: 'operator' },
      { name: 'devices', kind: 'number' },
      { name: 'events', kind: 'number' },
      { name: 'machines', heading: 'Machines in the last day', kind: 'number' },
      { name: 'keep', heading: 'History kept for', kind: 'seconds' },
      { name: 'clock_ahead', heading: 'Clock ahead by seconds', kind: 'number' },
      { name: 'botctl', heading: 'Migrated by botctl' },
      { name: 'copied_at', heading: 'Copy on this machine', kind: 'time' },
      { name: 'waiting', heading: 'Changes that wait', kind: 'number' },
      { name: 'waiting_since', heading: 'Oldest of them', kind: 'time' },
      { name: 'refused', heading: 'Changes refused', kind: 'number' },
    ],
  },
  async run(context, { database: given }) {
    const { clock, signal, terminal } = context;
    const { address, identity } = await namedDesk(context, given);
    const [{ connectDesk }, { lookAtDesk }, { actorOf }, copy] = await Promise.all([
      import('../../desk/connect.ts'),
      import('../../desk/look.ts'),
      import('../../desk/actor.ts'),
      reportCopy(context, address),
    ]);
    const warn = (text: string): void => terminal.warn(text);
    const desk = await connectDesk(address, { patience: 'short', signal, warn });
    try {
      const look = await lookAtDesk(desk, () => clock.now());
      if (look.isPartial)
        terminal.warn(
          remark`This user lacks privileges of an agent: ${look.missing.join(', ')}. The owner grants them: ${command('help', 'desk')}`,
        );
      return {
        database: shownDatabase(address.url),
        server: desk.version,
        schema: desk.schema,
        id: desk.id,
        role: look.role,
        user: look.user,
        operator: actorOf({ identity: identity ?? {}, redact: (text) => context.redact(text) }).by,
        devices: look.devices,
        events: look.events,
        machines: look.machines,
        keep: desk.keepMs / 1000,
        clock_ahead: Math.round(look.clockAheadMs / 100) / 10,
        botctl: look.botctl,
        ...copy,
      };
    } finally {
      await desk.close();
    }
  },
});

/**
 * Returns the members about the copy and the outbox of this machine, and warns of the problems of the outbox. That comes before
 * the database is used, which may be away.
 */
async function reportCopy(
  { settings, signal, terminal }: Context,
  address: NamedDatabase,
): Promise<Readonly<Record<'copied_at' | 'waiting' | 'waiting_since' | 'refused', string | number | null>>> {
  const [{ deskFiles }, { outboxProblems, summarizeOutbox }] = await Promise.all([
    import('../../desk/desk-files.ts'),
    import('../../desk/outbox-summary.ts'),
  ]);
  const { copy, outbox } = deskFiles(settings.paths.data, address.url, signal);
  const summary = summarizeOutbox(outbox);
  for (const { found, remedy } of outboxProblems(summary, false)) {
    terminal.warn(found);
    terminal.note(remedy);
  }
  const copiedAt = copy.copiedAt();
  return {
    copied_at: copiedAt === undefined ? null : isoTime(copiedAt),
    waiting: summary.waiting,
    waiting_since: summary.oldest === undefined ? null : isoTime(summary.oldest),
    refused: summary.refused.length,
  };
}
