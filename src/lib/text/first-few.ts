/** Returns the first of some texts, and how many more there are: `a, b and 7 more`. */
export function firstFew(texts: readonly string[], most: number): string {
  const more = texts.length - most;
  return texts.slice(0, most).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
