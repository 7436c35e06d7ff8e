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
