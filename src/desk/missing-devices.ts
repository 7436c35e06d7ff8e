import { join } from 'node:path';
import { fileHistory } from './device-history.ts';
import type { DeviceEvent, NewEvent } from './device-history-lines.ts';

/**
 * The devices that the service does not return for the API key of this machine. Another key may see them, so a desk
 * does not share this.
 */
export interface MissingDevices {
  /** Returns the event of a missing device, with the time when it was first missing by the clock of this machine. */
  event(id: string): Promise<DeviceEvent | undefined>;
  add(id: string, event: NewEvent): Promise<void>;
  /** Records that the device is no longer missing. */
  remove(id: string): Promise<void>;
}

/** Opens the missing devices of a service in a directory. */
export function missingDevices(directory: string, baseUrl: string, signal: AbortSignal): MissingDevices {
  const missing = fileHistory(join(directory, 'missing'), baseUrl, { signal });
  return {
    event: async (id) => (await missing.list(id)).at(-1),
    add: (id, event) => missing.note(id, (sofar) => (sofar.length > 0 ? undefined : event)),
    remove: async (id) => void (await missing.forget(id)),
  };
}
