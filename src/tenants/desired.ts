import type { BodyOf } from '../contract/endpoints.ts';
import type { quotaNames } from '../contract/teams.ts';
import { isObject } from '../lib/json-object.ts';
import { Secret } from '../secrets/secret.ts';

/** The declarations of the files of tenants: read, expanded and checked, without data from the service. */

/** The kinds of object in a tenant besides its team, as they appear in addresses. */
export const objectKinds = ['documents', 'bots', 'devices'] as const;
export type ObjectKind = (typeof objectKinds)[number];

/** The name of an object of the files: `aurora` for a team, `aurora/bots/front-desk` for one of its bots. */
export type Address = string;

/** Returns the address of an object of a tenant. */
export function addressOf(tenant: string, kind: ObjectKind, key: string): Address {
  return `${tenant}/${kind}/${key}`;
}

/** Returns the tenant's key in an address. */
export function tenantKeyOf(address: Address): string {
  return address.split('/')[0] ?? '';
}

/** Returns the parent of an address: `aurora/bots` for a bot, and an empty text for a team. */
export function parentOf(address: Address): string {
  return address.split('/').slice(0, -1).join('/');
}

/** Returns whether an address is another one, or below it. */
export function isWithin(address: Address, other: Address): boolean {
  return address === other || address.startsWith(`${other}/`);
}

/** A position in a file; lines and columns count from 1. */
export interface Place {
  /** The path for messages: below the current directory, or as it was typed. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** `tenants/aurora.yaml:4:7`. */
export function placeWords({ file, line, column }: Place): string {
  return `${file}:${line}:${column}`;
}

/** A value of the files: JSON, with a `Secret` in place of each text from `${env:…}` or `${file:…}`. */
export type DeclaredValue =
  | string
  | number
  | boolean
  | null
  | Secret
  | readonly DeclaredValue[]
  | { readonly [member: string]: DeclaredValue };

/** The value of a declared field. Undeclared fields are not managed. */
export interface DeclaredField {
  readonly value: DeclaredValue;
  readonly place: Place;
  /** True if the value contains a secret. Every output masks it, and only its fingerprint is stored. */
  readonly isSecret: boolean;
}

/** The declared fields by their names in the API. */
export type DeclaredFields<Name extends string> = Readonly<Partial<Record<Name, DeclaredField>>>;

type QuotaName = (typeof quotaNames)[number];

/** A field of a team; each quota is a field of its own: `quotas.bots`. */
export type TeamField = Exclude<keyof BodyOf<'updateTeam'>, 'quotas'> | `quotas.${QuotaName}`;

/** The fields of a team besides its quotas. */
export const teamFields = ['name', 'plan_name', 'paying', 'banned'] as const satisfies readonly TeamField[];

/** A field of a bot. Its documents are separate, by key. */
export type BotField = Exclude<keyof BodyOf<'updateBot'>, 'document_ids'>;

/** The administrator that is created with a team. The service never shows it, so it is never compared. */
export interface Administrator {
  readonly name: DeclaredField;
  readonly email: DeclaredField;
  /** E.164 with the leading plus. */
  readonly phone: DeclaredField;
}

/** A tenant: a team with its documents, bots and devices. */
export interface DesiredTenant {
  readonly key: string;
  readonly address: Address;
  readonly place: Place;
  /** Always includes `name`, which is never secret. */
  readonly fields: DeclaredFields<TeamField> & { readonly name: DeclaredField };
  /** Required only to create the team, as `plan_name` is. */
  readonly administrator?: Administrator | undefined;
  readonly documents: readonly DesiredDocument[];
  readonly bots: readonly DesiredBot[];
  readonly devices: readonly DesiredDevice[];
}

/** The source of the documents of one key. Paths are resolved on this machine. */
export type DocumentSource =
  | { readonly kind: 'file'; readonly path: string }
  /** The files that match a pattern, sorted by name; at least one. */
  | { readonly kind: 'files'; readonly pattern: string; readonly paths: readonly string[] }
  | { readonly kind: 'folder'; readonly path: string }
  /** A document of the team that is attached and never uploaded, by name or id. */
  | { readonly kind: 'existing'; readonly name: string };

/** The documents of one key: one, or those of a pattern or a folder. */
export interface DesiredDocument {
  readonly key: string;
  readonly address: Address;
  readonly place: Place;
  readonly source: DocumentSource;
}

export interface DesiredBot {
  readonly key: string;
  readonly address: Address;
  readonly place: Place;
  /**
   * Always includes `name`, which is never secret. `instructions` contains the text of an `instructions_file`. Revealed,
   * they are a bot that passes `checkBot`, in the shape of `writtenShape`.
   */
  readonly fields: DeclaredFields<BotField> & { readonly name: DeclaredField };
  /** Keys of existing documents of the tenant; undefined if the files don't manage the documents of the bot. */
  readonly documents?: { readonly keys: readonly string[]; readonly place: Place } | undefined;
}

export interface DesiredDevice {
  readonly key: string;
  readonly address: Address;
  readonly place: Place;
  readonly name: DeclaredField;
  /** Key of an existing bot of the tenant. */
  readonly bot: string;
}

/**
 * A changed key: the object at `to` was declared at `from`, where the files declare nothing now. Both are of one kind and one
 * tenant. If the tenant moved too, `from` begins with the tenant's new key.
 */
export interface Move {
  readonly from: Address;
  readonly to: Address;
  readonly place: Place;
}

/** A file that was read for the tenants, except for those with secrets, whose hashes are not stored. */
export interface SourceFile {
  readonly path: string;
  /** SHA-256 of its text, in hexadecimal. */
  readonly sha256: string;
}

/** Everything that the files declare. */
export interface Desired {
  /** Sorted by key. */
  readonly tenants: readonly DesiredTenant[];
  readonly moved: readonly Move[];
  /** The tenants' files, their variables, and the texts that they name, without documents. */
  readonly files: readonly SourceFile[];
}

/** Returns the address of a tenant, and of everything in it. */
export function addressesOf({ address, documents, bots, devices }: DesiredTenant): readonly Address[] {
  return [address, ...[...documents, ...bots, ...devices].map((object) => object.address)];
}

/** Returns the text of a field, such as a name. */
export function fieldText({ value }: DeclaredField): string {
  return String(revealValue(value));
}

/** Returns the declared quota of a tenant. */
export function quotaOf({ fields }: Pick<DesiredTenant, 'fields'>, name: QuotaName): number | undefined {
  const field = fields[`quotas.${name}`];
  return field && Number(revealValue(field.value));
}

/** Returns a value with its secrets revealed, to send or compare it. */
export function revealValue(value: DeclaredValue): unknown {
  if (value instanceof Secret) return value.reveal();
  if (isList(value)) return value.map(revealValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, revealValue(member)]));
}

/** Returns whether a value contains a secret. */
export function containsSecret(value: DeclaredValue): boolean {
  if (value instanceof Secret) return true;
  if (isList(value)) return value.some(containsSecret);
  return typeof value === 'object' && value !== null && Object.values(value).some(containsSecret);
}

/** Returns data as a value of the files; values that no file can hold become null. */
export function declaredValue(value: unknown): DeclaredValue {
  if (Array.isArray(value)) return value.map(declaredValue);
  if (value instanceof Secret || typeof value === 'string' || typeof value === 'number') return value;
  if (typeof value === 'boolean') return value;
  if (!isObject(value)) return null;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, declaredValue(member)]));
}

/** `Array.isArray` doesn't narrow read-only arrays. */
function isList(value: DeclaredValue): value is readonly DeclaredValue[] {
  return Array.isArray(value);
}
