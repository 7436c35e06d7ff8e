import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Secret } from './secret.ts';

/** The purpose of sealed data. Data sealed for one purpose can't be unsealed for another. */
type Purpose = 'botctl key rotation';

/** Encrypts a text with AES-256-GCM, under a key that HKDF (RFC 5869) derives from a secret. */
export function sealText(text: string, under: Secret, purpose: Purpose): string {
  const salt = randomBytes(16);
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', sealingKey(under, salt, purpose), iv);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([salt, iv, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** Decrypts a sealed text; returns undefined if the secret is a different one or the data was modified. */
export function unsealText(sealed: string, under: Secret, purpose: Purpose): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  try {
    const key = sealingKey(under, bytes.subarray(0, 16), purpose);
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(16, 28), { authTagLength: 16 });
    decipher.setAuthTag(bytes.subarray(28, 44));
    return Buffer.concat([decipher.update(bytes.subarray(44)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

function sealingKey(under: Secret, salt: Buffer, purpose: Purpose): Buffer {
  return Buffer.from(hkdfSync('sha256', under.reveal(), salt, purpose, 32));
}
