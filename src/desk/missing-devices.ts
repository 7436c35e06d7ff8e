import { join } from 'node:path';
import { fileHistory } from './device-history.ts';
import type { DeviceEvent, NewEvent } from './device-history-lines.ts';

/**
 * The devices that a service does not have, as the API key of this machine sees it. Another key may see them, so a desk does not
 * share this.
 */
export interface MissingDevices {
  /** Returns when a device was first missing, by the clock of this machine. */
  event(id: string): Promise<DeviceEvent | undefined>;
  add(id: string, event: NewEvent): Promise<void>;
  /** Records that the service has the device. */
  remove(id: string): Promise<void>;
}

/** Opens those of a service that a directory has. */
export function missingDevices(directory: string, baseUrl: string, signal: AbortSignal): MissingDevices {
  const missing = fileHistory(join(directory, 'missing'), baseUrl, { signal });
  return {
    event: async (id) => (await missing.list(id)).at(-1),
    add: (id, event) => missing.note(id, (sofar) => (sofar.length > 0 ? undefined : event)),
    remove: async (id) => void (await missing.forget(id)),
  };
}
