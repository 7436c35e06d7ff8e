/**
 * Returns other people's text made fit for a sentence: no control characters (C0, C1), no bidi overrides, no line
 * breaks, no more than `longest` characters.
 */
export function oneLine(text: string, longest: number): string {
  const clean = text
    .slice(0, longest * 8)
    .replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return clean.length > longest ? `${clean.slice(0, longest - 1)}…` : clean;
}
