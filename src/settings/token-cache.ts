import { createHmac } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../lib/errors.ts';
import { writeFileAtomically } from '../lib/files/atomic-write.ts';
import { withLock } from '../lib/files/lock.ts';
import { makePrivateDirectory } from '../lib/files/private-file.ts';
import { isObject, parseJson } from '../lib/json-object.ts';
import { Secret } from '../secrets/secret.ts';
import { originOf } from './base-url.ts';
import { fileHash, ignoreErrors, readIfExists } from './small-files.ts';

/** The key of a cached token: profile name (or none), origin and key id. */
export interface TokenOwner {
  readonly profile: string | undefined;
  readonly baseUrl: string;
  readonly keyId: string;
}

/** The credential with which a token was obtained. A wrong or newer secret must not use the token of another one. */
export interface TokenCredential extends TokenOwner {
  readonly keySecret: Secret;
}

/** A cached access token. */
export interface CachedToken {
  readonly token: Secret;
  /** Milliseconds since 1970, by this machine's clock. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** A cache of access tokens on disk. If it can't be written, it stores nothing. */
export type TokenCache = ReturnType<typeof createTokenCache>;

/** The latest time of a Date, in milliseconds since 1970 (ECMA-262, 21.4.1.1). */
const latestTimeMs = 8.64e15;

/** How long to wait for another process's token request, in milliseconds: as long as a request may take. */
const lockTimeoutMs = 30_000;

/**
 * Opens the cache: a file for each owner, replaced atomically. If processes write concurrently, one of their tokens
 * remains, and all are valid. The file names of a credential (origin and key id) start with the same hash.
 */
export function createTokenCache(cacheDirectory: string, now: () => number = Date.now) {
  const directory = join(cacheDirectory, 'tokens');
  const fileOf = (owner: TokenOwner): string => {
    const { profile } = owner;
    const ofProfile = profile === undefined ? 'environment' : fileHash(profile);
    return join(directory, `${credentialHash(owner)}-${ofProfile}.json`);
  };
  // Earlier versions stored the responses of `doctor --learn` for a day, encrypted, and removed them only in a later
  // run of it.
  const removeLearnedAnswers = (): void =>
    ignoreErrors(() => rmSync(join(cacheDirectory, 'learned'), { recursive: true, force: true }));
  return {
    /** Returns the token obtained with a credential, or undefined if there is none or it has expired. */
    read(credential: TokenCredential): CachedToken | undefined {
      const cached = parseToken(
        ignoreErrors(() => readIfExists(fileOf(credential))),
        credential,
      );
      return cached && cached.expiresAt > now() ? cached : undefined;
    },
    async write(credential: TokenCredential, token: CachedToken): Promise<void> {
      removeLearnedAnswers();
      try {
        makePrivateDirectory(directory);
        writeFileAtomically(fileOf(credential), storedForm(credential, token));
      } catch (error) {
        if (errorCode(error) === undefined) throw error;
      }
    },
    async remove(owner: TokenOwner): Promise<void> {
      removeLearnedAnswers();
      ignoreErrors(() => rmSync(fileOf(owner), { force: true }));
    },
    /**
     * Runs a function while holding the lock of this credential (origin and key id), so that concurrent processes
     * request one token. It runs at once if the lock can't be created, and after half a minute in any case.
     * @throws the signal's reason, and any error of the function
     */
    async exclusively<T>(owner: TokenOwner, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
      ignoreErrors(() => makePrivateDirectory(directory));
      const file = join(directory, `${credentialHash(owner)}.lock`);
      return withLock(file, { timeout: lockTimeoutMs, signal }, work);
    },
  };
}

function storedForm(credential: TokenCredential, { token, issuedAt, expiresAt }: CachedToken): string {
  const { profile, baseUrl, keyId, keySecret } = credential;
  const stored = {
    profile,
    origin: originOf(baseUrl),
    key_id: keyId,
    secret_mark: secretDigest(keySecret, token.reveal()),
    access_token: token.reveal(),
    issued_at: issuedAt,
    expires_at: expiresAt,
  };
  return `${JSON.stringify(stored)}\n`;
}

/**
 * Returns a digest that shows whether a token was obtained with a secret, and reveals nothing else about the secret.
 */
function secretDigest(secret: Secret, token: string): string {
  return createHmac('sha256', token).update(secret.reveal()).digest('hex');
}

function credentialHash({ baseUrl, keyId }: TokenOwner): string {
  return fileHash(`${originOf(baseUrl)}\n${keyId}`);
}

function parseToken(text: string | undefined, credential: TokenCredential): CachedToken | undefined {
  const value = parseJson(text ?? '');
  if (!isObject(value)) return undefined;
  const { access_token: token, issued_at: issuedAt, expires_at: expiresAt } = value;
  const isOwned =
    value.origin === originOf(credential.baseUrl) &&
    value.key_id === credential.keyId &&
    value.profile === credential.profile;
  if (!isOwned || typeof token !== 'string' || token === '') return undefined;
  if (value.secret_mark !== secretDigest(credential.keySecret, token)) return undefined;
  if (typeof issuedAt !== 'number' || typeof expiresAt !== 'number') return undefined;
  return { token: new Secret(token), issuedAt, expiresAt: Math.min(expiresAt, latestTimeMs) };
}
