import * as z from 'zod/mini';
import { own } from '../../lib/json-object.ts';
import { comparable, isTexts } from '../../resources/bots/editable.ts';
import type { DeclaredTenant } from '../declared-documents.ts';
import type { Address, DeclaredField } from '../desired.ts';
import { shownDocuments } from '../kinds/bot.ts';
import { type Difference, isReplaced, type ObjectPlan, rowFound } from '../kinds/kind.ts';
import type { MadePlan } from '../make-plan.ts';
import { recordOf, type SecretField, type SecretRecord, saltFor, secretRecord } from '../secret-records.ts';
import { keptValue, objectsIn } from '../state-file.ts';

/** A field that is to be changed, as a kept plan has it: see `keptValue`. */
const fieldSchema = z.strictObject({
  field: z.string(),
  /** As the service showed it; null where it showed nothing. */
  from: z.unknown(),
  to: z.unknown(),
});

/** What a kept plan does about an object, and by what the object is known again. */
export const keptSchema = z.strictObject({
  address: z.string(),
  kind: z.enum(['team', 'document', 'bot', 'device']),
  action: z.enum(['create', 'update', 'replace', 'adopt', 'delete']),
  reason: z.string(),
  name: z.string(),
  /** None of what isn't there yet, or is to be replaced. */
  id: z.optional(z.string()),
  fields: z.array(fieldSchema),
  /** What is sent too, and is not kept: secret fields, and who administers a new team. */
  hidden: z.optional(z.array(z.string())),
  /** By which it is noticed that a secret among them has another value. */
  secrets: z.optional(z.record(z.string(), secretRecord)),
  /** SHA-256 of the file of a document, in hexadecimal. */
  sha256: z.optional(z.string()),
  risks: z.array(z.strictObject({ risk: z.string(), says: z.string() })),
  /** The ids of those objects that it needs and that are there. */
  needs: z.record(z.string(), z.string()),
  /** The ids of documents that get another name, since another one took their place. */
  retires: z.optional(z.array(z.string())),
});

/** The same of any object, also where nothing is to be done. */
export type KeptObject = Omit<KeptOperation, 'action'> & { readonly action: ObjectPlan['action'] };

export type KeptOperation = z.infer<typeof keptSchema>;

export type KeptField = KeptOperation['fields'][number];

/** Returns an object of a plan as it is kept. */
export function keptObject(
  made: MadePlan,
  planned: ObjectPlan,
  redact: (text: string) => string,
): KeptObject {
  const { address, kind, action, reason, id, risks, retires } = planned;
  const tenant = tenantOf(made, address);
  const known = tenant && made.knownOf(tenant);
  const needs = planned.needs.flatMap((needed) => {
    // What is to be replaced gets its id as what is to be made does.
    const row = known && !isReplaced(known, needed) ? rowFound(known, needed) : undefined;
    return row ? [[needed, row.id] as const] : [];
  });
  const hidden = tenant ? hiddenOf(tenant, planned) : [];
  const sha256 = made.live.files.get(address)?.planned?.file.sha256;
  return {
    ...{ address, kind, action, reason, name: redact(planned.name) },
    ...(id !== undefined && action !== 'replace' && { id }),
    fields: planned.differences.map((difference) => {
      const bot =
        difference.field === 'documents' ? tenant?.bots.find((one) => one.address === address) : undefined;
      // What their ids are called changes while documents are made.
      const from = known && bot ? shownDocuments(known, bot) : difference.from;
      return keptField({ ...difference, from }, redact);
    }),
    ...(hidden.length > 0 && { hidden }),
    ...(sha256 !== undefined && { sha256 }),
    risks: risks.map(({ risk, says }) => ({ risk, says: redact(says) })),
    needs: Object.fromEntries(needs),
    ...(retires && { retires: retires.documents.map((one) => one.id) }),
  };
}

/** Returns a difference as it is kept. */
export function keptField(
  { field, from, to }: Pick<Difference, 'field' | 'from' | 'to'>,
  redact: (text: string) => string,
): KeptField {
  const kept = (value: unknown): unknown => keptValue(redacted(inOneOrder(field, value), redact));
  return { field, from: kept(from), to: kept(to) };
}

/** Returns a value in the one form that all have which say the same. */
function inOneOrder(field: string, value: unknown): unknown {
  // Of documents there are addresses and names here.
  if (field === 'documents' && isTexts(value)) return value.toSorted();
  return comparable(field, value) ?? null;
}

/** Masks what is known as a secret: no hash may be made of it either. */
function redacted(value: unknown, redact: (text: string) => string): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, member: unknown) => (typeof member === 'string' ? redact(member) : member)),
  );
}

/** Returns the tenant that an object is of; undefined where the files don't declare it. */
export function tenantOf({ tenants }: MadePlan, address: Address): DeclaredTenant | undefined {
  const [key] = address.split('/');
  return tenants.find((tenant) => tenant.key === key);
}

/** Returns the secret parts of a hidden field as the files declare them; undefined where there are none. */
export function secretPartOf(made: MadePlan, address: Address, name: string): SecretField | undefined {
  const tenant = tenantOf(made, address);
  if (tenant && name === 'administrator') {
    const parts = Object.entries(tenant.administrator ?? {}).filter(([, { isSecret }]) => isSecret);
    const value = Object.fromEntries(parts.map(([part, field]) => [part, field.value]));
    return parts.length > 0 ? { name, value } : undefined;
  }
  const fields: Readonly<Record<string, DeclaredField>> =
    tenant?.bots.find((one) => one.address === address)?.fields ?? {};
  const field = own(fields, name);
  return field?.isSecret ? { name, value: field.value } : undefined;
}

/** Returns an operation with what is needed to notice that a secret of it has another value. */
export async function withSecrets(made: MadePlan, operation: KeptOperation): Promise<KeptOperation> {
  const salt = saltFor(objectsIn(made.lock).map(([, { secrets }]) => secrets));
  const secrets: (readonly [name: string, record: SecretRecord])[] = [];
  for (const name of operation.hidden ?? []) {
    const field = secretPartOf(made, operation.address, name);
    if (field) secrets.push([name, await recordOf(field, salt)]);
  }
  return secrets.length > 0 ? { ...operation, secrets: Object.fromEntries(secrets) } : operation;
}

function hiddenOf(tenant: DeclaredTenant, { address, kind, action, differences }: ObjectPlan): string[] {
  const bot = tenant.bots.find((one) => one.address === address);
  const fields: Readonly<Record<string, DeclaredField>> = bot?.fields ?? tenant.fields;
  const isNewTeam = kind === 'team' && action === 'create';
  const isDeclared = kind === 'team' || kind === 'bot';
  const secret = differences.filter(({ field }) => isDeclared && own(fields, field)?.isSecret);
  return [...secret.map(({ field }) => field), ...(isNewTeam ? ['administrator'] : [])];
}
