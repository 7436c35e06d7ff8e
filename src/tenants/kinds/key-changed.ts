import { groupBy } from '../../lib/iterables.ts';
import { type Address, holderOf } from '../desired.ts';
import type { State, StateEntry } from '../state-file.ts';
import { foundOf, type Known, type Left, type ObjectPlan } from './kind.ts';

/** @param declared the addresses of all that the files declare, also of what a plan isn't about */
export function leftOf({ entries }: State, declared: ReadonlySet<Address>): Left {
  const all = [...entries].map(([address, entry]) => ({ address: keyOf(address), entry }));
  return groupBy(
    all.filter(({ address }) => !declared.has(address)),
    ({ address }) => holderOf(address),
  );
}

/**
 * Says that the lock has what would be made, at a key that the files don't declare: without being told that a key changed,
 * nobody can tell that from another object, and a second one would be made.
 * @param isIt true if what the lock has is like what is declared
 */
export function keyChanged(
  { left }: Pick<Known, 'left'>,
  address: Address,
  isIt: (entry: StateEntry) => boolean,
): Pick<ObjectPlan, 'impossible' | 'formerly'> | undefined {
  const to = keyOf(address);
  const from = left.get(holderOf(to))?.find(({ entry }) => isIt(entry))?.address;
  if (from === undefined) return undefined;
  const says = `The state file has it as ${from}, which these files don't declare. If its key changed, write moved: [{ from: ${from}, to: ${to} }]. If this is a different object, declare ${from} too, or give this one another name.`;
  return { impossible: [says], formerly: from };
}

/** Says it of a team or a bot that the lock doesn't know: by its name, as it was applied or as the service shows it. */
export function nameKept(
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
