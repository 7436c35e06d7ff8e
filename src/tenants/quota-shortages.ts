import { groupBy } from '../lib/iterables.ts';
import { groupedNumber } from '../lib/text/numbers.ts';
import { toTeam } from '../resources/teams/team.ts';
import { type CountedQuota, countedQuotas } from '../resources/teams/usage.ts';
import { type Address, quotaOf, tenantKeyOf } from './desired.ts';
import { foundRow, type Known, type ObjectPlan } from './kinds/kind.ts';
import { blockDependents, type Plan, withoutImpossible, withoutRetiring } from './plan.ts';
import type { Action } from './reasons.ts';

/** A quota that is too small, and the reason as a sentence. */
interface QuotaShortage {
  readonly quota: CountedQuota;
  readonly says: string;
}

/**
 * Marks the objects that a plan would create beyond the quotas of a team as impossible, so that an apply doesn't stop in the
 * middle of a tenant. If the quota only suffices after deletions, bots are deleted first.
 * @param knownOf the input of the plan of each tenant, by its key
 */
export function checkQuotas(plan: Plan, knownOf: ReadonlyMap<string, Known>): Plan {
  const changed = new Map<Address, ObjectPlan>();
  const first = new Set<Address>();
  for (const [key, planned] of groupBy(plan.objects, ({ address }) => tenantKeyOf(address))) {
    const known = knownOf.get(key);
    if (!known) continue;
    const deleted = planned.filter(({ action, reason }) => action === 'delete' && reason !== 'deleted');
    const before = shortagesOf(known, planned, 0);
    const lacks = deleted.length === 0 ? before : shortagesOf(known, planned, deleted.length);
    if (lacks.length < before.length) for (const { address } of deleted) first.add(address);
    if (lacks.length > 0)
      for (const object of markShortages(known, planned, lacks)) changed.set(object.address, object);
  }
  const objects = plan.objects.map((object) => changed.get(object.address) ?? object);
  const isFirst = ({ address }: ObjectPlan): boolean => first.has(address);
  return { ...plan, objects: [...objects.filter(isFirst), ...objects.filter((one) => !isFirst(one))] };
}

/** Returns the quotas of a team that are too small for the plan, as far as they are known. */
function shortagesOf(
  known: Known,
  planned: readonly ObjectPlan[],
  freedBots: number,
): readonly QuotaShortage[] {
  const { tenant, live } = known;
  const row = foundRow(known, tenant.address);
  const used = row ? live.usage.get(row.id) : { bots: 0, documents: 0, characters: 0 };
  return countedQuotas.flatMap((quota) => {
    const allowed = quotaOf(tenant, quota) ?? (row && toTeam(row).quotas[quota]);
    const has = used?.[quota];
    const more = planned.reduce((sum, object) => sum + addedBy(known, object, quota), 0);
    if (allowed === undefined || has === undefined || more === 0) return [];
    const needed = has + more - (quota === 'bots' ? freedBots : 0);
    return needed > allowed ? [{ quota, says: shortageText(quota, { has, more, allowed, needed }) }] : [];
  });
}

/** Returns the sentences that report a quota that is too small, with the remedy. */
function shortageText(
  quota: CountedQuota,
  { has, more, allowed, needed }: Readonly<Record<'has' | 'more' | 'allowed' | 'needed', number>>,
): string {
  const figures = `${groupedNumber(has)} of ${groupedNumber(allowed)} ${quota}, and ${groupedNumber(more)} more would be created`;
  return `The quota of the team is too small: it has ${figures}. Set quotas.${quota} to at least ${needed}, or declare less.`;
}

const addsOne: ReadonlySet<Action> = new Set(['create', 'replace']);

/** Returns how much of a quota a new object uses; a replaced document keeps its share. */
function addedBy({ live }: Known, { address, kind, action }: ObjectPlan, quota: CountedQuota): number {
  if (kind !== (quota === 'bots' ? 'bot' : 'document') || !addsOne.has(action)) return 0;
  return quota === 'characters' ? (live.files.get(address)?.planned?.counted?.chars ?? 0) : 1;
}

/** Marks the objects that exceed a quota, and those that need them, as impossible; for a new team, all of it. */
function markShortages(
  known: Known,
  planned: readonly ObjectPlan[],
  lacks: readonly QuotaShortage[],
): readonly ObjectPlan[] {
  const { address: team } = known.tenant;
  const isNew = !foundRow(known, team);
  const isAffected = (object: ObjectPlan, { quota }: QuotaShortage): boolean =>
    isNew ? object.address === team : addedBy(known, object, quota) > 0;
  const told = new Map<QuotaShortage, Address>();
  const left = new Set<Address>();
  const marked = planned.map((object) => {
    const lacking = lacks.filter((lack) => isAffected(object, lack));
    const waits = object.action === 'none' ? [] : object.needs.filter((address) => left.has(address));
    if (lacking.length + waits.length === 0) return object;
    left.add(object.address);
    const says = lacking.map((lack) => {
      const earlier = told.get(lack);
      if (earlier !== undefined) return `The quota is too small for it too: see ${earlier}.`;
      told.set(lack, object.address);
      return lack.says;
    });
    if (waits.length > 0) says.push(`It needs ${waits.join(', ')}, which the quota does not allow.`);
    return withoutImpossible({ ...object, impossible: [...object.impossible, ...says] });
  });
  return blockDependents(marked).map((object) =>
    object.retires?.after.some((bot) => left.has(bot)) === true ? withoutRetiring(object) : object,
  );
}
