import { allowFailure } from '../../lib/errors.ts';
import { span } from '../../lib/time.ts';
import type { ResourceContext } from '../resource-context.ts';
import { readStatus } from './device.ts';
import { goneAfterMs, isGone, missingSince } from './missing.ts';
import { ReadTurns } from './watch/read-turns.ts';

/**
 * Returns the ids of the devices of the device book that the service doesn't have, as far as the key sees it. A device
 * counts as gone only by two reads a minute apart: the first may be of an earlier command, and else it waits.
 * @throws Failure the first that a device couldn't be read for, for any other reason
 */
export async function goneDevices(context: ResourceContext): Promise<readonly string[]> {
  const { api, clock, settings, signal, reporter } = context;
  const begun = clock.now();
  const missing = await missingOf(
    context,
    settings.devices.list(api.baseUrl).map(({ id }) => id),
  );
  const recent = missing.filter((id) => !isGone(context, id));
  if (recent.length === 0) return missing;
  const first = Math.max(...recent.map((id) => missingSince(context, id) ?? begun));
  const waitMs = Math.max(0, first + goneAfterMs - clock.now());
  const what = recent.length === 1 ? '1 device is' : `${recent.length} devices are`;
  const progress = reporter.progress(`${what} not there; looking again in ${span(waitMs)}, to be sure`);
  try {
    await clock.sleep(waitMs, signal);
    const stillMissing = new Set(await missingOf(context, recent));
    return missing.filter((id) => !recent.includes(id) || stillMissing.has(id));
  } finally {
    progress.stop();
  }
}

/** Returns those of the devices that the service doesn't have just now. */
async function missingOf(context: ResourceContext, ids: readonly string[]): Promise<readonly string[]> {
  const { clock, signal } = context;
  const turns = new ReadTurns(clock);
  const read = (id: string) => turns.run(() => readStatus(context, { id }, signal), signal);
  const found = await Promise.all(ids.map((id) => allowFailure(read(id), ['notFound'])));
  return ids.filter((_, at) => found[at] === undefined);
}
