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

/** The planned objects, and those that an apply leaves alone. */
export interface Plan {
  /**
   * Every declared object, in the order of the files, each after those that it needs. Deletions come last, or
   * first if the other objects have no room before.
   */
  readonly objects: readonly ObjectPlan[];
  /** Other objects that are in the state file and no longer in the files. They stay unchanged. */
  readonly undeclared: readonly { readonly address: Address; readonly id: string | undefined }[];
}

/**
 * Compares the declarations with the values that were last applied and with the service. Reads and sends nothing.
 * @param state with the current keys of the files: see `moved`
 * @param undeclaredEntries entries of the state file that no file declares
 * @param pruned the plans of bots that the files no longer declare
 * @param unverified the treatment of unverified secrets; unchanged if undefined
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
    // A file that was refused and then deleted has nothing in the service.
    .filter(
      ([address, entry]) =>
        !known.has(address) && !('path' in entry && entry.refused && entry.id === undefined),
    )
    .map(([address, { id }]) => ({ address, id }))
    .sort((one, other) => (one.address < other.address ? -1 : 1));
  return { objects, undeclared };
}

/** Returns the former addresses of documents whose files moved. */
function formerAddresses({ files }: Live): readonly Address[] {
  return [...files.values()].flatMap(({ planned }) =>
    planned?.change === 'renamed' ? (planned.line?.path ?? []) : [],
  );
}

/** Keeps pruned objects whose key may only have changed: otherwise one that the files still declare would be deleted. */
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

/** Blocks an object with several matches, or that is one of several matches. */
function blockAmbiguous({ live }: Known, object: ObjectPlan): ObjectPlan {
  const ambiguity = live.ambiguous.get(object.address);
  // Its former key makes it unambiguous.
  if (!ambiguity || object.formerAddress !== undefined) return object;
  return { ...object, impossible: [ambiguity.says], ambiguity };
}

/** Delays the renaming of replaced documents until no bot has them. If a bot keeps one, it is not renamed. */
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

/** Removes the renaming of replaced documents. */
export function withoutRetiring({ retires, ...object }: ObjectPlan): ObjectPlan {
  return object.reason === 'replaced' ? { ...object, ...actionFor(object) } : object;
}

/** Removes all changes of an object if one of them is impossible. */
export function withoutImpossible(object: ObjectPlan): ObjectPlan {
  if (object.impossible.length === 0) return object;
  return {
    ...{ ...object, action: 'none', reason: 'impossible' },
    ...{ differences: [], risks: [], retires: undefined, unverified: [] },
  };
}

/** Blocks objects that need an object which does not exist and can't be created. */
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
 * Returns the part of a plan for some targets: the objects, those below them, those that must be created before, and the files
 * that documents come from or move to: if two files were swapped, the state file must never have only one of them.
 * @param targets addresses of a tenant, of an object, or of the documents of a key
 * @throws Failure `usage` for one that the files don't declare
 */
export function limitToTargets(plan: Plan, targets: readonly Address[], files: Live['files']): Plan {
  if (targets.length === 0) return plan;
  const addresses = plan.objects.map(({ address }) => address);
  const unknown = targets.filter((target) => !addresses.some((address) => isWithin(address, target)));
  if (unknown.length > 0) throw usageFailure(unknown.map((target) => unknownTarget(target, addresses)));
  const kept = new Set(addresses.filter((address) => targets.some((target) => isWithin(address, target))));
  // Objects come after those that they need.
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

/** Groups the addresses of files with the former addresses of their documents. */
function linksOf(files: Live['files']): readonly (readonly Address[])[] {
  return [...files].flatMap(([address, { planned }]) => {
    const from = planned?.change === 'renamed' ? planned.line?.path : undefined;
    return from === undefined || from === address ? [] : [[from, address]];
  });
}

/** Returns some objects of a plan. A document whose renaming waits for a bot outside of them is not renamed. */
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
