import { usageFailure } from '../lib/errors.ts';
import { didYouMean, mostSimilar } from '../lib/text/similar.ts';
import type { DeclaredTenant } from './declared-documents.ts';
import { type Address, isWithin } from './desired.ts';
import { shownDocuments } from './kinds/bot.ts';
import {
  actionFor,
  type Known,
  type ObjectPlan,
  type UndeclaredEntries,
  type UnverifiedMode,
} from './kinds/kind.ts';
import { objectsOf } from './kinds/kinds.ts';
import type { Live } from './live-state.ts';
import { isRecordedOnly } from './reasons.ts';
import type { State } from './state-file.ts';

/** The operations of an apply, and the objects that it leaves. */
export interface Plan {
  /**
   * Every object that the files declare, in their order: what an object needs comes before it. What is pruned comes last, or
   * first if there is no room for the rest before.
   */
  readonly objects: readonly ObjectPlan[];
  /** Other objects that are in the state file and no longer in the files. They stay unchanged. */
  readonly undeclared: readonly { readonly address: Address; readonly id: string | undefined }[];
}

/**
 * Compares what the files declare with what was applied last and with what the service shows. Nothing is read or sent here.
 * @param state with the keys as the files have them now: see `moved`
 * @param undeclaredEntries entries of the state file that no file declares
 * @param pruned what is planned about bots that the files no longer name
 * @param unverified what is to be done about unverified secrets; nothing if undefined
 */
export function planTenants(
  tenants: readonly DeclaredTenant[],
  state: State,
  live: Live,
  undeclaredEntries: UndeclaredEntries,
  pruned: readonly ObjectPlan[] = [],
  unverified?: UnverifiedMode,
): Plan {
  const planned = tenants.flatMap((tenant) =>
    planTenant({ tenant, state, live, undeclared: undeclaredEntries, unverified }),
  );
  const objects = [...planned, ...keepMoved(pruned, planned)];
  const known = new Set([...objects.map(({ address }) => address), ...formerAddresses(live)]);
  const undeclared = [...state.entries]
    // Of a file that was refused and is gone there is nothing in the service.
    .filter(
      ([address, entry]) =>
        !known.has(address) && !('path' in entry && entry.refused && entry.id === undefined),
    )
    .map(([address, { id }]) => ({ address, id }))
    .sort((one, other) => (one.address < other.address ? -1 : 1));
  return { objects, undeclared };
}

/** The addresses that documents had whose files are elsewhere by now. */
function formerAddresses({ files }: Live): readonly Address[] {
  return [...files.values()].flatMap(({ planned }) =>
    planned?.change === 'renamed' ? (planned.line?.path ?? []) : [],
  );
}

/** Leaves what may only have another key by now: one would be deleted that the files mean to keep. */
function keepMoved(pruned: readonly ObjectPlan[], planned: readonly ObjectPlan[]): readonly ObjectPlan[] {
  const moved = planned.flatMap(({ address, formerAddress: from }) =>
    from === undefined ? [] : [{ address, from }],
  );
  return pruned.map((object) => {
    const to = moved.find(({ from }) => isWithin(object.address, from));
    const says = to && `It is not deleted until it is clear whether ${to.from} is now ${to.address}.`;
    return withoutImpossible(says === undefined ? object : { ...object, impossible: [says] });
  });
}

function planTenant(known: Known): readonly ObjectPlan[] {
  const planned = objectsOf(known.tenant).map((object) =>
    withoutImpossible(blockAmbiguous(known, object.plan(known))),
  );
  return delayRetiring(known, blockDependents(planned));
}

/** Says of an object that it may be several things, or that several may be it, in place of what was to be done about it. */
function blockAmbiguous({ live }: Known, object: ObjectPlan): ObjectPlan {
  const ambiguity = live.ambiguous.get(object.address);
  // Once its former key is known it is clear.
  if (!ambiguity || object.formerAddress !== undefined) return object;
  return { ...object, impossible: [ambiguity.says], ambiguity };
}

/** Lets what is renamed wait for the bots that have it still; where one keeps it, it keeps its name. */
function delayRetiring(known: Known, planned: readonly ObjectPlan[]): readonly ObjectPlan[] {
  const isChanged = new Map(planned.map(({ address, action }) => [address, action !== 'none']));
  return planned.map((object) => {
    const { retires } = object;
    if (!retires) return object;
    const ids = new Set(retires.documents.map(({ id }) => id.toLowerCase()));
    const after = known.tenant.bots
      .filter((bot) => bot.documents && shownDocuments(known, bot).some((id) => ids.has(id.toLowerCase())))
      .map(({ address }) => address);
    const isFree = after.every((address) => isChanged.get(address) === true);
    return isFree ? { ...object, retires: { ...retires, after } } : withoutRetiring(object);
  });
}

/** Leaves the names of what was replaced as they are. */
export function withoutRetiring({ retires, ...object }: ObjectPlan): ObjectPlan {
  return object.reason === 'replaced' ? { ...object, ...actionFor(object) } : object;
}

/** Takes back all that was to be done about an object of which something can't be done. */
export function withoutImpossible(object: ObjectPlan): ObjectPlan {
  if (object.impossible.length === 0) return object;
  return {
    ...{ ...object, action: 'none', reason: 'impossible' },
    ...{ differences: [], risks: [], retires: undefined, unverified: [] },
  };
}

/** Takes back what can't be done since something that it needs is not there, and can't be made. */
export function blockDependents(planned: readonly ObjectPlan[]): readonly ObjectPlan[] {
  const missing = new Set<Address>();
  const ambiguous = new Set(planned.filter((one) => one.ambiguity).map(({ address }) => address));
  return planned.map((object) => {
    const lacks = object.needs.filter((address) => missing.has(address));
    const isThere = object.id !== undefined;
    const isHopeless = lacks.length > 0 && object.action !== 'none';
    const impossible = isHopeless ? [...object.impossible, missingText(lacks, ambiguous)] : object.impossible;
    const isMissing =
      !isThere && object.unknownSince === undefined && (isHopeless || object.action === 'none');
    if (isMissing) missing.add(object.address);
    return withoutImpossible({ ...object, impossible });
  });
}

function missingText(lacks: readonly Address[], ambiguous: ReadonlySet<Address>): string {
  const open = lacks.filter((address) => ambiguous.has(address));
  return open.length > 0
    ? `It needs ${open.join(', ')}, for which several objects match.`
    : `It needs ${lacks.join(', ')}, which does not exist.`;
}

/**
 * Returns the part of a plan that is about some objects: them, what is in them, what has to be made before, and the files
 * that documents come from or go to: of two that changed places the state file must never have one alone.
 * @param targets addresses: of a tenant, of one object, or of the documents of a key
 * @throws Failure `usage` for one that the files don't declare
 */
export function limitToTargets(plan: Plan, targets: readonly Address[], files: Live['files']): Plan {
  if (targets.length === 0) return plan;
  const addresses = plan.objects.map(({ address }) => address);
  const unknown = targets.filter((target) => !addresses.some((address) => isWithin(address, target)));
  if (unknown.length > 0) throw usageFailure(unknown.map((target) => unknownTarget(target, addresses)));
  const kept = new Set(addresses.filter((address) => targets.some((target) => isWithin(address, target))));
  // What is needed comes before what needs it.
  const toBeMade = new Set(plan.objects.filter(isToBeMade).map(({ address }) => address));
  const linked = linksOf(files);
  for (let before = 0; before < kept.size; ) {
    before = kept.size;
    for (const { address, needs, action } of plan.objects.toReversed()) {
      if (!kept.has(address) || action === 'none') continue;
      for (const needed of needs) if (toBeMade.has(needed)) kept.add(needed);
    }
    for (const pair of linked)
      if (pair.some((address) => kept.has(address))) for (const address of pair) kept.add(address);
  }
  return {
    objects: retiringWithin(plan.objects.filter(({ address }) => kept.has(address))),
    undeclared: [],
  };
}

/** Returns the addresses of files with those that their documents had until now. */
function linksOf(files: Live['files']): readonly (readonly Address[])[] {
  return [...files].flatMap(([address, { planned }]) => {
    const from = planned?.change === 'renamed' ? planned.line?.path : undefined;
    return from === undefined || from === address ? [] : [[from, address]];
  });
}

/** Returns a part of the objects of a plan, of which what waits for a bot that isn't among them keeps its name. */
function retiringWithin(objects: readonly ObjectPlan[]): readonly ObjectPlan[] {
  const among = new Set(objects.map(({ address }) => address));
  return objects.map((object) =>
    object.retires?.after.every((bot) => among.has(bot)) === false ? withoutRetiring(object) : object,
  );
}

function isToBeMade({ action, reason }: ObjectPlan): boolean {
  return ['create', 'adopt', 'replace'].includes(action) && !isRecordedOnly(reason);
}

function unknownTarget(target: Address, addresses: readonly Address[]): string {
  const question = didYouMean(mostSimilar(target, addresses));
  return `The files declare no ${target}.${question === undefined ? '' : ` ${question}`}`;
}

/** Returns true if an object is impossible or its state is unknown. */
export function isOpen({ impossible, unknownSince }: ObjectPlan): boolean {
  return impossible.length > 0 || unknownSince !== undefined;
}
