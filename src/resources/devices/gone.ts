import { Failure } from '../../lib/errors.ts';
import type { ResourceContext } from '../resource-context.ts';
import { readStatus } from './device.ts';
import { ReadTurns } from './watch/read-turns.ts';

/**
 * Returns the ids of the devices of the device book that the service doesn't have, as far as the key sees it.
 * @throws Failure the first that a device couldn't be read for, for any other reason
 */
export async function goneDevices(context: ResourceContext): Promise<readonly string[]> {
  const { api, clock, settings, signal } = context;
  const turns = new ReadTurns(clock);
  const isGone = async (id: string): Promise<boolean> => {
    try {
      await turns.run(() => readStatus(context, { id }, signal), signal);
      return false;
    } catch (error) {
      if (error instanceof Failure && error.kind === 'notFound') return true;
      throw error;
    }
  };
  const ids = settings.devices.list(api.baseUrl).map(({ id }) => id);
  const gone = await Promise.all(ids.map(isGone));
  return ids.filter((_, at) => gone[at]);
}
