import type { OptOuts } from '../../campaigns/opt-outs.ts';
import type { Session } from '../../cli/context.ts';

/** Returns the opt-outs of the service that a line is for. */
export async function optOutsOf({ settings, api, signal }: Session): Promise<OptOuts> {
  const { createFileStore } = await import('../../campaigns/files/file-store.ts');
  return createFileStore(settings.paths.data, signal).optOuts(api.baseUrl);
}
