import { type CommandLine, command, type Remark, remark } from '../../lib/text/remark.ts';
import type { ResourceContext } from '../resource-context.ts';
import { lastSeen } from './note-history.ts';

/** How long a service must return 404 for a device before it counts as gone: a single response may be wrong. */
export const goneAfterMs = 60_000;

/** Returns the hint for devices that were just found missing. @param words the devices, or `--all` */
export function hintAtMissing(...words: readonly string[]): Remark {
  return remark`A single such response may be wrong. Check again in a minute: ${command('device', 'status', ...words)}`;
}

/** Returns when the service first lacked a device that no read has found since, or undefined if the last read found it. */
export async function missingSince(
  { history }: Pick<ResourceContext, 'history'>,
  id: string,
): Promise<number | undefined> {
  const last = lastSeen(await history.list(id));
  return last?.event === 'not_found' ? Date.parse(last.at) : undefined;
}

/** Returns whether the service has lacked a device for a minute, by at least two reads. */
export async function isGone(
  context: Pick<ResourceContext, 'history' | 'clock'>,
  id: string,
): Promise<boolean> {
  return isLongAgo(await missingSince(context, id), context.clock.now());
}

/** Returns whether a device has been missing for a minute. @param since when the service first lacked it, if it does */
export function isLongAgo(since: number | undefined, now: number): boolean {
  return since !== undefined && now - since >= goneAfterMs;
}

/** Returns the next command for a device that the service doesn't have. */
export async function lineAtMissing(
  context: Pick<ResourceContext, 'history' | 'clock'>,
  { id, word }: { readonly id: string; readonly word: string },
): Promise<CommandLine> {
  return (await isGone(context, id)) ? command('device', 'forget', word) : command('device', 'status', word);
}
