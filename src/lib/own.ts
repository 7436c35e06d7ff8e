/**
 * Returns a member of an object by a name that may be any text, or undefined if the object itself has none of that
 * name: what it inherits, such as `toString` and `constructor`, is nobody's data.
 */
export function own<V>(object: Readonly<Record<string, V>>, name: string): V | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
