import { namesakesOfNew } from '../resources/devices/create-once.ts';
import type { ResourceContext } from '../resources/resource-context.ts';
import type { DeviceNamesakes } from '../settings/device-book.ts';

export type BookContext = Pick<ResourceContext, 'api' | 'settings' | 'redact'>;

/**
 * Returns what the device book has of a device: those of its name in its team, and creates to which no answer has come.
 * @param taken the ids of those that are other objects of the files, in lower case
 */
export function bookedAs(
  context: BookContext,
  device: { readonly name: string; readonly teamId: string },
  taken: ReadonlySet<string>,
): DeviceNamesakes {
  const { devices, intents } = namesakesOfNew(context, device);
  return { devices: devices.filter(({ id }) => !taken.has(id.toLowerCase())), intents };
}
