import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Confirmation } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { deskDirectory } from '../../desk/desk-directory.ts';
import { deskFiles } from '../../desk/desk-files.ts';
import { devicesAt } from '../../desk/device-book-lines.ts';
import { localNames } from '../../desk/local-files.ts';
import { databaseLabel } from '../../lib/database-address.ts';
import { pluralize } from '../../lib/text/numbers.ts';
import { shellWord } from '../../lib/text/quote.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { originOf } from '../../settings/base-url.ts';
import { deskVariable } from '../../settings/database-name.ts';
import type { Profile } from '../../settings/profile.ts';
import { ignoreErrors } from '../../settings/small-files.ts';

type Leaving = Pick<Context, 'settings' | 'signal' | 'terminal'>;

/** Returns the desk that a profile leaves if another database, or none, takes its place; undefined if it stays. */
export function deskToLeave(
  { settings }: Leaving,
  profile: Profile,
  next: string | undefined,
): URL | undefined {
  const address = profile.settings?.deskDatabase;
  if (address === undefined) return undefined;
  const { data } = settings.paths;
  const url = new URL(address);
  const isSame = next !== undefined && deskDirectory(data, new URL(next)) === deskDirectory(data, url);
  return isSame ? undefined : url;
}

/** Returns the question about changes that only this machine has; undefined if there are none. */
export function strandedChanges(
  { settings, signal }: Leaving,
  { name }: Profile,
  desk: URL,
): Confirmation | undefined {
  const { outbox } = deskFiles(settings.paths.data, desk, signal);
  const waiting = outbox.waiting().length;
  if (waiting === 0) return undefined;
  const [wait, them] = waiting === 1 ? ['waits', 'it'] : ['wait', 'them'];
  const send = command('device', 'list', '--profile', name).text();
  return {
    level: 'yes',
    statement:
      `${pluralize(waiting, 'change')} of this machine ${wait} in ${outbox.file} for the desk ${databaseLabel(desk)} and will not be ` +
      `sent any more. To send ${them} first, run: ${send}`,
  };
}

/** Says what stays on a desk that a profile has left, and how the devices come along. */
export function tellWhatStays(
  { settings, signal, terminal }: Leaving,
  { name, baseUrl }: Profile,
  desk: URL,
): void {
  const { data } = settings.paths;
  const { copy } = deskFiles(data, desk, signal);
  const devices = devicesAt(copy.text(), originOf(baseUrl)).length;
  // A machine without a copy has not used the desk, so it has nothing to lose there.
  if (copy.copiedAt() === undefined) return;
  terminal.note(
    `The desk ${databaseLabel(desk)} still has ${pluralize(devices, 'device')} and the history. This machine uses its own device book again.`,
  );
  if (devices > 0) {
    const file = 'devices.json';
    const [from, to] = [
      command('device', 'export', '--profile', name),
      command('device', 'import', file, '--profile', name),
    ];
    // On two lines with a backslash: without the variable the export would be that of the files, which are empty.
    const variable = `env ${deskVariable}=${shellWord(desk.href)} \\\n `;
    terminal.note(
      remark`To copy the devices to this machine, run both:\n${variable} ${from} > ${file}\n${to}`,
    );
  }
  const moved = (ignoreErrors(() => readdirSync(data)) ?? [])
    .filter((file) => file.startsWith(`${localNames.book}.moved-`))
    .sort();
  const last = moved.at(-1);
  if (last !== undefined) terminal.note(`The old device book of this machine is in ${join(data, last)}.`);
}
