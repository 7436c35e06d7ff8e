import type { OptOuts } from '../../campaigns/opt-outs.ts';
import type { Session } from '../../cli/context.ts';
import type { StoreInput } from '../../cli/store-options.ts';

/**
 * Returns the opt-outs of the service that a line is for.
 * @param isFirst as for `openStore`
 * @throws Failure as `openStore`
 */
export async function optOutsOf(
  session: Session,
  { database }: StoreInput,
  isFirst = false,
): Promise<OptOuts> {
  const { openStore } = await import('../../campaigns/open-store.ts');
  return (await openStore(session, database, isFirst)).optOuts(session.api.baseUrl);
}
