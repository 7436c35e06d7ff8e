import { isObject } from './json-object.ts';

/**
 * Returns the JSON of a value with the members of its objects in the order of their names, and with a text in the place of
 * each bigint: an integer of the service that a number can't hold.
 */
export function canonicalJson(value: unknown): string {
  return (
    JSON.stringify(value, (_, member: unknown) =>
      isObject(member)
        ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
        : typeof member === 'bigint'
          ? String(member)
          : member,
    ) ?? 'null'
  );
}
