import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../files/error-code.ts';
import { makePrivateDirectory, writePrivateFile } from '../files/private-file.ts';
import { isObject } from '../json-object.ts';
import { Secret } from '../secret.ts';
import { originOf } from './base-url.ts';
import { readIfThere, unlessFailing, withLock } from './files.ts';

/** What a token is kept for: profile name (or none), origin and key id. */
export interface TokenOwner {
  readonly profile: string | undefined;
  readonly baseUrl: string;
  readonly keyId: string;
}

/** A cached access token. */
export interface CachedToken {
  readonly token: Secret;
  /** Milliseconds since 1970, by this machine's clock. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** Access tokens that outlive a process. Where nothing can be written it remembers nothing. */
export interface TokenCache {
  /** The token kept for an owner; undefined where there is none or it has expired. */
  read(owner: TokenOwner): CachedToken | undefined;
  write(owner: TokenOwner, token: CachedToken): Promise<void>;
  remove(owner: TokenOwner): Promise<void>;
  /**
   * Does work while no other process does the same for this credential (origin and key id), so that many
   * that start at once exchange one token. At once where no lock can be had, and after half a minute in any case.
   * @throws the signal's reason, and whatever the work throws
   */
  exclusively<T>(owner: TokenOwner, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** Milliseconds to wait for another process's exchange: as long as a request may take. */
const lockTimeout = 30_000;

/**
 * A file for each owner, replaced as a whole: processes that write at the same time leave one token or
 * the other, and both are good. All files of a credential (origin and key id) start with the same hash.
 */
export function createTokenCache(cacheDirectory: string, now: () => number = Date.now): TokenCache {
  const directory = join(cacheDirectory, 'tokens');
  const fileOf = (owner: TokenOwner): string => join(directory, fileName(owner));
  return {
    read(owner) {
      const cached = parseToken(
        unlessFailing(() => readIfThere(fileOf(owner))),
        owner,
      );
      return cached && cached.expiresAt > now() ? cached : undefined;
    },
    async write(owner, token) {
      try {
        writePrivateFile(fileOf(owner), storedForm(owner, token));
      } catch (error) {
        if (errorCode(error) === undefined) throw error;
      }
    },
    async remove(owner) {
      unlessFailing(() => rmSync(fileOf(owner), { force: true }));
    },
    async exclusively(owner, work, signal) {
      unlessFailing(() => makePrivateDirectory(directory));
      const file = join(directory, `${credentialHash(owner)}.lock`);
      return withLock(file, { timeout: lockTimeout, signal }, work);
    },
  };
}

function storedForm(owner: TokenOwner, { token, issuedAt, expiresAt }: CachedToken): string {
  const stored = {
    profile: owner.profile,
    origin: originOf(owner.baseUrl),
    key_id: owner.keyId,
    access_token: token.reveal(),
    issued_at: issuedAt,
    expires_at: expiresAt,
  };
  return `${JSON.stringify(stored)}\n`;
}

function fileName(owner: TokenOwner): string {
  const { profile } = owner;
  return `${credentialHash(owner)}-${profile === undefined ? 'environment' : hash(profile)}.json`;
}

function credentialHash({ baseUrl, keyId }: TokenOwner): string {
  return hash(`${originOf(baseUrl)}\n${keyId}`);
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

function parseToken(text: string | undefined, owner: TokenOwner): CachedToken | undefined {
  const value: unknown = text === undefined ? undefined : unlessFailing(() => JSON.parse(text));
  if (!isObject(value)) return undefined;
  const { access_token: token, issued_at: issuedAt, expires_at: expiresAt } = value;
  const isOwned =
    value.origin === originOf(owner.baseUrl) &&
    value.key_id === owner.keyId &&
    value.profile === owner.profile;
  if (!isOwned || typeof token !== 'string' || token === '') return undefined;
  if (typeof issuedAt !== 'number' || typeof expiresAt !== 'number') return undefined;
  return { token: new Secret(token), issuedAt, expiresAt };
}
