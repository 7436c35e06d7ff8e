import { Failure } from '../../lib/errors.ts';
import { ownMember } from '../../lib/json-object.ts';
import { remark } from '../../lib/text/remark.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import type { Address } from '../desired.ts';
import type { ObjectPlan } from '../kinds/kind.ts';
import type { PlanResult } from '../make-plan.ts';
import { reasons } from '../reasons.ts';
import { isSent, type SecretField } from '../secret-records.ts';
import { isSameJson } from '../state-file.ts';
import { replanCommand, type SavedPlan } from './plan-file.ts';
import { isSaved, type SavedObject, savedObjectOf, secretFieldsOf } from './planned-object.ts';

/**
 * Checks that a fresh plan with the same input has exactly the operations of a saved plan. A fresh plan without operations
 * passes too, since the saved plan was then applied already, unless an operation has become impossible.
 * @param path the path of the saved plan
 * @param result the fresh plan
 * @throws Failure `rejected` that names each changed object, and the change
 */
export async function checkCurrent(
  { reporter, redact }: Pick<ResourceContext, 'reporter' | 'redact'>,
  path: string,
  saved: SavedPlan,
  result: PlanResult,
): Promise<void> {
  const fresh = result.plan.objects.filter(isSaved);
  const before = new Map(saved.objects.map((object) => [object.address, object]));
  const isOpenAsBefore = ({ address, action, reason }: ObjectPlan): boolean =>
    action === 'none' && (reason === 'unknown' || before.get(address)?.reason === reason);
  if (fresh.every(isOpenAsBefore)) {
    const wasEmpty = saved.objects.every(({ action }) => action === 'none');
    // A create of this plan may have an unknown outcome: the rows report that.
    const isCarriedOut = fresh.every(({ address, reason }) => before.get(address)?.reason === reason);
    if (wasEmpty) reporter.note(`${path} contains no changes.`);
    else if (isCarriedOut) reporter.note(`${path} has already been applied.`);
    return;
  }
  const changed = new Map<Address, string>();
  for (const planned of fresh) {
    const { address } = planned;
    const object = savedObjectOf(result, planned, redact);
    const changes = await changesOf(before.get(address), object, secretFieldsOf(result, planned));
    if (changes.length > 0) changed.set(address, changes.join('; '));
    before.delete(address);
  }
  for (const [address, object] of before) changed.set(address, otherAction(object, undefined));
  if (changed.size === 0) return;
  const hashes = new Map(saved.files.map((file) => [file.path, file.sha256]));
  const files = result.files.filter((file) => hashes.get(file.path) !== file.sha256).map((file) => file.path);
  const named = files.length > 0 ? ` Files changed since: ${files.join(', ')}.` : '';
  throw staleFailure(
    path,
    saved,
    `${path} is out of date.${named} Nothing was changed.`,
    Object.fromEntries(changed),
  );
}

/** Converts a usage failure of planning again to that of a stale plan: its input is no longer valid. */
export function asStale(path: string, saved: SavedPlan, thrown: unknown): unknown {
  if (!(thrown instanceof Failure) || thrown.kind !== 'usage') return thrown;
  return staleFailure(path, saved, `${path} is out of date: ${thrown.message} Nothing was changed.`);
}

function staleFailure(
  path: string,
  saved: SavedPlan,
  message: string,
  details?: Readonly<Record<Address, string>>,
): Failure {
  return new Failure('rejected', message, {
    ...{ code: 'STALE_PLAN', details },
    hint: remark`Plan again, and review that plan: ${replanCommand(path, saved)}`,
  });
}

/** Returns the differences between an object and the saved one, each as a phrase. */
async function changesOf(
  then: SavedObject | undefined,
  now: SavedObject,
  secrets: readonly SecretField[],
): Promise<readonly string[]> {
  if (then?.action !== now.action || then.reason !== now.reason) {
    const isOther = then?.id !== undefined && now.id !== undefined && then.id !== now.id;
    return [otherAction(then, now), ...(isOther ? [anotherObject] : [])];
  }
  const members = Object.entries(phrases).flatMap(([member, phrase]) =>
    isSameJson(ownMember(then, member) ?? null, ownMember(now, member) ?? null) ? [] : [phrase],
  );
  return [...fieldChanges(then, now), ...(await secretChanges(then, secrets)), ...members];
}

function otherAction(then: SavedObject | undefined, now: SavedObject | undefined): string {
  const words = (one: SavedObject | undefined): string =>
    one === undefined ? 'nothing' : `${one.action} (${ownMember(reasons, one.reason) ?? one.reason})`;
  return `planned: ${words(then)}; now: ${words(now)}`;
}

const anotherObject = 'it is a different object now';

/** The phrase for a change of each member of a saved object. */
const phrases: Readonly<Partial<Record<keyof SavedObject, string>>> = {
  id: anotherObject,
  name: 'its name changed',
  sha256: 'the content of its file changed',
  shown: 'it was changed in the service',
  needs: 'it needs other objects',
  retires: 'it would replace other documents',
  risks: 'its risks changed',
};

function fieldChanges({ fields: then }: SavedObject, { fields: now }: SavedObject): readonly string[] {
  const [before, after] = [then, now].map((all) => new Map(all.map((one) => [one.field, one])));
  return [...new Set([...then, ...now].map(({ field }) => field))].flatMap((field) => {
    const [was, is] = [before?.get(field), after?.get(field)];
    if (!was || !is) return [`${field} would ${is ? 'change too' : 'no longer change'}`];
    return [
      !isSameJson(was.to, is.to) && `${field} was changed in the files`,
      !isSameJson(was.from, is.from) && `${field} was changed in the service`,
    ].filter((one) => one !== false);
  });
}

async function secretChanges(
  { secrets: then = {} }: SavedObject,
  now: readonly SecretField[],
): Promise<readonly string[]> {
  const names = new Set([...Object.keys(then), ...now.map(({ name }) => name)]);
  const changes = [...names].map(async (name) => {
    const [record, field] = [ownMember(then, name), now.find((one) => one.name === name)];
    const isSame = record && field && (await isSent(record, field));
    return isSame ? [] : [`${name}: its secret was changed`];
  });
  return (await Promise.all(changes)).flat();
}
