import { createHash } from 'node:crypto';

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** True if a text is an identifier, which is taken as it is: they are UUID strings (specification, convention 1). */
export function isId(text: string): boolean {
  return uuid.test(text);
}

/** True if two ids are those of one thing: UUIDs mean the same in either case of their digits. */
export function isSameId(one: string | undefined, other: string | undefined): boolean {
  if (one === other || one === undefined || other === undefined) return one === other;
  return isId(one) && one.toLowerCase() === other.toLowerCase();
}

/** Returns a UUID that is made of the digest of a text: version 8, which RFC 9562 leaves to the one who makes it. */
export function digestId(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
