import { createHash } from 'node:crypto';

/** Gives bytes to make ids of: other ones at each call. */
export type Bytes = (count: number) => Uint8Array;

/** Bytes that one name gives, in all. */
const inAll = 64;

/**
 * Returns what gives bytes by a name: the same ones for the same seed and name, 64 in all, and as good as random ones for
 * another seed or name.
 * @param seed any text; texts that look alike and have other code points are other seeds
 */
export function bytesFrom(seed: string): (name: string) => Bytes {
  // As JSON, which writes half a surrogate pair as well; UTF-8 has one form for all of those.
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
