/** A JSON object with unvalidated members. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns true if a value is a JSON object, not an array or null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses a JSON text; returns undefined if it is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns a value if it is a string, otherwise undefined. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/**
 * Returns an object's own member, or undefined if it has none of that name. The name may be any text: inherited members
 * such as `toString` and `constructor` are not data.
 */
export function ownMember<V>(object: Readonly<Record<string, V>>, name: string): V | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
