import { createHash } from 'node:crypto';
import { Secret } from '../../../secrets/secret.ts';

/** A pairing code that was read from its picture. */
export interface ReadCode {
  readonly payload: Secret;
  /** Tells codes apart without giving one away. */
  readonly fingerprint: string;
  /** The picture as it came, or one of the text that came in its place. */
  readonly picture: Buffer;
}

/** A picture that no code could be read from. */
export interface UnreadCode {
  /** Completes "the picture …": "is a JPEG, not a PNG". */
  readonly problem: string;
  /** The picture as it came, or undefined if not even its bytes could be told. */
  readonly picture: Buffer | undefined;
}

/** The code in a picture, or why there is none. */
export type Code = ReadCode | UnreadCode;

/** True if the code could be read. */
export function isRead(code: Code): code is ReadCode {
  return 'payload' in code;
}

/**
 * Returns the code in a device status, or why none can be read. The service gives its picture, as a data URL or in base64
 * alone, or the text of the code itself. Never throws for a bad picture.
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

/** Digits of SHA-256 that tell codes apart. */
const fingerprintLength = 12;

function fingerprintOf(payload: string): string {
  return createHash('sha256').update(payload).digest('hex').slice(0, fingerprintLength);
}
