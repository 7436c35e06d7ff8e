import { createHmac, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import { canonicalJson } from '../lib/exact-json.ts';
import { isObject, ownMember } from '../lib/json-object.ts';
import { comparable } from '../resources/bots/editable.ts';
import { Secret } from '../secrets/secret.ts';
import { type DeclaredValue, revealValue } from './desired.ts';

/**
 * Fingerprints of a secret field, for files that people keep in git: enough to notice a change, and slow to guess from. Each
 * secret text goes through scrypt before it gets into a fingerprint, so a guess costs as much as one run of that.
 */
export const secretRecord = z.strictObject({
  /** Of scrypt, in base64url. One for all records of a file, where one botctl wrote them; those of merged branches may differ. */
  salt: z.string(),
  /** Keeps equal secrets of two objects from looking equal. */
  nonce: z.string(),
  /** Fingerprint of the value that was sent. */
  sent: z.string(),
  /** Fingerprint of what the service showed afterwards; null if it showed nothing, absent if it could not be read. */
  shown: z.optional(z.nullable(z.string())),
});

export type SecretRecord = z.infer<typeof secretRecord>;

/** A secret field as the files declare it. */
export interface SecretField {
  readonly name: string;
  readonly value: DeclaredValue;
}

/** Returns the record of a field that is sent, or assumed to have been sent. What the service shows of it is still to be added. */
export async function recordOf(field: SecretField, salt: string): Promise<SecretRecord> {
  const key = { salt, nonce: randomBytes(8).toString('base64url') };
  return { ...key, sent: await fingerprint(key, field, revealValue(field.value)) };
}

/** Returns a record with what the service shows of the field: undefined or null if it shows nothing. */
export async function withShown(
  record: SecretRecord,
  field: SecretField,
  live: unknown,
): Promise<SecretRecord> {
  return { ...record, shown: isShown(live) ? await fingerprint(record, field, live) : null };
}

/** True if the files still declare the value that was sent. */
export async function isSent(record: SecretRecord, field: SecretField): Promise<boolean> {
  return record.sent === (await fingerprint(record, field, revealValue(field.value)));
}

/** True if the service shows what it showed after the value was sent; also if that could not be read then. */
export async function isAsShown(record: SecretRecord, field: SecretField, live: unknown): Promise<boolean> {
  if (record.shown === undefined) return true;
  return record.shown === (isShown(live) ? await fingerprint(record, field, live) : null);
}

function isShown(live: unknown): boolean {
  return live !== undefined && live !== null;
}

/** An entry of a state file, as far as it has secret fields. */
interface WithSecrets {
  readonly secrets?: Readonly<Record<string, SecretRecord>> | undefined;
}

/** The salt of records that are the first of their file. */
let newSalt: string | undefined;

/** Returns the salt that a new record gets beside others, so that each distinct secret is stretched once in a run. */
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
 * Returns a value with each part stretched that is not openly in the files: a secret of the files, and all that the service
 * shows otherwise than they say. What is open stays, since it may differ from object to object, and stretching takes time.
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

/** 32 MiB and about 0.1 s for each distinct secret, and for each guess: what a job with forty secrets can still wait for. */
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
