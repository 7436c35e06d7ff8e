import { earlierIds } from '../../documents/sync/ledger-text.ts';
import { ledgerUpdate } from '../../documents/sync/planned-file.ts';
import type { Address } from '../desired.ts';
import type { Known, ObjectPlan } from '../kinds/kind.ts';
import type { StateChange } from './state-writer.ts';

/**
 * Returns the change of the state file for the documents of a tenant, as one change: if two files were swapped, the state file
 * must never have only one of them. Undefined if nothing changes.
 * @param planned the plans of objects, by their addresses
 */
export function documentRecords(
  { tenant, live }: Known,
  planned: ReadonlyMap<Address, ObjectPlan>,
): StateChange | undefined {
  const files = tenant.documents.flatMap(({ address }) => {
    const action = planned.get(address)?.action;
    const file = action === undefined ? undefined : live.files.get(address)?.planned;
    const isMeant = file && (action !== 'none' || file.refused !== undefined);
    // A document that is only renamed keeps its line.
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
      // The earlier document at this path is recorded if it has no other place.
      const earlier = isLost && earlierIds([...(line.earlier ?? []), before.id], line.id);
      entries.set(line.path, { ...line, ...earlier });
    }
  };
}
