import { nameOnDate } from '../../documents/sync/sync-plan.ts';
import { isObject, ownMember } from '../../lib/json-object.ts';
import type { Row } from '../../output/fields.ts';
import { type Difference, hasDrifted, type ObjectPlan, retiredId } from '../kinds/kind.ts';
import type { Plan } from '../plan.ts';
import type { Action, Reason } from '../reasons.ts';

/** An object of a plan as it is printed; null where a script would find nothing. */
export type PlanRow = {
  readonly address: string;
  readonly kind: string;
  readonly action: Action;
  /** Why: also for `none`, where it says why the row is here. */
  readonly reason: Reason;
  readonly name: string | null;
  readonly id: string | null;
  readonly fields: readonly Difference[];
  readonly risks: ObjectPlan['risks'];
  readonly impossible: readonly string[];
  readonly unverifiable: readonly string[];
  readonly unverified: readonly string[];
  readonly unknown_since: string | null;
};

/** Returns a row of each object about which there is something to do or to know. */
export function planRows({ objects, undeclared }: Plan): readonly PlanRow[] {
  const planned = objects
    .filter(({ action, reason }) => action !== 'none' || reason !== 'as-declared')
    .map((object): PlanRow => {
      const { address, kind, action, reason, name, risks, impossible, unverifiable, unverified } = object;
      const id = reason === 'replaced' ? retiredId(object) : (object.id ?? null);
      return {
        ...{ address, kind, action, reason, name, id },
        fields: [...object.differences, ...retired(object)].map(({ field, from = null, ...rest }) => {
          return { field, from, ...rest };
        }),
        ...{ risks, impossible, unverifiable, unverified },
        unknown_since: object.unknownSince ?? null,
      };
    });
  const left = undeclared.map(
    ({ address, id = null }): PlanRow => ({
      ...{ address, kind: kindOf(address), action: 'none', reason: 'undeclared', name: null, id },
      ...{ fields: [], risks: [], impossible: [], unverifiable: [], unverified: [], unknown_since: null },
    }),
  );
  return [...planned, ...left];
}

/** The new name is chosen when it is renamed. */
function retired({ retires }: ObjectPlan): readonly Difference[] {
  return (retires?.documents ?? []).map(({ name }) => {
    return { field: 'name of the one before', from: name, to: nameOnDate(name, '{date}'), moved: 'files' };
  });
}

/** True if something would be done about an object. */
export function isDone({ action }: PlanRow): boolean {
  return action !== 'none';
}

/** True if the service has an object otherwise than the last apply left it, or has it no more. */
export function isDrift({ reason, fields }: PlanRow): boolean {
  return reason === 'gone' || reason === 'deleted' || fields.some(hasDrifted);
}

/** True if a row is one of a plan. */
export function isPlanRow(row: Row): row is PlanRow {
  return typeof row.address === 'string' && Array.isArray(row.fields) && row.fields.every(isObject);
}

const kinds: Readonly<Record<string, string>> = { documents: 'document', bots: 'bot', devices: 'device' };

/** Returns the kind of object that an address names. */
export function kindOf(address: string): string {
  return ownMember(kinds, address.split('/')[1] ?? '') ?? 'team';
}
