import { createHash } from 'node:crypto';

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/**
 * Returns true if a text is an id, which needs no lookup by name: ids are UUID strings (specification, convention 1).
 */
export function isId(text: string): boolean {
  return uuid.test(text);
}

/** Returns true if two ids are of the same object: the digits of UUIDs are case-insensitive. */
export function isSameId(one: string | undefined, other: string | undefined): boolean {
  if (one === other || one === undefined || other === undefined) return one === other;
  return isId(one) && one.toLowerCase() === other.toLowerCase();
}

/** Returns a UUID derived from the hash of a text: version 8, whose content RFC 9562 leaves to the implementation. */
export function digestId(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
