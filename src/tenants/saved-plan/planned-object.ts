import * as z from 'zod/mini';
import { canonicalJson } from '../../lib/exact-json.ts';
import { ownMember } from '../../lib/json-object.ts';
import { toBot } from '../../resources/bots/bot.ts';
import { comparable, editableOf, isTexts } from '../../resources/bots/editable.ts';
import { mask, Secret } from '../../secrets/secret.ts';
import { replaceSecrets } from '../action-secrets.ts';
import type { DeclaredTenant } from '../declared-documents.ts';
import { type Address, type DeclaredField, revealValue, tenantKeyOf } from '../desired.ts';
import { foundRow, isReplaced, type ObjectPlan } from '../kinds/kind.ts';
import type { PlanResult } from '../make-plan.ts';
import { isOpen } from '../plan.ts';
import { recordOf, type SecretField, saltFor, secretRecord } from '../secret-records.ts';
import { objectAt, objectsIn, recordedValue, valueHash } from '../state-file.ts';

/** A planned object in a saved plan: its operations, and everything that they depend on. */
export const savedObject = z.strictObject({
  address: z.string(),
  kind: z.enum(['team', 'document', 'bot', 'device']),
  action: z.enum(['create', 'update', 'replace', 'adopt', 'delete', 'none']),
  reason: z.string(),
  name: z.string(),
  /** Undefined if the object does not exist yet. */
  id: z.optional(z.string()),
  /** The fields to change: see `recordedValue`. `from` is null if the service did not show the value. */
  fields: z.array(z.strictObject({ field: z.string(), from: z.unknown(), to: z.unknown() })),
  /** Hash of a bot as the service showed it, without its secrets. */
  shown: z.optional(z.string()),
  /** Fingerprints of the secret fields to send, and of the administrator of a new team. */
  secrets: z.optional(z.record(z.string(), secretRecord)),
  /** SHA-256 of the file of a document, in hexadecimal. */
  sha256: z.optional(z.string()),
  risks: z.array(z.string()),
  /** The ids of the objects that it needs; null for one to create or replace. */
  needs: z.record(z.string(), z.nullable(z.string())),
  /** The ids of replaced documents to rename. */
  retires: z.optional(z.array(z.string())),
});

export type SavedObject = z.infer<typeof savedObject>;

/** Returns whether a saved plan contains an object: it has an operation, is impossible, or is unknown. */
export function isSaved(object: ObjectPlan): boolean {
  return object.action !== 'none' || isOpen(object);
}

type Redact = (text: string) => string;

/** Returns a planned object for a saved plan, without the fingerprints of its secrets. */
export function savedObjectOf(result: PlanResult, planned: ObjectPlan, redact: Redact): SavedObject {
  const { address, kind, action, reason, name, id, differences, risks, retires } = planned;
  const tenant = tenantOf(result, address);
  const known = tenant && result.knownOf(tenant);
  const needs = planned.needs.map((needed) => {
    const row = known && !isReplaced(known, needed) ? foundRow(known, needed) : undefined;
    return [needed, row?.id ?? null] as const;
  });
  const shown = kind === 'bot' ? hashOfShown(result, address, redact) : undefined;
  const sha256 = result.live.files.get(address)?.planned?.file.sha256;
  const value = (field: string, one: unknown): unknown =>
    recordedValue(redacted(inOneOrder(field, one), redact));
  return {
    ...{ address, kind, action, reason, name: redact(name) },
    ...(id !== undefined && { id }),
    fields: differences.map(({ field, from, to }) => ({
      field,
      from: value(field, from),
      to: value(field, to),
    })),
    ...(shown !== undefined && { shown }),
    ...(sha256 !== undefined && { sha256 }),
    risks: [...new Set(risks.map(({ risk }) => risk))].sort(),
    needs: Object.fromEntries(needs),
    ...(retires && { retires: retires.documents.map((one) => one.id) }),
  };
}

/** Returns the hash of a bot as the service shows it, to detect changes of a bot that would be deleted. */
function hashOfShown(result: PlanResult, address: Address, redact: Redact): string | undefined {
  const row = result.live.found.get(address)?.row;
  if (!row) return undefined;
  const bot = toBot(row);
  const declared = fieldsOf(result, address);
  const applied = objectAt(result.state, address)?.secret ?? [];
  const isSecret = (field: string): boolean =>
    ownMember(declared, field)?.isSecret === true || applied.includes(field);
  const fields = Object.entries({ ...editableOf(bot), published: bot.published })
    .filter(([field]) => field === 'actions' || !isSecret(field))
    .map(([field, value]) => [
      field,
      inOneOrder(field, field === 'actions' ? replaceSecrets(value, () => mask) : value),
    ]);
  return valueHash(redacted(Object.fromEntries(fields), redact));
}

/** Returns a value in a canonical order, so that equal values have equal hashes. */
function inOneOrder(field: string, value: unknown): unknown {
  // Addresses and names of documents.
  if (field === 'documents' && isTexts(value)) return value.toSorted();
  return comparable(field, value) ?? null;
}

/** Masks known secrets: a hash of them is not allowed either. */
function redacted(value: unknown, redact: Redact): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, member: unknown) => (typeof member === 'string' ? redact(member) : member)),
  );
}

function tenantOf({ tenants }: PlanResult, address: Address): DeclaredTenant | undefined {
  return tenants.find(({ key }) => key === tenantKeyOf(address));
}

/** Returns the declared fields of a team or a bot. */
function fieldsOf(result: PlanResult, address: Address): Readonly<Record<string, DeclaredField>> {
  const tenant = tenantOf(result, address);
  const object = tenant?.address === address ? tenant : tenant?.bots.find((one) => one.address === address);
  return object?.fields ?? {};
}

/** Returns the fields to send that a saved plan can't contain: secret fields, and the administrator of a new team. */
export function secretFieldsOf(
  result: PlanResult,
  { address, kind, action, differences }: ObjectPlan,
): readonly SecretField[] {
  const tenant = tenantOf(result, address);
  const fields = fieldsOf(result, address);
  const secret = differences.flatMap(({ field: name }) => {
    const field = ownMember(fields, name);
    return field?.isSecret ? [{ name, value: field.value }] : [];
  });
  if (kind !== 'team' || action !== 'create' || !tenant?.administrator) return secret;
  const parts = Object.entries(tenant.administrator).map(([part, { value }]) => [part, revealValue(value)]);
  // Personal data gets a fingerprint, like a secret.
  const value = new Secret(canonicalJson(Object.fromEntries(parts)));
  return [...secret, { name: 'administrator', value }];
}

/** Returns a saved object with the fingerprints that show whether a secret changed. */
export async function withSecrets(
  result: PlanResult,
  object: SavedObject,
  fields: readonly SecretField[],
): Promise<SavedObject> {
  if (fields.length === 0) return object;
  const salt = saltFor(objectsIn(result.state));
  const records = fields.map(async (field) => [field.name, await recordOf(field, salt)] as const);
  return { ...object, secrets: Object.fromEntries(await Promise.all(records)) };
}
