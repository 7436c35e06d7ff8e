import { defineCommand } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { option } from '../../cli/options.ts';
import type { ConnectedDesk } from '../../desk/connect.ts';
import { deskDirectory } from '../../desk/desk-directory.ts';
import {
  hasEntries,
  type LocalEntries,
  localEntries,
  localOrigins,
  readLocalFiles,
} from '../../desk/local-files.ts';
import type { MoveResult } from '../../desk/move-files.ts';
import { databaseLabel } from '../../lib/database-address.ts';
import { allowFailure } from '../../lib/errors.ts';
import { duration, type Parse, ValueError } from '../../lib/parse.ts';
import { pluralize } from '../../lib/text/numbers.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import { firstFew } from '../../lib/text/sentence.ts';
import { shortDuration } from '../../lib/time.ts';
import { originOf } from '../../settings/base-url.ts';
import { deskDatabase, deskOfProfile, type NamedDatabase } from '../../settings/database-name.ts';
import type { Profile } from '../../settings/profile.ts';
import { deskOptions, type NamedDesk, namedDesk } from './named-desk.ts';

const dayMs = 86_400_000;

/** Parses how long a desk keeps its history. Returns milliseconds. */
const keepTime: Parse<number> = (raw) => {
  const milliseconds = duration(raw);
  if (milliseconds < dayMs || milliseconds > 36_500 * dayMs)
    throw new ValueError(`must be from 1d to 36500d, not "${raw}"`);
  return milliseconds;
};

/** The outcome for each state of a database before its migration. */
const outcomes = { none: 'created', older: 'updated', newest: 'unchanged' } as const;

export const migrate = defineCommand({
  name: 'migrate',
  summary: 'Create or update the tables of a desk',
  description:
    'Creates the tables of a desk, or updates those of an earlier botctl, as the user who owns them. After the ' +
    'tables were updated, every machine needs the new botctl. If files of this machine have devices and events, ' +
    'botctl first asks whether to move them to the desk. They are moved once, and the files are renamed, not ' +
    'deleted. Devices of other services stay in files. botctl help desk explains the setup, with the SQL of the ' +
    'roles.',
  options: {
    ...deskOptions,
    keep: option('--keep <duration>', 'time to keep the history, 1d to 36500d (default: 90d)', keepTime),
  },
  examples: [
    {
      line: 'botctl desk migrate --database postgres://desk_owner@db.example/desk',
      does: 'Create or update the tables',
    },
    { line: 'botctl desk migrate --yes', does: 'Move the devices and events of this machine, in a script' },
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
      { name: 'keep_seconds', heading: 'History kept for', kind: 'seconds' },
      { name: 'devices', heading: 'Devices moved', kind: 'number' },
      { name: 'events', heading: 'Events moved', kind: 'number' },
    ],
  },
  async prepare(context, { database, keep }) {
    const named = await namedDesk(context, database);
    const { address } = named;
    const lost = keep === undefined ? 0 : await lostEvents(context, address, keep);
    return { ...named, lost, ...(await unmoved(context, named)) };
  },
  confirm: async (_context, { keep = 0 }, { address, lost, origins, entries }) => {
    const { devices, events } = entries;
    const statements = [
      lost > 0 &&
        `The history has ${pluralize(lost, 'event')} from more than ${shortDuration(keep)} ago. New events delete the old ones.`,
      hasEntries(entries) &&
        `This machine has ${pluralize(devices.length, 'device')} and ${pluralize(events.length, 'event')} of ${pluralize(origins.size, 'service')} in files. They move to ${databaseLabel(address.url)}, where colleagues see them, and the files are renamed.`,
    ].filter((statement) => statement !== false);
    return statements.length === 0 ? undefined : { level: 'yes', statement: statements.join(' ') };
  },
  async run(context, { keep }, { address, identity, origins, entries }) {
    const { signal, terminal } = context;
    const name = databaseLabel(address.url);
    const [
      { migrateServerDatabase, migrationText },
      { deskSchema, sessionBegin },
      { connectDesk, migrationFailure },
      { setRetention },
    ] = await Promise.all([
      import('../../database/server-database.ts'),
      import('../../desk/schema.ts'),
      import('../../desk/connect.ts'),
      import('../../desk/retention.ts'),
    ]);
    const before = await migrateServerDatabase(address, deskSchema, sessionBegin, signal).catch((error) => {
      throw migrationFailure(address.url, error);
    });
    const text = migrationText(before, name);
    if (before === 'newest') terminal.note(text);
    else terminal.done(text);
    const desk = await connectDesk(address, {
      // A move of many events takes long, and waits for the moves of other machines.
      patience: 'endless',
      signal,
      warn: (text) => terminal.warn(text),
    });
    try {
      if (keep !== undefined && keep !== desk.keepMs) await setRetention(desk, keep);
      const keepMs = keep ?? desk.keepMs;
      const moved = hasEntries(entries)
        ? await moveEntries(context, desk, { origins, keepMs, identity, address })
        : undefined;
      if (before !== 'newest')
        terminal.note(remark`To grant privileges on them to colleagues: ${command('help', 'desk')}`);
      return {
        database: name,
        schema: desk.schema,
        tables: outcomes[before],
        keep_seconds: keepMs / 1000,
        devices: moved?.devices ?? 0,
        events: moved?.events ?? 0,
      };
    } finally {
      await desk.close();
    }
  },
});

/** Returns the local entries of the services that use the desk. */
async function unmoved(
  { settings, io }: Context,
  { address, identity }: NamedDesk,
): Promise<{ readonly origins: ReadonlySet<string>; readonly entries: LocalEntries }> {
  const { data } = settings.paths;
  const desk = deskDirectory(data, address.url);
  const usesIt = (profile: Pick<Profile, 'settings'>): boolean => {
    // The address is read as commands read it, because variables such as PGSSLMODE are part of it.
    const used = deskOfProfile(profile.settings, io.env);
    return used !== undefined && deskDirectory(data, used.url) === desk;
  };
  const profiles = settings.profiles.list().filter(usesIt);
  // Entries are moved only to a desk that commands use without an option.
  const named = identity && deskDatabase({ io, identity });
  const isOwn = named !== undefined && deskDirectory(data, named.url) === desk;
  const chosen = new Set(
    [...(identity && isOwn ? [identity] : []), ...profiles].map(({ baseUrl }) => originOf(baseUrl)),
  );
  const texts = readLocalFiles(data);
  const origins = new Set(localOrigins(texts).filter((origin) => chosen.has(origin)));
  return { origins, entries: localEntries(texts, origins) };
}

/**
 * Moves the entries and reports the result.
 * @throws Failure as `moveFiles`
 */
async function moveEntries(
  context: Context,
  desk: ConnectedDesk,
  {
    origins,
    keepMs,
    identity,
    address: { url },
  }: { readonly origins: ReadonlySet<string>; readonly keepMs: number } & NamedDesk,
): Promise<MoveResult> {
  const { settings, clock, signal, terminal } = context;
  const [{ moveFiles }, { actorOf }] = await Promise.all([
    import('../../desk/move-files.ts'),
    import('../../desk/actor.ts'),
  ]);
  const redact = (text: string): string => context.redact(text);
  const actor = actorOf({ ...context, identity: identity ?? {} });
  const { data } = settings.paths;
  const options = { data, origins, url, keepMs, actor, now: clock.now(), signal, redact };
  const moved = await moveFiles(desk, options);
  const { devices, events, expired, leftOut, newlyForgotten, files } = moved;
  terminal.done(
    `Moved ${pluralize(devices, 'new device')} and ${pluralize(events, 'new event')} to the desk.${files.length === 0 ? '' : ` The files are now ${files.join(' and ')}.`}`,
  );
  if (expired > 0)
    terminal.note(
      `Left out ${pluralize(expired, 'event')} older than ${pluralize(keepMs / dayMs, 'day')}: the desk keeps its history for that long.`,
    );
  if (leftOut.length > 0)
    terminal.note(
      remark`Left out ${pluralize(leftOut.length, 'device')} that the desk had forgotten: ${firstFew(leftOut, 5)}. To add one again: ${command('device', 'add', placeholder('ID'))}`,
    );
  if (newlyForgotten.length > 0)
    terminal.warn(
      `The desk forgot ${pluralize(newlyForgotten.length, 'device')} that this machine had forgotten: ${firstFew(newlyForgotten, 5)}.`,
    );
  return moved;
}

/** Returns how many events a desk would lose with this retention time; 0 if there is no desk yet. */
async function lostEvents(
  { signal, terminal }: Context,
  address: NamedDatabase,
  keepMs: number,
): Promise<number> {
  const [{ connectDesk }, { eventsOlderThan }] = await Promise.all([
    import('../../desk/connect.ts'),
    import('../../desk/retention.ts'),
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
