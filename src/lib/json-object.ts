/** A JSON object whose members nobody has checked yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True if a value is a JSON object, and not an array or null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
