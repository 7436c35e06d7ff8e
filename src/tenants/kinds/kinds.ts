import type { DeclaredTenant } from '../declared-documents.ts';
import type { Address } from '../desired.ts';
import { bot } from './bot.ts';
import type { Doing, Kind } from './carry-out.ts';
import { device } from './device.ts';
import { document } from './document.ts';
import type { Known, ObjectPlan } from './kind.ts';
import { team } from './team.ts';

/** An object of the files, with what its kind does about it. */
export interface DeclaredObject {
  readonly address: Address;
  plan(known: Known): ObjectPlan;
  create(doing: Doing): Promise<void>;
  adopt(doing: Doing, planned: ObjectPlan): Promise<void>;
  update(doing: Doing, fields: readonly string[]): Promise<void>;
  retire(doing: Doing, planned: ObjectPlan): Promise<void>;
}

/** Returns the objects of a tenant: what an object needs comes before it. */
export function objectsOf(tenant: DeclaredTenant): readonly DeclaredObject[] {
  return [
    of(team, tenant),
    ...tenant.documents.map((one) => of(document, one)),
    ...tenant.bots.map((one) => of(bot, one)),
    ...tenant.devices.map((one) => of(device, one)),
  ];
}

/** Returns the fields that a new object of a kind is given by a change, since its create doesn't take them. */
export function laterOf(kind: ObjectPlan['kind']): ReadonlySet<string> {
  return { team, document, bot, device }[kind].later ?? new Set();
}

function of<D extends { readonly address: Address }>(kind: Kind<D>, declared: D): DeclaredObject {
  const { address } = declared;
  return {
    address,
    plan: (known) => kind.plan(known, declared),
    create: (doing) => kind.create(doing, declared),
    adopt: (doing, planned) => kind.adopt?.(doing, declared, planned) ?? never(address),
    update: (doing, fields) => kind.update?.(doing, declared, fields) ?? never(address),
    retire: (doing, planned) => kind.retire?.(doing, declared, planned) ?? never(address),
  };
}

/** @throws TypeError: the plan of such a kind has nothing of it */
function never(address: Address): never {
  throw new TypeError(`${address} is of a kind that is only created`);
}
