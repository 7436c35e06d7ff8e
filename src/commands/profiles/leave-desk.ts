import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Confirmation } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { deskDirectory } from '../../desk/desk-directory.ts';
import { deskFiles } from '../../desk/desk-files.ts';
import { devicesAt } from '../../desk/device-book-lines.ts';
import { localNames } from '../../desk/local-files.ts';
import { type StrandedOutbox, strandedOutboxes, strandedProblem } from '../../desk/stranded-outbox.ts';
import { databaseLabel } from '../../lib/database-address.ts';
import { pluralize } from '../../lib/text/numbers.ts';
import { shellWord } from '../../lib/text/quote.ts';
import { command, joinRemarks, remark } from '../../lib/text/remark.ts';
import { originOf } from '../../settings/base-url.ts';
import { deskOfProfile, deskVariable } from '../../settings/database-name.ts';
import type { Profile } from '../../settings/profile.ts';
import { ignoreErrors } from '../../settings/small-files.ts';

type Leaving = Pick<Context, 'io' | 'settings' | 'signal' | 'terminal'>;

/**
 * Returns the desk that a profile no longer uses after it gets another database or none; undefined if the desk stays
 * the same.
 */
export function deskToLeave(
  { settings, io: { env } }: Leaving,
  profile: Profile,
  next: string | undefined,
): URL | undefined {
  // The address is read as commands read it, because variables such as PGSSLMODE are part of it.
  const left = deskOfProfile(profile.settings, env)?.url;
  const nextUrl = deskOfProfile({ ...profile.settings, deskDatabase: next }, env)?.url;
  if (!left) return undefined;
  const { data } = settings.paths;
  const isSame = nextUrl !== undefined && deskDirectory(data, nextUrl) === deskDirectory(data, left);
  return isSame ? undefined : left;
}

/** Returns the question about changes that would no longer be sent; undefined if there are none. */
export function strandedChanges(context: Leaving, { name }: Profile, desk: URL): Confirmation | undefined {
  const others = context.settings.profiles.list().filter((profile) => profile.name !== name);
  const outbox = strandedOutbox(context, others, desk);
  if (!outbox) return undefined;
  const { waiting, file } = outbox;
  const [wait, them] = waiting.length === 1 ? ['waits', 'it'] : ['wait', 'them'];
  const send = command('device', 'list', '--profile', name).text();
  return {
    level: 'yes',
    statement:
      `${pluralize(waiting.length, 'change')} of this machine ${wait} in ${file} for the desk ${databaseLabel(desk)} and will not be ` +
      `sent any more. To send ${them} first, run: ${send}`,
  };
}

/** Returns the outbox of the desk if changes wait in it and none of these profiles names the desk. */
function strandedOutbox(
  { settings, io }: Leaving,
  profiles: readonly Profile[],
  desk: URL,
): StrandedOutbox | undefined {
  const { data } = settings.paths;
  const directory = deskDirectory(data, desk);
  const found = strandedOutboxes(data, profiles, io).find((outbox) => outbox.directory === directory);
  return found && { ...found, url: desk };
}

/**
 * Reports what remains on a desk that a profile no longer uses, and how to transfer the devices.
 * @param next the address of the new desk of the profile
 */
export function reportRemaining(
  context: Leaving,
  { name, baseUrl }: Profile,
  desk: URL,
  next: string | undefined,
): void {
  const { settings, signal, terminal } = context;
  const { data } = settings.paths;
  const outbox = strandedOutbox(context, settings.profiles.list(), desk);
  if (outbox) {
    const { found, remedy } = strandedProblem(outbox, name);
    terminal.warn(joinRemarks([found, remedy], ' ') ?? found);
  }
  const { copy } = deskFiles(data, desk, signal);
  const devices = devicesAt(copy.text(), originOf(baseUrl)).length;
  // A machine without a copy has not used the desk, so it has nothing to lose there.
  if (copy.copiedAt() === undefined) return;
  const own = next === undefined ? ' This machine uses its own device book again.' : '';
  terminal.note(
    `The desk ${databaseLabel(desk)} still has ${pluralize(devices, 'device')} and the history.${own}`,
  );
  if (devices > 0) {
    const file = 'devices.json';
    const [from, to] = [
      command('device', 'export', '--profile', name),
      command('device', 'import', file, '--profile', name),
    ];
    // The command has two lines joined by a backslash. Without the variable it would export the files, which are empty.
    const variable = `env ${deskVariable}=${shellWord(desk.href)} \\\n `;
    terminal.note(
      remark`To copy the devices to ${next === undefined ? 'this machine' : 'the new desk'}, run both:\n${variable} ${from} > ${file}\n${to}`,
    );
  }
  const moved = (ignoreErrors(() => readdirSync(data)) ?? [])
    .filter((file) => file.startsWith(`${localNames.book}.moved-`))
    .sort();
  const last = moved.at(-1);
  if (last !== undefined) terminal.note(`The old device book of this machine is in ${join(data, last)}.`);
}
