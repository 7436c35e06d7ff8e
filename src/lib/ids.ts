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
