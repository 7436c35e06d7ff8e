import type { OptOut, OptOuts } from '../../campaigns/opt-outs.ts';
import type { IdentityContext } from '../../cli/context.ts';
import type { StoreInput } from '../../cli/store-options.ts';
import type { Fields, Row } from '../../output/fields.ts';

/**
 * Returns the opt-outs of the service of this command.
 * @param isFirst as for `openStore`
 * @throws Failure as `openStore`
 */
export async function optOutsOf(
  session: IdentityContext,
  { database }: StoreInput,
  isFirst = false,
): Promise<OptOuts> {
  const { openStore } = await import('../../campaigns/open-store.ts');
  return (await openStore(session, database, isFirst)).optOuts(session.identity.baseUrl);
}

/** Fields of an opted-out number. */
export const optOutFields: Fields = [
  { name: 'number', kind: 'phone', importance: 9 },
  { name: 'note', importance: 6 },
  { name: 'added_at', heading: 'Added', kind: 'time', importance: 5 },
];

/** Returns an opt-out as a row. */
export function optOutRow({ number, added_at, note }: OptOut): Row {
  return { number: `+${number}`, note: note ?? null, added_at };
}
