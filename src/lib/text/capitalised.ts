/** Returns text with a capital first letter, for a sentence or a heading. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
