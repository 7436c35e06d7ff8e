import { allowFailure } from '../lib/errors.ts';
import type { Io } from '../lib/io.ts';
import { originOf } from '../settings/base-url.ts';
import type { Identity, Settings } from '../settings/settings.ts';
import { createDeviceBook, type DeviceBook, fileLog } from './device-book.ts';
import { type DeviceHistory, fileHistory } from './device-history.ts';

/** The device book and the history of the devices of a service. */
export interface Desk {
  readonly devices: DeviceBook;
  readonly history: DeviceHistory;
}

/** Dependencies of a desk. */
export interface DeskContext {
  readonly io: Partial<Pick<Io, 'signal'>>;
  readonly settings: Pick<Settings, 'paths'>;
  readonly identity: Pick<Identity, 'baseUrl'>;
}

/** Returns the device book and the history of the service of an identity. Nothing is read before it is asked for. */
export function openDesk({ io, settings, identity: { baseUrl } }: DeskContext): Desk {
  const { data } = settings.paths;
  const signal = () => io.signal;
  return {
    devices: createDeviceBook(fileLog(data, signal), baseUrl),
    history: fileHistory(data, baseUrl, signal),
  };
}

/** Returns the desk of the identity in use if that is one of a service, else the files of this machine for the service. */
export async function deskAt(
  context: Omit<DeskContext, 'identity'> & { readonly settings: Pick<Settings, 'paths' | 'identity'> },
  baseUrl: string,
): Promise<Desk> {
  // Without an identity no profile names a database.
  const identity = await allowFailure(context.settings.identity(), [
    'authentication',
    'usage',
    'invalidInput',
  ]);
  const isItsOwn = identity !== undefined && originOf(identity.baseUrl) === originOf(baseUrl);
  return openDesk({ ...context, identity: isItsOwn ? identity : { baseUrl } });
}
