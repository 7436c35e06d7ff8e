import { nameOnDate } from '../../documents/sync/sync-plan.ts';
import { isObject, ownMember } from '../../lib/json-object.ts';
import type { Row } from '../../output/fields.ts';
import { type Difference, hasDrifted, type ObjectPlan, retiredId } from '../kinds/kind.ts';
import type { Plan } from '../plan.ts';
import type { Action, Reason } from '../reasons.ts';

/** An object of a plan as it is printed, with null for missing values. */
export type PlanRow = {
  readonly address: string;
  readonly kind: string;
  readonly action: Action;
  /** The reason; for `none`, why the row is listed. */
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

/** Returns a row for each object with an operation or a note. */
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

/** The new name is chosen during the renaming. */
function retired({ retires }: ObjectPlan): readonly Difference[] {
  return (retires?.documents ?? []).map(({ name }) => {
    return { field: 'name of the one before', from: name, to: nameOnDate(name, '{date}'), moved: 'files' };
  });
}

/** Returns whether a row has an operation. */
export function isDone({ action }: PlanRow): boolean {
  return action !== 'none';
}

/** Returns whether an object differs from the last apply, or no longer exists. */
export function isDrift({ reason, fields }: PlanRow): boolean {
  return reason === 'gone' || reason === 'deleted' || fields.some(hasDrifted);
}

/** Returns whether a row is one of a plan. */
export function isPlanRow(row: Row): row is PlanRow {
  return typeof row.address === 'string' && Array.isArray(row.fields) && row.fields.every(isObject);
}

const kinds: Readonly<Record<string, string>> = { documents: 'document', bots: 'bot', devices: 'device' };

/** Returns the kind of object that an address names. */
export function kindOf(address: string): string {
  return ownMember(kinds, address.split('/')[1] ?? '') ?? 'team';
}
