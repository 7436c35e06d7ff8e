/** Returns the numbers of the pages without text, from 1. */
export function emptyPages(pages: readonly number[]): readonly number[] {
  return pages.flatMap((chars, index) => (chars === 0 ? [index + 1] : []));
}

/** Returns what is said of a file with pages without text: `has no text on pages 2 and 3 of 10`. */
export function emptyPagesText(empty: readonly number[], count: number): string {
  return `has no text on ${pagesText(empty)} of ${count}`;
}

/** Stretches that are named; what is more is told by its number. */
const maxStretches = 8;

/** Returns numbers of pages as a person writes them: `page 3`, `pages 2, 5–9 and 12`. */
export function pagesText(numbers: readonly number[]): string {
  const stretches: [first: number, last: number][] = [];
  for (const number of numbers) {
    const last = stretches.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else stretches.push([number, number]);
  }
  const named = stretches.slice(0, maxStretches);
  const count = named.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  const texts = named.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`));
  const all = count < numbers.length ? [...texts, `${numbers.length - count} more`] : texts;
  const listed = all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
  return `${numbers.length === 1 ? 'page' : 'pages'} ${listed}`;
}
