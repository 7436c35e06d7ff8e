import { defineCommand } from '../../cli/command.ts';
import type { DeskFiles } from '../../desk/desk-files.ts';
import type { OutboxChange } from '../../desk/outbox-changes.ts';
import { copyAge, type OutboxSummary, outboxProblems, summarizeOutbox } from '../../desk/outbox-summary.ts';
import { databaseLabel } from '../../lib/database-address.ts';
import { Failure } from '../../lib/errors.ts';
import { command, joinRemarks, remark } from '../../lib/text/remark.ts';
import { isoTime } from '../../lib/time.ts';
import { deskOptions, namedDesk } from './named-desk.ts';

export const status = defineCommand({
  name: 'status',
  summary: 'Show the desk and your role',
  description:
    'Connects to the database of the desk. Sends the waiting changes of this machine to the desk (not with ' +
    '--database), and shows changes that still wait or were refused. To dismiss refused changes, use botctl desk dismiss. ' +
    'To set up a desk, see botctl help desk.',
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
      { name: 'keep_seconds', heading: 'History kept for', kind: 'seconds' },
      { name: 'clock_ahead_seconds', heading: 'Clock difference', kind: 'clock' },
      { name: 'botctl', heading: 'Migrated by botctl' },
      { name: 'copied_at', heading: 'Copy on this machine', kind: 'time' },
      { name: 'waiting', heading: 'Changes that wait', kind: 'number' },
      { name: 'waiting_since', heading: 'Oldest of them', kind: 'time' },
      { name: 'refused', heading: 'Changes refused', kind: 'number' },
      { name: 'waiting_changes', heading: 'Waiting', detail: true },
      { name: 'refused_changes', heading: 'Refused', detail: true },
    ],
  },
  async run(context, { database: given }) {
    const { clock, signal, terminal } = context;
    const { address, identity } = await namedDesk(context, given);
    const [{ connectDesk }, { summarizeDesk }, { SharedDesk }, { actorOf }, { deskFiles }] =
      await Promise.all([
        import('../../desk/connect.ts'),
        import('../../desk/desk-summary.ts'),
        import('../../desk/shared-desk.ts'),
        import('../../desk/actor.ts'),
        import('../../desk/desk-files.ts'),
      ]);
    const { data } = context.settings.paths;
    const files = deskFiles(data, address.url, signal);
    const warn = (text: string): void => terminal.warn(text);
    const desk = await connectDesk(address, { patience: 'short', signal, warn }).catch((error: unknown) => {
      throw error instanceof Failure && !error.isInterruption ? withCopy(error, files, clock.now()) : error;
    });
    try {
      const actor = actorOf({ ...context, identity: identity ?? {} });
      // With another address, the user may not be the one who made the changes.
      if (given === undefined && files.outbox.waiting().length > 0) {
        const shared = new SharedDesk({
          ...{ address, data, actor, clock, signal, showsRefused: true },
          reporter: { note: (text) => terminal.note(text), warn: (text) => terminal.warn(text) },
        });
        await shared.use(async () => undefined);
      }
      const content = await summarizeDesk(desk, () => clock.now());
      if (content.isPartial)
        terminal.warn(
          remark`This user lacks privileges of an agent: ${content.missing.join(', ')}. The owner grants them: ${command('help', 'desk')}`,
        );
      const summary = summarizeOutbox(files);
      for (const { found, remedy } of outboxProblems(summary, false)) {
        terminal.warn(found);
        if (remedy !== undefined) terminal.note(remedy);
      }
      return {
        database: databaseLabel(address.url),
        server: desk.version,
        schema: desk.schema,
        id: desk.id,
        role: content.role,
        user: content.user,
        operator: actor.by,
        devices: content.devices,
        events: content.events,
        machines: content.machines,
        keep_seconds: desk.keepMs / 1000,
        clock_ahead_seconds: Math.round(content.clockAheadMs / 100) / 10,
        botctl: content.botctl,
        ...outboxMembers(summary, files.copy.copiedAt()),
      };
    } finally {
      await desk.close();
    }
  },
});

/** Returns the failure of a desk that can't be used, with the state of this machine's copy and outbox. */
function withCopy(failure: Failure, files: DeskFiles, now: number): Failure {
  const problems = outboxProblems(summarizeOutbox(files), failure.kind === 'network');
  return failure.withHint(
    joinRemarks([
      copyAge(files.copy, now),
      ...problems.flatMap(({ found, remedy }) => [found, remedy]),
      failure.hint,
    ]),
  );
}

/** Returns the members about the copy and the outbox of this machine. */
function outboxMembers({ waiting, oldest, refused }: OutboxSummary, copiedAt: number | undefined) {
  const time = (at: number | undefined): string | null => (at === undefined ? null : isoTime(at));
  return {
    copied_at: time(copiedAt),
    waiting: waiting.length,
    waiting_since: time(oldest),
    refused: refused.length,
    waiting_changes: waiting.map(membersOf),
    refused_changes: refused.map((change) => ({
      ...membersOf(change),
      refused_at: change.refused?.at ?? null,
      because: change.refused?.because ?? null,
      repeat: change.repeat?.text() ?? null,
    })),
  };
}

function membersOf({ change, id, name, at }: OutboxChange) {
  return { change, name: name ?? null, device_id: id ?? null, at };
}
