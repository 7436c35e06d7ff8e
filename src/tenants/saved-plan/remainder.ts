import { Failure } from '../../lib/errors.ts';
import { isSameId } from '../../lib/ids.ts';
import { groupBy } from '../../lib/iterables.ts';
import { own } from '../../lib/json-object.ts';
import { type CommandLine, remark } from '../../lib/text/remark.ts';
import { firstFew } from '../../lib/text/sentence.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import type { Address } from '../desired.ts';
import { hasDrifted, type ObjectPlan } from '../kinds/kind.ts';
import { laterOf, objectsOf } from '../kinds/kinds.ts';
import type { MadePlan } from '../make-plan.ts';
import { isAsDeclared, isOpen, type Plan, retiringWithin } from '../plan.ts';
import { isSent } from '../secret-records.ts';
import { isSameJson } from '../state-file.ts';
import { type Deviation, deviationsOf, newlyRetired } from './deviations.ts';
import { type KeptPlan, planAgain } from './plan-file.ts';
import {
  type KeptField,
  type KeptObject,
  type KeptOperation,
  keptField,
  keptObject,
  secretPartOf,
  tenantOf,
} from './planned-object.ts';

/**
 * Returns what is left to do of a kept plan, and says what is not done of it. An object is as it was when it was planned, or as
 * an earlier run of this very plan has left it. What could not be done then, and still can't, is in it too.
 * @param path of the kept plan
 * @param made the plan as it would be now
 * @throws Failure `rejected` that names every object that is otherwise, by address and field
 */
export async function remainderOf(
  { reporter, redact }: Pick<ResourceContext, 'reporter' | 'redact'>,
  path: string,
  kept: KeptPlan,
  made: MadePlan,
): Promise<Plan> {
  const { operations } = kept;
  const touched = new Set(operations.map(({ address }) => address));
  const present = retiringWithin(made.plan.objects.filter(({ address }) => touched.has(address)));
  const comparison = new Comparison(kept, made, present, {
    redact,
    otherSecrets: await otherSecrets(kept, made),
  });
  const judged = operations.map((operation) => comparison.of(operation));
  const deviations = judged.flatMap((one) => one.deviations);
  if (deviations.length > 0) throw outdated(path, deviations, planAgain(path, kept));
  const objects = judged.flatMap(({ rest }) => rest ?? []);
  const wasOpen = new Set(kept.open);
  const open = new Set(made.plan.objects.filter((object) => wasOpen.has(object.address) && isOpen(object)));
  const done = operations.length - objects.length;
  if (operations.length + open.size === 0) reporter.note(`${path} has nothing to do.`);
  else if (done > 0 && objects.length === 0) reporter.note(`${path} is carried out already.`);
  else if (done > 0) reporter.note(`${done} of ${operations.length} objects of ${path} are done already.`);
  const others = made.plan.objects.filter(
    (object) => !touched.has(object.address) && !isAsDeclared(object) && !open.has(object),
  );
  const named = firstFew(
    others.map(({ address }) => address),
    maxNamed,
  );
  if (others.length > 0) reporter.note(`Left alone, since ${path} does nothing about it: ${named}.`);
  return { objects: [...objects, ...open], undeclared: [] };
}

/** More objects than these are counted, not named. */
const maxNamed = 5;

function outdated(path: string, deviations: readonly Deviation[], again: CommandLine): Failure {
  const details = [...groupBy(deviations, ({ address }) => address)].map(([address, told]) => {
    const byField = groupBy(told, ({ field }) => field);
    const fields = [...byField].map(([field, all]) => [field, all.map(({ says }) => says).join('; ')]);
    return [address, byField.has(undefined) ? told[0]?.says : Object.fromEntries(fields)] as const;
  });
  return new Failure('rejected', `${path} is not what would be planned now. Nothing was done.`, {
    ...{ code: 'STALE_PLAN', details: Object.fromEntries(details) },
    hint: remark`Plan again, and look at it: ${again}`,
  });
}

/** What is to be done about an object of a kept plan: nothing where neither is given. */
interface Judged {
  readonly rest?: ObjectPlan;
  readonly deviations: readonly Deviation[];
}

/** Returns the addresses and names of the secret fields of a kept plan that have another value by now. */
async function otherSecrets({ operations }: KeptPlan, made: MadePlan): Promise<ReadonlySet<string>> {
  const others = new Set<string>();
  for (const { address, secrets = {} } of operations)
    for (const [name, record] of Object.entries(secrets)) {
      const field = secretPartOf(made, address, name);
      if (!field || !(await isSent(record, field))) others.add(`${address} ${name}`);
    }
  return others;
}

class Comparison {
  readonly #kept: KeptPlan;
  readonly #made: MadePlan;
  readonly #redact: (text: string) => string;
  readonly #otherSecrets: ReadonlySet<string>;
  readonly #planned: ReadonlyMap<Address, ObjectPlan>;
  readonly #wanted = new Map<string, ReadonlyMap<Address, readonly KeptField[]>>();

  /** @param present what would be done now about the objects of the plan */
  constructor(
    kept: KeptPlan,
    made: MadePlan,
    present: readonly ObjectPlan[],
    {
      redact,
      otherSecrets,
    }: { readonly redact: (text: string) => string; readonly otherSecrets: ReadonlySet<string> },
  ) {
    this.#kept = kept;
    this.#made = made;
    this.#redact = redact;
    this.#otherSecrets = otherSecrets;
    this.#planned = new Map(present.map((object) => [object.address, object]));
  }

  of(then: KeptOperation): Judged {
    const { address } = then;
    const planned = this.#planned.get(address);
    if (!planned) {
      if (isRemoval(then) && !this.#made.lock.entries.has(address)) return { deviations: [] };
      return { deviations: [{ address, says: 'the files declare it no longer' }] };
    }
    // Nobody knows what became of its create: that is told, and the rest goes on.
    if (planned.unknownSince !== undefined && then.action === 'create')
      return { rest: planned, deviations: [] };
    const now = keptObject(this.#made, planned, this.#redact);
    const wanted = this.#wantedOf(address);
    const isWanted = isSame(then, now) && isStillWanted(then, now, wanted);
    if (isWanted && !isRemoval(then) && isAsDeclared(planned)) return { deviations: [] };
    const changed = this.#changedOf(then);
    if (isWanted && isRest(then, now, planned, changed.size === 0)) return { rest: planned, deviations: [] };
    const deviations = deviationsOf(then, now, { impossible: planned.impossible, wanted, changed });
    return deviations.length > 0 ? { deviations } : { rest: planned, deviations };
  }

  /** Returns the fields that the files declare for an object, as they would be kept of a new one. */
  #wantedOf(address: Address): readonly KeptField[] {
    const tenant = tenantOf(this.#made, address);
    if (!tenant) return [];
    const known = this.#wanted.get(tenant.key);
    if (known) return known.get(address) ?? [];
    const files = tenant.documents.flatMap(({ address, name, file }) => {
      const planned =
        file && ({ file: { ...file, key: address, name }, line: undefined, change: 'new' } as const);
      return planned ? [[address, { planned, before: [] }] as const] : [];
    });
    const live = {
      ...{
        found: new Map(),
        usage: new Map(),
        names: new Map(),
        bookedDevices: new Map(),
        secrets: new Map(),
      },
      ...{ files: new Map(files), documents: new Map(), unclear: new Map() },
    };
    const nothing = { lock: { origin: '', entries: new Map() }, live, left: new Map(), tenant };
    const all = new Map(
      objectsOf(tenant).map((object) => [
        object.address,
        object.plan(nothing).differences.map((difference) => keptField(difference, this.#redact)),
      ]),
    );
    this.#wanted.set(tenant.key, all);
    return all.get(address) ?? [];
  }

  /** Says of which hidden fields of an operation the files say something else, or may, since no plan keeps what they say. */
  #changedOf({ address, hidden = [], secrets = {} }: KeptOperation): ReadonlyMap<string, string> {
    const tenant = tenantOf(this.#made, address);
    const { input, files } = this.#kept;
    const hashIn = (list: KeptPlan['files'] | MadePlan['files'], path: string): string | undefined =>
      list.find((file) => file.path === path)?.sha256;
    const file = [tenant?.place.file, input.vars, input.each]
      .filter((path) => path !== undefined)
      .find((path) => hashIn(files, path) !== hashIn(this.#made.files, path));
    const changed = hidden.flatMap((name): readonly (readonly [string, string])[] => {
      if (this.#otherSecrets.has(`${address} ${name}`)) return [[name, 'its secret has another value now']];
      // Who administers a team is secret in part at most.
      const isKnown = own(secrets, name) !== undefined && name !== 'administrator';
      if (isKnown || file === undefined) return [];
      return [[name, `${file} has changed, and no plan keeps what it says of this`]];
    });
    return new Map(changed);
  }
}

function isRemoval({ action }: KeptOperation): boolean {
  return action === 'delete';
}

/** True if an object is the one that was planned; one that wasn't there may be any by now. */
function isSame(then: KeptOperation, now: KeptObject): boolean {
  return then.id === undefined || isSameId(then.id, now.id);
}

/** True if the files still say of an object what was planned. */
function isStillWanted(then: KeptOperation, now: KeptObject, wanted: readonly KeptField[]): boolean {
  const says = new Map(wanted.map(({ field, to }) => [field, to]));
  return (
    then.sha256 === now.sha256 &&
    // The hash tells more than the characters.
    then.fields.every(
      ({ field, to }) => field === 'chars' || (says.has(field) && isSameJson(says.get(field), to)),
    )
  );
}

/**
 * True if what would be done now is what an earlier run of the plan was cut off before.
 * @param isKnown what the plan can't hold is as it was
 */
function isRest(
  then: KeptOperation,
  now: KeptObject,
  { differences }: ObjectPlan,
  isKnown: boolean,
): boolean {
  if (then.action === 'delete') return now.reason === 'deleted';
  const agreed = new Set(then.risks.map(({ risk }) => risk));
  if (now.risks.some(({ risk }) => !agreed.has(risk)) || newlyRetired(then, now).length > 0) return false;
  // It is there, and the lock doesn't know it yet.
  if (now.action === 'adopt')
    return (then.action === 'create' || then.action === 'replace') && now.fields.length === 0;
  // What it took the place of has its name still.
  if (now.reason === 'replaced') return then.kind === 'document' && now.fields.length === 0;
  if (now.action !== 'update' || differences.some(hasDrifted)) return false;
  if (then.action === 'adopt' || then.reason === 'renamed')
    return isKnown && isSameJson(now.fields, then.fields);
  const later = laterOf(then.kind);
  const planned = new Set(then.fields.map(({ field }) => field));
  const isNew = then.action === 'create';
  return isNew && now.fields.every(({ field }) => later.has(field) && planned.has(field));
}
