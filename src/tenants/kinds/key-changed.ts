import { groupBy } from '../../lib/iterables.ts';
import { type Address, parentOf } from '../desired.ts';
import type { State, StateEntry } from '../state-file.ts';
import { foundOf, type Known, type ObjectPlan, type UndeclaredEntries } from './kind.ts';

/** @param declared the addresses of everything that the files declare, including objects outside of the plan */
export function undeclaredEntries({ entries }: State, declared: ReadonlySet<Address>): UndeclaredEntries {
  const all = [...entries].map(([address, entry]) => ({ address: keyOf(address), entry }));
  return groupBy(
    all.filter(({ address }) => !declared.has(address)),
    ({ address }) => parentOf(address),
  );
}

/**
 * Reports that the state file has the object to be created under a key that the files don't declare. Without `moved`
 * it may be a different object, and a second one would be created.
 * @param isIt returns true if the entry of the state file matches the declaration
 */
export function keyChanged(
  { undeclared }: Pick<Known, 'undeclared'>,
  address: Address,
  isIt: (entry: StateEntry) => boolean,
): Pick<ObjectPlan, 'impossible' | 'formerAddress'> | undefined {
  const to = keyOf(address);
  const from = undeclared.get(parentOf(to))?.find(({ entry }) => isIt(entry))?.address;
  if (from === undefined) return undefined;
  const says = `The state file has it as ${from}, which these files don't declare. If its key changed, write moved: [{ from: ${from}, to: ${to} }]. If this is a different object, declare ${from} too, or give this one another name.`;
  return { impossible: [says], formerAddress: from };
}

/** Does the same for a team or a bot by its name, as it was last applied or as the service shows it. */
export function nameUnchanged(
  known: Known,
  { address, name }: Pick<ObjectPlan, 'address' | 'name'>,
): ReturnType<typeof keyChanged> {
  const { state } = foundOf(known, address);
  if (state !== 'absent' && state !== 'alike') return undefined;
  const shown = (id = ''): string | undefined => known.live.names.get(id.toLowerCase());
  return keyChanged(
    known,
    address,
    (entry) => (!('path' in entry) && entry.applied.name === name) || shown(entry.id) === name,
  );
}

/** Returns the address of a key: without the path of a file in a folder. */
export function keyOf(address: Address): Address {
  return address.split('/').slice(0, 3).join('/');
}
