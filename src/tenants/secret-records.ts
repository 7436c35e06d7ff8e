import { createHmac, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import { canonicalJson } from '../lib/exact-json.ts';
import { isObject, ownMember } from '../lib/json-object.ts';
import { comparable } from '../resources/bots/editable.ts';
import { Secret } from '../secrets/secret.ts';
import { type DeclaredValue, revealValue } from './desired.ts';

/**
 * Fingerprints of a secret field, for files in version control: they show changes, and are slow to guess from. Each
 * secret text is stretched with scrypt before it gets into a fingerprint, so a guess costs as much as one run of that.
 */
export const secretRecord = z.strictObject({
  /** Of scrypt, in base64url. All records of a file share one, unless they come from merged branches. */
  salt: z.string(),
  /** Makes the fingerprints of equal secrets of two objects differ. */
  nonce: z.string(),
  /** Fingerprint of the value that was sent. */
  sent: z.string(),
  /** Fingerprint of the value that the service showed afterwards; null if it showed none, absent if it could not be read. */
  shown: z.optional(z.nullable(z.string())),
});

export type SecretRecord = z.infer<typeof secretRecord>;

/** A secret field as the files declare it. */
export interface SecretField {
  readonly name: string;
  readonly value: DeclaredValue;
}

/** Returns the record of a field that is sent, or assumed to have been sent, without the value that the service shows. */
export async function recordOf(field: SecretField, salt: string): Promise<SecretRecord> {
  const key = { salt, nonce: randomBytes(8).toString('base64url') };
  return { ...key, sent: await fingerprint(key, field, revealValue(field.value)) };
}

/** Returns a record with the value that the service shows: undefined or null if it shows none. */
export async function withShown(
  record: SecretRecord,
  field: SecretField,
  live: unknown,
): Promise<SecretRecord> {
  return { ...record, shown: isShown(live) ? await fingerprint(record, field, live) : null };
}

/** Returns whether the files still declare the value that was sent. */
export async function isSent(record: SecretRecord, field: SecretField): Promise<boolean> {
  return record.sent === (await fingerprint(record, field, revealValue(field.value)));
}

/** Returns whether the service shows the same value as after the write; also true if that could not be read. */
export async function isAsShown(record: SecretRecord, field: SecretField, live: unknown): Promise<boolean> {
  if (record.shown === undefined) return true;
  return record.shown === (isShown(live) ? await fingerprint(record, field, live) : null);
}

function isShown(live: unknown): boolean {
  return live !== undefined && live !== null;
}

/** An entry of a state file with its secret fields. */
interface WithSecrets {
  readonly secrets?: Readonly<Record<string, SecretRecord>> | undefined;
}

/** The salt for the first record of a file. */
let newSalt: string | undefined;

/** Returns the salt for a new record: that of the other records, so that each distinct secret is stretched once in a run. */
export function saltFor(others: Iterable<readonly [string, WithSecrets]>): string {
  for (const [, { secrets = {} }] of others) for (const { salt } of Object.values(secrets)) return salt;
  newSalt ??= randomBytes(16).toString('base64url');
  return newSalt;
}

async function fingerprint(
  { salt, nonce }: Pick<SecretRecord, 'salt' | 'nonce'>,
  { name, value: declared }: SecretField,
  value: unknown,
): Promise<string> {
  const open = comparable(name, withoutSecrets(declared));
  const text = canonicalJson(await stretchedIn(comparable(name, value), open, salt));
  return createHmac('sha256', nonce)
    .update(`${name}\0${text}`)
    .digest()
    .subarray(0, 16)
    .toString('base64url');
}

/**
 * Returns a value with its secret parts stretched: the secrets of the files, and all parts that the service
 * shows differently. Open parts are unchanged, since they may differ between objects, and stretching takes time.
 */
async function stretchedIn(value: unknown, open: unknown, salt: string): Promise<unknown> {
  if (Array.isArray(value))
    return Promise.all(
      value.map((item, at) => stretchedIn(item, Array.isArray(open) ? open[at] : undefined, salt)),
    );
  if (isObject(value)) {
    const members = Object.entries(value).map(
      async ([name, member]) =>
        [name, await stretchedIn(member, isObject(open) ? ownMember(open, name) : undefined, salt)] as const,
    );
    return Object.fromEntries(await Promise.all(members));
  }
  return value === open ? value : { scrypt: await stretched(canonicalJson(value), salt) };
}

function withoutSecrets(value: DeclaredValue): unknown {
  if (value instanceof Secret) return undefined;
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutSecrets(member)]));
}

/** 32 MiB and about 0.1 s for each distinct secret, and for each guess: acceptable for a job with forty secrets. */
const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };

const stretch = promisify<string, string, number, typeof cost, Buffer>(scrypt);

/** Stretched secrets of this run, by salt and text. */
const known = new Map<string, Promise<string>>();

function stretched(text: string, salt: string): Promise<string> {
  const name = `${salt} ${text}`;
  const before = known.get(name);
  if (before) return before;
  const promise = stretch(text, salt, 32, cost).then((key) => key.toString('base64url'));
  known.set(name, promise);
  return promise;
}
