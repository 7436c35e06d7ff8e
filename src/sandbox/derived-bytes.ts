import { createHash } from 'node:crypto';

/** Returns bytes to derive ids from, different ones at each call. */
export type Bytes = (count: number) => Uint8Array;

/** Total number of bytes per name. */
const inAll = 64;

/**
 * Returns a deterministic generator of bytes by name: the same seed and name yield the same 64 bytes; another seed or
 * name yields unrelated ones.
 * @param seed any text; texts that look alike but have different code points are different seeds
 */
export function bytesFrom(seed: string): (name: string) => Bytes {
  // JSON also encodes lone surrogates, which UTF-8 would all replace by the same character.
  const key = createHash('sha256').update(JSON.stringify(seed)).digest();
  return (name) => {
    const bytes = createHash('sha512').update(key).update(name).digest();
    let given = 0;
    return (count) => {
      if (given + count > inAll) throw new RangeError(`${name} has no more than ${inAll} bytes`);
      given += count;
      return bytes.subarray(given - count, given);
    };
  };
}

/** Returns a UUID in the form of a random one, version 4 (RFC 9562, 5.4). */
export function uuidFrom(bytes: Bytes): string {
  const value = Buffer.from(bytes(16));
  value.writeUInt8((value.readUInt8(6) & 0x0f) | 0x40, 6);
  value.writeUInt8((value.readUInt8(8) & 0x3f) | 0x80, 8);
  return value.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
