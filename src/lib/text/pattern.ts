/** The characters that services take for patterns in a text. */
const patternCharacters = /[%_\\]/;

/** False if a service that is asked for a text may find others than those that hold it: it may take it for a pattern. */
export function mayBeAskedFor(text: string): boolean {
  return !patternCharacters.test(text);
}
