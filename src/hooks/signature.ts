import { createHmac } from 'node:crypto';
import type { Secret } from '../secrets/secret.ts';

/**
 * Returns the header by which a receiver checks who sent a body, and that it is no copy of an old one: HMAC-SHA256 of
 * `timestamp.body` in hexadecimal.
 * @param now milliseconds since 1970
 */
export function signatureOf(body: string, secret: Secret, now: number): string {
  const timestamp = Math.floor(now / 1000);
  const digest = createHmac('sha256', secret.reveal()).update(`${timestamp}.${body}`).digest('hex');
  return `t=${timestamp},v1=${digest}`;
}
