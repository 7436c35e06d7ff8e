import { webcrypto } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { tokenLifetimeSeconds } from '../contract/token.ts';

const algorithm = 'HS256';

/** What access tokens are signed and checked with. */
export type TokenSecret = webcrypto.CryptoKey;

/** Takes the bytes of a secret in once: a call that is given the bytes themselves takes twice as long. */
export function tokenSecretOf(bytes: Uint8Array): Promise<TokenSecret> {
  return webcrypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ]);
}

/** Makes the access token of a key: a JWT (RFC 7519) that lasts 24 hours from a moment. */
export async function issueToken(secret: TokenSecret, keyId: string, now: Date): Promise<string> {
  const issuedAt = Math.floor(now.getTime() / 1000);
  return new SignJWT()
    .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
    .setSubject(keyId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + tokenLifetimeSeconds)
    .sign(secret);
}

/** What a token says whose signature was found right. */
interface Claims {
  readonly keyId: string;
  /** When it ends, in seconds since 1970. */
  readonly end: number;
}

/**
 * Tokens by the secret that signed them: callers come with the same one each time, and to check its signature takes a tenth
 * of what else a request takes.
 */
const checked = new WeakMap<TokenSecret, Map<string, Claims>>();

/** Tokens that are remembered of a secret. */
const mostChecked = 1000;

/**
 * Returns the id of the key that an access token was issued to, or undefined if the token is not one of
 * ours or has expired.
 */
export async function readToken(secret: TokenSecret, token: string, now: Date): Promise<string | undefined> {
  const known = checked.get(secret) ?? new Map<string, Claims>();
  checked.set(secret, known);
  const claims = known.get(token);
  if (claims) return claims.end > Math.floor(now.getTime() / 1000) ? claims.keyId : undefined;
  try {
    const { payload } = await jwtVerify(token, secret, {
      algorithms: [algorithm],
      requiredClaims: ['exp', 'sub'],
      currentDate: now,
    });
    const { sub: keyId, exp: end } = payload;
    if (keyId === undefined || end === undefined) return undefined;
    const [oldest] = known.keys();
    if (known.size >= mostChecked && oldest !== undefined) known.delete(oldest);
    known.set(token, { keyId, end });
    return keyId;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}
