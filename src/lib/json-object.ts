/** A JSON object whose members nobody has checked yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True if a value is a JSON object, and not an array or null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the value of a JSON text, or undefined if it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns a value that is a text, or undefined if it is anything else. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/**
 * Returns a member of an object by a name that may be any text, or undefined if the object itself has none of that
 * name: what it inherits, such as `toString` and `constructor`, is nobody's data.
 */
export function ownMember<V>(object: Readonly<Record<string, V>>, name: string): V | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
