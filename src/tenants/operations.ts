import { groupBy } from '../lib/iterables.ts';
import { type Address, tenantKeyOf } from './desired.ts';
import { type ObjectPlan, reasonOfUpdate } from './kinds/kind.ts';
import { setAfterCreate } from './kinds/team.ts';
import type { Plan } from './plan.ts';
import type { Action, Reason } from './reasons.ts';

/** One operation of an apply. */
export interface Operation {
  readonly address: Address;
  readonly action: Exclude<Action, 'none'>;
  readonly reason: Reason;
  /** The fields that it sends. */
  readonly fields: readonly string[];
  /** The objects that must exist first. */
  readonly needs: readonly Address[];
  /** The plan of the object. */
  readonly planned: ObjectPlan;
}

/** Actions that are one operation for all their fields. */
const changesAsOne: ReadonlySet<Action> = new Set(['update', 'replace']);

/** Returns the operations of a plan by tenant, each object after those that it needs. An apply runs exactly these. */
export function operationsOf({ objects }: Plan): ReadonlyMap<string, readonly Operation[]> {
  const byTenant = groupBy(objects, ({ address }) => tenantKeyOf(address));
  return new Map(
    // A replaced document is renamed last, once no bot has it.
    [...byTenant].map(([tenant, planned]) => [
      tenant,
      [...planned.flatMap(ofObject), ...planned.flatMap(retiring)],
    ]),
  );
}

function retiring(planned: ObjectPlan): readonly Operation[] {
  const { address, retires } = planned;
  if (!retires) return [];
  const needs = [address, ...retires.after];
  return [{ address, action: 'update', reason: 'replaced', fields: [], needs, planned }];
}

function ofObject(planned: ObjectPlan): readonly Operation[] {
  const { address, kind, action, reason, needs } = planned;
  if (action === 'none' || reason === 'replaced') return [];
  const all = planned.differences.map(({ field }) => field);
  const isNew = action === 'create';
  const later = isNew ? all.filter((field) => kind === 'team' && setAfterCreate.has(field)) : all;
  const operation = { address, reason, needs, planned };
  if (changesAsOne.has(action) || later.length === 0) return [{ ...operation, action, fields: all }];
  // Adopting an existing object only adds it to the state file; other differences are ordinary updates.
  const first = isNew ? all.filter((field) => !later.includes(field)) : [];
  return [
    { ...operation, action, fields: first },
    {
      ...operation,
      action: 'update',
      reason: isNew ? 'new' : reasonOfUpdate(planned.differences),
      fields: later,
      needs: [...needs, address],
    },
  ];
}
