import { earlierIds } from '../../documents/sync/ledger-text.ts';
import { ledgerUpdate } from '../../documents/sync/planned-file.ts';
import type { Address } from '../desired.ts';
import type { Known, ObjectPlan } from '../kinds/kind.ts';
import type { StateChange } from './state-writer.ts';

/**
 * Returns the change of the state file for the documents of a tenant, all at once: of two files that changed places it must
 * never know one alone. Undefined where that is nothing.
 * @param planned what is planned about objects, by their addresses
 */
export function documentRecords(
  { tenant, live }: Known,
  planned: ReadonlyMap<Address, ObjectPlan>,
): StateChange | undefined {
  const files = tenant.documents.flatMap(({ address }) => {
    const action = planned.get(address)?.action;
    const file = action === undefined ? undefined : live.files.get(address)?.planned;
    const isMeant = file && (action !== 'none' || file.refused !== undefined);
    // One that only has another name keeps its line.
    const isInPlace = file?.change === 'renamed' && file.line?.path === address && !file.displaced;
    return isMeant && !isInPlace ? [file] : [];
  });
  const { puts, dropped } = ledgerUpdate({ files, removed: [] });
  if (puts.length === 0) return undefined;
  const placed = new Set(puts.flatMap(({ id }) => id?.toLowerCase() ?? []));
  return (entries) => {
    for (const path of dropped) entries.delete(path);
    for (const line of puts) {
      const before = entries.get(line.path);
      const isLost = before?.id !== undefined && !placed.has(before.id.toLowerCase());
      // What stood there, and has no other place, is not forgotten.
      const earlier = isLost && earlierIds([...(line.earlier ?? []), before.id], line.id);
      entries.set(line.path, { ...line, ...earlier });
    }
  };
}
