/** Every code unit one column: ASCII, the letters of European languages, typographic punctuation. */
const narrow =
  /^[\x20-\x7e\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0377\u0384-\u03ff\u0400-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u203b\u203d-\u2048\u204a-\u205e\u20a0-\u20c0]*$/;

/** Whether every code unit of the text takes one column. */
export function isNarrow(text: string): boolean {
  return narrow.test(text);
}

/** Measures and cuts text by the columns that it takes on a terminal. Text must be sanitised before. */
export interface Ruler {
  /** Columns that the text takes. */
  width(text: string): number;
  /** The longest start of the text that fits the columns, never splitting what is seen as one character. */
  fit(text: string, columns: number): string;
}

const narrowRuler: Ruler = {
  width: (text) => text.length,
  fit: (text, columns) => text.slice(0, Math.max(columns, 0)),
};

/**
 * A ruler for these texts. Only where one holds more than narrow characters does it load the tables that
 * know wide ones.
 */
export async function rulerFor(texts: Iterable<string>): Promise<Ruler> {
  for (const text of texts) {
    if (!narrow.test(text)) return loadWideRuler();
  }
  return narrowRuler;
}

/** Code units of one character as it is seen; emoji of a whole family with skin tones have about 30. */
const longestCharacter = 40;

async function loadWideRuler(): Promise<Ruler> {
  const { default: stringWidth } = await import('string-width');
  const segmenter = new Intl.Segmenter();
  const known = new Map<string, number>();
  const characterWidth = (character: string): number => {
    const width = known.get(character) ?? stringWidth(character);
    known.set(character, width);
    return width;
  };
  const width = (text: string): number => {
    if (narrow.test(text)) return text.length;
    let columns = 0;
    for (const { segment } of segmenter.segment(text)) columns += characterWidth(segment);
    return columns;
  };
  return {
    width,
    fit(text, columns) {
      // No code unit is wider than two columns.
      if (text.length * 2 <= columns) return text;
      if (narrow.test(text)) return narrowRuler.fit(text, columns);
      // Segmenting costs by length: a long text is looked at no further than it can reach.
      const head = text.slice(0, (columns + 1) * longestCharacter);
      let taken = 0;
      let fitting = '';
      let last = '';
      for (const { segment } of segmenter.segment(head)) {
        taken += characterWidth(segment);
        if (taken > columns) return fitting;
        fitting += segment;
        last = segment;
      }
      // What the head ends with may go on behind it.
      return head.length === text.length ? fitting : fitting.slice(0, -last.length || undefined);
    },
  };
}

/** Cuts text to columns; what was cut ends with the ellipsis. */
export function cut(ruler: Ruler, text: string, columns: number, ellipsis: string): string {
  const start = ruler.fit(text, columns);
  if (start.length === text.length) return text;
  return ruler.fit(start, columns - ellipsis.length).trimEnd() + ellipsis.slice(0, Math.max(columns, 0));
}

/**
 * Breaks text into lines of at most so many columns, between words where it can. Its own line breaks stay.
 */
export function wrap(ruler: Ruler, text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(ruler, line, columns));
}

function wrapLine(ruler: Ruler, line: string, columns: number): string[] {
  const lines: string[] = [];
  let rest = line;
  for (;;) {
    const start = ruler.fit(rest, columns);
    if (start.length === rest.length) return [...lines, rest];
    const space = rest[start.length] === ' ' ? start.length : start.lastIndexOf(' ');
    // A word wider than the line is broken; a character wider than the line is kept, or we'd never end.
    const end = space > 0 ? space : start.length || firstCharacter(ruler, rest);
    lines.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
}

function firstCharacter(ruler: Ruler, text: string): number {
  return ruler.fit(text, 2).length || [...text][0]?.length || 1;
}
