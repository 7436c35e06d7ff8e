/** Text with a capital at its beginning, as a sentence and a heading have it. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
