import { errors, jwtVerify, SignJWT } from 'jose';
import { tokenLifetimeSeconds } from '../contract/token.ts';

const algorithm = 'HS256';

/** Issues the access token of a key: a JWT (RFC 7519) that is valid for 24 hours. */
export async function issueToken(secret: Uint8Array, keyId: string, now: Date): Promise<string> {
  const issuedAt = Math.floor(now.getTime() / 1000);
  return new SignJWT()
    .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
    .setSubject(keyId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + tokenLifetimeSeconds)
    .sign(secret);
}

/** Returns the id of the key that an access token was issued to, or undefined if the token is not ours or has expired. */
export async function readToken(secret: Uint8Array, token: string, now: Date): Promise<string | undefined> {
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
