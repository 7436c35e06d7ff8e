import { allowFailure } from '../lib/errors.ts';
import type { ResourceContext } from './resource-context.ts';

/**
 * Returns the service's time in milliseconds since 1970, to about a second: expiry is measured by its clock.
 * Makes one read if no response of this run had the time, and returns this machine's time if none has.
 * @throws Failure as `Api.call`, unless the service only refuses to show the key
 */
export async function serviceTime({
  api,
  clock,
  identity,
}: Pick<ResourceContext, 'api' | 'clock' | 'identity'>): Promise<number> {
  if (api.clockAhead() === undefined) {
    const read = api.call('getKey', { path: { keyId: identity.keyId } });
    await allowFailure(read, ['notFound', 'rejected']);
  }
  return clock.now() + (api.clockAhead() ?? 0);
}
