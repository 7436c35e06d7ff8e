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

/**
 * Returns the id of the key that an access token was issued to, or undefined if the token is not one of
 * ours or has expired.
 */
export async function readToken(secret: TokenSecret, token: string, now: Date): Promise<string | undefined> {
  try {
    const { payload } = await jwtVerify(token, secret, {
      algorithms: [algorithm],
      requiredClaims: ['exp', 'sub'],
      currentDate: now,
    });
    return payload.sub;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}
