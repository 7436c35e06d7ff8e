/** Maximum characters of a name in a sentence. */
const maxNameLength = 200;

/**
 * Returns a name for use in a sentence. Line breaks and tabs become spaces: text after a line break could pass for a
 * message of botctl, such as a failure or a next step. Other control characters are removed on output.
 */
export function inSentence(name: string): string {
  const line = name.replace(/[\t\n\v\f\r\x85\u2028\u2029]+/g, ' ');
  return line.length > maxNameLength ? `${line.slice(0, maxNameLength - 1)}…` : line;
}

/**
 * Sanitizes text from outside for a sentence: no control characters (C0, C1), no bidi overrides, no line breaks, at
 * most `longest` characters.
 */
export function oneLine(text: string, longest: number): string {
  const clean = text
    .slice(0, longest * 8)
    .replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return clean.length > longest ? `${clean.slice(0, longest - 1)}…` : clean;
}

/** Returns text with a capital first letter, for a sentence or a heading. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns a full stop if a sentence lacks one, otherwise an empty text. */
export function fullStop(text: string): string {
  return /[.!?…]$/.test(text) ? '' : '.';
}

/** Returns the first texts, and the number of the others: `a, b and 7 more`. */
export function firstFew(texts: Iterable<string>, most: number): string {
  const few = new FirstFew(most);
  for (const text of texts) few.add(text);
  return few.words;
}

/** Stores the first few texts, and counts the others. */
export class FirstFew {
  readonly first: string[] = [];
  count = 0;

  constructor(readonly most: number) {}

  add(text: string): void {
    this.count += 1;
    if (this.first.length < this.most) this.first.push(text);
  }

  /** Returns the texts as `firstFew`. */
  get words(): string {
    const more = this.count - this.first.length;
    return this.first.join(', ') + (more > 0 ? ` and ${more} more` : '');
  }
}
