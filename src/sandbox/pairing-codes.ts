import { hkdfSync } from 'node:crypto';

/**
 * The lifetimes of the codes of a connection: a minute for the first, 20 seconds for each of five more. After the last
 * one the connection ends.
 */
export const codeLifetimesMs: readonly number[] = [60_000, 20_000, 20_000, 20_000, 20_000, 20_000];

/** Total time that a connection waits to be paired. */
const pairingTimeMs = codeLifetimesMs.reduce((sum, life) => sum + life, 0);

/** The prefix of every code. The host is reserved (RFC 2606), so that no real app acts on it. */
export const codePrefix = 'https://sandbox.invalid/pair#';

/**
 * Returns the number of the code that is valid at a moment, counted from 1; undefined before the first and after the
 * last.
 * @param from start of the first code
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

/** Returns the time when the last code of a connection expires. */
export function codesEnd(from: Date): Date {
  return new Date(from.getTime() + pairingTimeMs);
}

/** Identifies a code by device, connection and number. */
export interface CodeName {
  readonly deviceId: string;
  /** Number of connections of the device so far. */
  readonly connection: number;
  /** 1 to 6. */
  readonly number: number;
}

/**
 * Returns the text of a code: 281 characters in the form of a real app's link, `ref,key,key,key,platform`. The keys are
 * the same for a connection; the ref differs in every code. The next code can't be guessed without the secret, and a
 * code can be derived again after a restart.
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
