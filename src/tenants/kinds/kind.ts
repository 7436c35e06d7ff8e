import type { ResourceRow } from '../../client/api.ts';
import { filesToSend } from '../../documents/sync/planned-file.ts';
import { Failure } from '../../lib/errors.ts';
import { isSameId } from '../../lib/ids.ts';
import { asText, ownMember } from '../../lib/json-object.ts';
import { comparable, inOneOrder, isSameValue } from '../../resources/bots/editable.ts';
import { mask } from '../../secrets/secret.ts';
import { replaceSecrets, secretsIn } from '../action-secrets.ts';
import type { DeclaredTenant } from '../declared-documents.ts';
import {
  type Address,
  containsSecret,
  type DeclaredField,
  type DeclaredValue,
  revealValue,
} from '../desired.ts';
import type { Ambiguity, Found, Live, SecretState } from '../live-state.ts';
import type { Action, Reason } from '../reasons.ts';
import { isRecordedValue, type ObjectEntry, objectAt, type State, type StateEntry } from '../state-file.ts';

/** The risks that have to be allowed by name. */
export type Risk =
  | 'unpublish'
  | 'lower-quota'
  | 'ban'
  | 'adopt'
  | 'create-device'
  | 'recreate'
  | 'delete-bot';

/** Who changed a field since the last apply; `unknown` if that can't be found out. */
export type Mover = 'files' | 'service' | 'both' | 'unknown';

/** A field that differs from the files. Secrets in it are masked. */
export interface Difference {
  readonly field: string;
  /** The value in the service; undefined if the service doesn't show it, or there is no object yet. */
  readonly from: unknown;
  /** The value in the files. */
  readonly to: unknown;
  readonly moved: Mover;
  /** The value that was last applied, if it is recorded and the service changed it since. */
  readonly applied?: unknown;
}

/** Replaced documents, which are renamed once no declared bot has them. */
interface RetiredDocuments {
  readonly documents: readonly { readonly id: string; readonly name: string }[];
  /** The bots that have one of them, and should have its replacement. */
  readonly after: readonly Address[];
}

/** The plan of one object of the files or the state file. */
export interface ObjectPlan {
  readonly address: Address;
  readonly kind: 'team' | 'document' | 'bot' | 'device';
  readonly name: string;
  readonly action: Action;
  readonly reason: Reason;
  /** Undefined if it does not exist yet. */
  readonly id?: string | undefined;
  readonly differences: readonly Difference[];
  readonly risks: readonly { readonly risk: Risk; readonly says: string }[];
  /** Fields that the service doesn't show, and which therefore can't be compared. */
  readonly unverifiable: readonly string[];
  /** Secret fields that an earlier version applied without a fingerprint: it is unknown whether the files changed them since. */
  readonly unverified: readonly string[];
  /** The reasons why the object can't be changed, each a sentence with a remedy. If there is one, the object is skipped. */
  readonly impossible: readonly string[];
  /** Set if several objects of the service match; the object can't be changed then. */
  readonly ambiguity?: Ambiguity | undefined;
  /** Replaced documents, to be renamed so that names stay unique. */
  readonly retires?: RetiredDocuments | undefined;
  /** The device of the device book that may be this one, although another one would be created. */
  readonly booked?: string | undefined;
  /** The address where the state file may have it: see `keyChanged`. */
  readonly formerAddress?: Address | undefined;
  /** When a create was interrupted whose outcome is unknown, in ISO 8601. */
  readonly unknownSince?: string | undefined;
  /** The objects that must exist first. */
  readonly needs: readonly Address[];
}

/** Returns a plan of an object without changes. */
export function emptyPlan(
  kind: ObjectPlan['kind'],
  address: Address,
  name: string,
  needs: readonly Address[] = [],
): ObjectPlan {
  return {
    ...{ address, kind, name, needs, action: 'none', reason: 'as-declared' },
    ...{ differences: [], risks: [], unverifiable: [], unverified: [], impossible: [] },
  };
}

/** Returns the id of the document to rename; null if there are several. */
export function retiredId({ retires }: ObjectPlan): string | null {
  const [one, ...others] = retires?.documents ?? [];
  return one && others.length === 0 ? one.id : null;
}

/**
 * Entries of the state file at keys that the files don't declare, by their parent: `aurora/bots`, or an empty text for teams. All
 * documents of a folder have the address of its key.
 */
export type UndeclaredEntries = ReadonlyMap<
  string,
  readonly { readonly address: Address; readonly entry: StateEntry }[]
>;

/** Input of the plan of an object. */
export interface Known {
  readonly state: State;
  readonly live: Live;
  readonly undeclared: UndeclaredEntries;
  /** The tenant of the object. */
  readonly tenant: DeclaredTenant;
  /** The treatment of unverified secrets; unchanged if undefined. */
  readonly unverified?: UnverifiedMode | undefined;
}

/** Sends unverified secrets, or records them as those that were sent. */
export type UnverifiedMode = 'send' | 'assume';

/** Returns the match of an object in the service. */
export function foundOf({ live }: Known, address: Address): Found {
  return live.found.get(address) ?? { state: 'absent' };
}

/** Returns an object as the service shows it, or undefined if it does not exist. */
export function foundRow(known: Known, address: Address): ResourceRow | undefined {
  return foundOf(known, address).row;
}

/** Returns the id of an existing object, or undefined. */
export function idOf(known: Known, address: Address): string | undefined {
  return foundRow(known, address)?.id ?? known.state.entries.get(address)?.id;
}

/** Returns whether another document replaces the one at an address. */
export function isReplaced({ live }: Known, address: Address): boolean {
  const planned = live.files.get(address)?.planned;
  return planned !== undefined && filesToSend({ files: [planned] }).length > 0;
}

/** Returns whether an object of the service belongs to another team than the tenant that declares it. */
export function isElsewhere({ team_id }: ResourceRow, teamId: string | undefined): boolean {
  const shown = asText(team_id);
  return shown !== undefined && !isSameId(shown, teamId);
}

/**
 * Plans a bot or a document that the state file links to another team. The plan has no id, so that no object that needs it is
 * created.
 */
export function elsewherePlan(plan: ObjectPlan, { id }: ResourceRow): ObjectPlan {
  const says = `The state file links it to ${id}, a ${plan.kind} of another team, which is not changed. Remove the address from the state file (tenants forget): the next plan looks for it in its own team, or creates it there.`;
  return { ...plan, impossible: [says] };
}

/** @throws Failure `rejected` if an object belongs to another team than the tenant that declares it: it may have been moved */
export function checkTeam(row: ResourceRow, teamId: string): void {
  if (isElsewhere(row, teamId))
    throw new Failure('rejected', `${row.id} belongs to another team. Nothing was sent.`);
}

/** The comparison of an object's fields. */
export type FieldComparison = Pick<ObjectPlan, 'differences' | 'unverifiable' | 'unverified'>;

/** Returns the action for an existing object. @param isAlike true if it is not in the state file */
export function actionFor(
  { differences, unverifiable, unverified }: FieldComparison,
  isAlike = false,
): Pick<ObjectPlan, 'action' | 'reason'> {
  if (isAlike) return { action: 'adopt', reason: 'found' };
  if (differences.length > 0) return { action: 'update', reason: reasonOfUpdate(differences) };
  if (unverified.length > 0) return { action: 'none', reason: 'unverified' };
  return { action: 'none', reason: unverifiable.length > 0 ? 'unverifiable' : 'as-declared' };
}

/** Returns the reason to change fields. Drift comes first: the files may revert a change by another person. */
export function reasonOfUpdate(differences: readonly Difference[]): Reason {
  if (differences.some(hasDrifted)) return 'drifted';
  return differences.some(({ moved }) => moved === 'files') ? 'changed' : 'differs';
}

/** Returns whether a field was changed in the service since the last apply. */
export function hasDrifted({ moved }: Difference): boolean {
  return moved === 'service' || moved === 'both';
}

/**
 * Plans an object that does not exist: every declared field is new.
 * @param loss the consequence if the object of the state file no longer exists
 */
export function planNew(
  known: Known,
  plan: ObjectPlan,
  fields: readonly (readonly [string, DeclaredField])[],
  loss: string,
): ObjectPlan {
  const isGone = foundOf(known, plan.address).state === 'gone';
  const says = `The ${plan.kind} no longer exists in the service. A new one would be created, ${loss}.`;
  return {
    ...plan,
    ...{ action: 'create', reason: isGone ? 'gone' : 'new' },
    differences: fields.map(([field, { value }]) => {
      return { field, from: undefined, to: maskSecrets(value), moved: 'files' };
    }),
    risks: isGone ? [{ risk: 'recreate', says }] : [],
  };
}

/** Plans an existing object by its differences. If it was found by name, it may be a different object. */
export function planExisting(
  known: Known,
  plan: ObjectPlan,
  { id }: ResourceRow,
  fields: FieldComparison,
): ObjectPlan {
  const isAlike = foundOf(known, plan.address).state === 'alike';
  const others = [...fields.differences.map(({ field }) => field), ...fields.unverifiable];
  const says = `A ${plan.kind} of this name exists, and it may be a different one: it differs in ${others.join(', ')}.`;
  const risks = isAlike && others.length > 0 ? ([{ risk: 'adopt', says }] as const) : [];
  return { ...plan, ...fields, ...actionFor(fields, isAlike), id, risks };
}

/**
 * Compares the declared fields three ways: the files, the values that were last applied, and the values that the service
 * shows. Undeclared fields are not managed.
 */
export function compareFields(
  { state: lock, live, unverified: forUnverified }: Known,
  address: Address,
  fields: readonly (readonly [string, DeclaredField])[],
  shown: (field: string) => unknown,
): FieldComparison {
  const entry = objectAt(lock, address);
  const secrets = live.secrets.get(address);
  const differences: Difference[] = [];
  const unverifiable: string[] = [];
  const unverified: string[] = [];
  for (const [field, declared] of fields) {
    const [value, live] = [revealValue(declared.value), shown(field)];
    if (isSameValue(field, live, value)) continue;
    const state = secrets?.get(field);
    if (state === 'unverified' && forUnverified !== 'send') {
      unverified.push(field);
      continue;
    }
    // The files may contain a value in plain text that the service masks.
    const isRecorded = declared.isSecret || state === 'same';
    const moved = isRecorded ? moverOfSecret(state) : moverOf(field, declared, live, entry);
    if (moved !== undefined) differences.push(differenceOf(field, declared, live, moved, entry));
    else if (live === undefined || live === null) unverifiable.push(field);
  }
  return { differences, unverifiable, unverified };
}

function moverOfSecret(state: SecretState | undefined): Mover | undefined {
  if (state === 'same') return undefined;
  return state === 'files' || state === 'service' ? state : 'unknown';
}

/** Returns who changed a field, or undefined if it can't be compared and needn't be sent. */
function moverOf(
  field: string,
  { value }: DeclaredField,
  live: unknown,
  entry: ObjectEntry | undefined,
): Mover | undefined {
  const isShown = live !== undefined && live !== null;
  if (!entry || !Object.hasOwn(entry.applied, field)) return 'unknown';
  const kept = ownMember(entry.applied, field);
  // Earlier versions stored the hash of a text including its line endings.
  const isApplied = (one: unknown): boolean =>
    isRecordedValue(kept, comparable(field, one)) || isRecordedValue(kept, inOneOrder(field, one));
  const isAsApplied = isApplied(revealValue(value));
  if (!isShown) return isAsApplied ? undefined : 'files';
  if (isApplied(live)) return 'files';
  return isAsApplied ? 'service' : 'both';
}

function differenceOf(
  field: string,
  { value, isSecret }: DeclaredField,
  live: unknown,
  moved: Mover,
  entry: ObjectEntry | undefined,
): Difference {
  // A value that was applied as a secret stays masked, even if the files now contain plain text.
  const isHidden = isSecret || entry?.secret?.includes(field) === true;
  const from = isHidden && live !== undefined ? mask : withoutForeignSecrets(field, live, value);
  const wasMoved = moved === 'service' || moved === 'both';
  return {
    field,
    from,
    to: maskSecrets(value),
    moved,
    ...(wasMoved && {
      applied: withoutForeignSecrets(field, entry && ownMember(entry.applied, field), value),
    }),
  };
}

/** Returns a value with the mask in place of each secret. */
export function maskSecrets(value: DeclaredValue): unknown {
  return containsSecret(value) ? JSON.parse(JSON.stringify(value)) : value;
}

/** Masks secrets in actions that another person set. Secrets in the files stay readable: their author knows them. */
function withoutForeignSecrets(field: string, shown: unknown, declared: DeclaredValue): unknown {
  if (field !== 'actions') return shown;
  const written = secretsIn(declared);
  return replaceSecrets(shown, (secret) => (written.has(secret) ? secret : mask));
}
