import { allowFailure } from '../../lib/errors.ts';
import { shortDuration } from '../../lib/time.ts';
import type { ResourceContext } from '../resource-context.ts';
import { readStatus } from './device.ts';
import { goneAfterMs, isLongAgo, missingSince } from './missing.ts';
import { ReadTurns } from './watch/read-turns.ts';

/**
 * Returns the ids of the devices in the device book that the service doesn't show to this key. A device
 * counts as gone only after two reads a minute apart: the first may be that of an earlier command, otherwise this waits.
 * @throws Failure of the first device that couldn't be read for another reason
 */
export async function findGoneDevices(context: ResourceContext): Promise<readonly string[]> {
  const { clock, devices, signal, reporter } = context;
  const begun = clock.now();
  const missing = await missingOf(
    context,
    (await devices.list()).map(({ id }) => id),
  );
  const since = await Promise.all(missing.map((id) => missingSince(context, id)));
  const recent = missing.filter((_, at) => !isLongAgo(since[at], clock.now()));
  if (recent.length === 0) return missing;
  const first = Math.max(...missing.flatMap((id, at) => (recent.includes(id) ? (since[at] ?? begun) : [])));
  const waitMs = Math.max(0, first + goneAfterMs - clock.now());
  const what = recent.length === 1 ? '1 device is' : `${recent.length} devices are`;
  const progress = reporter.progress(`${what} missing; checking again in ${shortDuration(waitMs)}`);
  try {
    await clock.sleep(waitMs, signal);
    const stillMissing = new Set(await missingOf(context, recent));
    return missing.filter((id) => !recent.includes(id) || stillMissing.has(id));
  } finally {
    progress.stop();
  }
}

/** Returns the devices that the service does not have at the moment. */
async function missingOf(context: ResourceContext, ids: readonly string[]): Promise<readonly string[]> {
  const { clock, signal } = context;
  const turns = new ReadTurns(clock);
  await context.history.preload(ids);
  const read = (id: string) => turns.run(() => readStatus(context, { id }, signal), signal);
  const found = await Promise.all(ids.map((id) => allowFailure(read(id), ['notFound'])));
  return ids.filter((_, at) => found[at] === undefined);
}
