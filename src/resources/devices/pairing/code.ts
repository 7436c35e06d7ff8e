import { createHash } from 'node:crypto';
import { Secret } from '../../../secrets/secret.ts';

/** A pairing code that was decoded from its picture. */
export interface ReadCode {
  readonly payload: Secret;
  /** Identifies the code without revealing it. */
  readonly fingerprint: string;
  /** The original picture, or one of the text that came in its place. */
  readonly picture: Buffer;
}

/** A picture without a readable code. */
export interface UnreadCode {
  /** Completes "the picture …": "is a JPEG, not a PNG". */
  readonly problem: string;
  /** The original picture, or undefined if its bytes can't be decoded. */
  readonly picture: Buffer | undefined;
}

/** A decoded code, or why it can't be read. */
export type Code = ReadCode | UnreadCode;

/** Returns whether the code could be read. */
export function isRead(code: Code): code is ReadCode {
  return 'payload' in code;
}

/**
 * Returns the code in a device status, or why it can't be read. The service sends its picture as a data URL or as
 * base64, or the text of the code itself. Never throws for a bad picture.
 */
export async function readCode(given: string): Promise<Code> {
  const [{ codeTextIn, readDataUrl }, { decodePng }, { UnreadablePicture }] = await Promise.all([
    import('../../../qr/data-url.ts'),
    import('../../../qr/decode.ts'),
    import('../../../qr/unreadable-picture.ts'),
  ]);
  const text = codeTextIn(given);
  if (text !== undefined) {
    const { writeCodePng } = await import('../../../qr/write-png.ts');
    return { payload: new Secret(text), fingerprint: fingerprintOf(text), picture: writeCodePng(text) };
  }
  let picture: Buffer | undefined;
  try {
    picture = readDataUrl(given.trim());
    const payload = decodePng(picture);
    return { payload: new Secret(payload), fingerprint: fingerprintOf(payload), picture };
  } catch (error) {
    if (!(error instanceof UnreadablePicture)) throw error;
    return { problem: error.message, picture };
  }
}

/** Digits of SHA-256 in a fingerprint. */
const fingerprintLength = 12;

function fingerprintOf(payload: string): string {
  return createHash('sha256').update(payload).digest('hex').slice(0, fingerprintLength);
}
