import { retiredAs } from '../../documents/sync/retired-as.ts';
import { isObject, own } from '../../lib/json-object.ts';
import type { Row } from '../../output/row.ts';
import { type Action, type Difference, type ObjectPlan, retiredId } from '../kinds/kind.ts';
import { hasDrifted, isAsDeclared, isUnverified, type Plan } from '../plan.ts';

/** An object of a plan as it is printed; null where a script would find nothing. */
export type PlanRow = {
  readonly address: string;
  readonly kind: string;
  /**
   * What would be done; else why it stands here: `undeclared` for what the lock knows and the files don't name any more.
   */
  readonly action:
    | Exclude<Action, 'none'>
    | 'impossible'
    | 'unknown'
    | 'unverified'
    | 'unverifiable'
    | 'undeclared';
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
    .filter((object) => !isAsDeclared(object) || isUnverified(object) || isUnverifiable(object))
    .map((object): PlanRow => {
      const { address, kind, name, risks, impossible, unverifiable, unverified = [] } = object;
      const id = object.action === 'retire' ? retiredId(object) : (object.id ?? null);
      return {
        ...{ address, kind, action: actionOf(object), name, id },
        fields: [...object.differences, ...retired(object)].map(({ field, from = null, ...rest }) => ({
          ...{ field, from },
          ...rest,
        })),
        ...{ risks, impossible, unverifiable, unverified },
        unknown_since: object.unknownSince ?? null,
      };
    });
  const left = undeclared.map(
    ({ address, id = null }): PlanRow => ({
      ...{ address, kind: kindOf(address), action: 'undeclared', name: null, id },
      ...{ fields: [], risks: [], impossible: [], unverifiable: [], unverified: [], unknown_since: null },
    }),
  );
  return [...planned, ...left];
}

/** What it is called is settled on the day. */
function retired({ retires }: ObjectPlan): readonly Difference[] {
  return (retires?.documents ?? []).map(({ name }) => {
    const to = retiredAs.replace('{name}', () => name);
    return { field: 'name of the one before', from: name, to, moved: 'files' };
  });
}

/** Of a device the API shows nothing at all. */
function isUnverifiable({ unverifiable, kind }: ObjectPlan): boolean {
  return unverifiable.length > 0 && kind !== 'device';
}

function actionOf(object: ObjectPlan): PlanRow['action'] {
  if (object.action !== 'none') return object.action;
  if (object.unknownSince !== undefined) return 'unknown';
  if (object.impossible.length > 0) return 'impossible';
  return isUnverified(object) ? 'unverified' : 'unverifiable';
}

/** True if something would be done about an object. */
export function isDone({ action }: PlanRow): boolean {
  return !['impossible', 'unknown', 'unverified', 'unverifiable', 'undeclared'].includes(action);
}

/** True if the service has an object otherwise than the last apply left it, or has it no more. */
export function isDrift({ action, fields }: PlanRow): boolean {
  return action === 'recreate' || action === 'forget' || fields.some(hasDrifted);
}

/** True if a row is one of a plan. */
export function isPlanRow(row: Row): row is PlanRow {
  return typeof row.address === 'string' && Array.isArray(row.fields) && row.fields.every(isObject);
}

const kinds: Readonly<Record<string, string>> = { documents: 'document', bots: 'bot', devices: 'device' };

/** Returns the kind of object that an address names. */
export function kindOf(address: string): string {
  return own(kinds, address.split('/')[1] ?? '') ?? 'team';
}
