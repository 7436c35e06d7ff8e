import type { OptOuts } from '../../campaigns/files/opt-outs.ts';
import type { Session } from '../../cli/context.ts';

/** Returns the opt-outs of the service that a line is for. */
export async function optOutsOf({ settings, api, signal }: Session): Promise<OptOuts> {
  const { createOptOuts } = await import('../../campaigns/files/opt-outs.ts');
  return createOptOuts(settings.paths.data, api.baseUrl, signal);
}
