import { hkdfSync } from 'node:crypto';

/**
 * The lifetime of each code of a connection: the first has a minute, five more 20 seconds
 * each. After the last one the connection ends.
 */
export const codeLifetimesMs: readonly number[] = [60_000, 20_000, 20_000, 20_000, 20_000, 20_000];

/** A connection waits this long to be paired. */
const pairingTimeMs = codeLifetimesMs.reduce((sum, life) => sum + life, 0);

/** The start of every code. The host is reserved (RFC 2606), so that no real app acts on it. */
export const codePrefix = 'https://sandbox.invalid/pair#';

/**
 * The number of the code that is valid at a moment, counted from 1; undefined before the first one and once
 * all are used up.
 * @param from when the first one is there
 */
export function codeNumberAt(from: Date, moment: Date): number | undefined {
  const age = moment.getTime() - from.getTime();
  if (age < 0) return undefined;
  let end = 0;
  for (const [index, life] of codeLifetimesMs.entries()) {
    end += life;
    if (age < end) return index + 1;
  }
  return undefined;
}

/** When the last code of a connection dies. */
export function codesEnd(from: Date): Date {
  return new Date(from.getTime() + pairingTimeMs);
}

/** Which code of which connection of which device. */
export interface CodeName {
  readonly deviceId: string;
  /** Number of connections of the device up to now. */
  readonly connection: number;
  /** 1 to 6. */
  readonly number: number;
}

/**
 * Returns the text of a code: 281 characters in the shape of a real app's link, `ref,key,key,key,platform`. The
 * keys stay for a connection; the ref is another one in every code. The next one can't be guessed
 * without the secret, and the same code can be made again after a restart.
 */
export function codePayload(secret: Uint8Array, { deviceId, connection, number }: CodeName): string {
  const ref = randomText(secret, `ref ${deviceId} ${connection} ${number}`, refLength);
  const keys = ['noise', 'identity', 'advertising'].map(
    (key) => `${randomText(secret, `${key} ${deviceId} ${connection}`, 43)}=`,
  );
  return `${codePrefix}2@${[ref, ...keys, '1'].join(',')}`;
}

const refLength = 113;

function randomText(secret: Uint8Array, purpose: string, length: number): string {
  const bytes = hkdfSync('sha256', secret, 'sandbox pairing codes', purpose, Math.ceil((length * 3) / 4));
  return Buffer.from(bytes).toString('base64url').slice(0, length);
}
