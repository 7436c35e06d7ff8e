/** Characters of a name that a sentence shows. */
const maxNameLength = 200;

/**
 * Returns a name as it stands in a sentence. Its line breaks and tabs are blanks: what comes after one would pass for a
 * line of botctl's own, a failure or what to do next. What else commands a terminal is taken out on the way there.
 */
export function inSentence(name: string): string {
  const line = name.replace(/[\t\n\v\f\r\x85\u2028\u2029]+/g, ' ');
  return line.length > maxNameLength ? `${line.slice(0, maxNameLength - 1)}…` : line;
}

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

/** Returns text with a capital first letter, for a sentence or a heading. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns the full stop that a sentence lacks, or an empty text if it has an end. */
export function fullStop(text: string): string {
  return /[.!?…]$/.test(text) ? '' : '.';
}

/** Returns the first of some texts, and how many more there are: `a, b and 7 more`. */
export function firstFew(texts: Iterable<string>, most: number): string {
  const few = new FirstFew(most);
  for (const text of texts) few.add(text);
  return few.words;
}

/** Texts of which the first few are kept, and the others counted. */
export class FirstFew {
  readonly first: string[] = [];
  count = 0;

  constructor(readonly most: number) {}

  add(text: string): void {
    this.count += 1;
    if (this.first.length < this.most) this.first.push(text);
  }

  /** As `firstFew`. */
  get words(): string {
    const more = this.count - this.first.length;
    return this.first.join(', ') + (more > 0 ? ` and ${more} more` : '');
  }
}
