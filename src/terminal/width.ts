/** Characters of one column per code unit: ASCII, the letters of European languages, typographic punctuation. */
const narrow =
  /^[\x20-\x7e\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0377\u0384-\u03ff\u0400-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u203b\u203d-\u2048\u204a-\u205e\u20a0-\u20c0]*$/;

/** Returns whether every code unit of the text takes one column. */
export function isNarrow(text: string): boolean {
  return narrow.test(text);
}

/** Measures and cuts text by its columns on a terminal. The text must be sanitised. */
export interface Ruler {
  /** Returns the columns that the text takes. */
  width(text: string): number;
  /** Returns the longest prefix of the text that fits the columns, without splitting a grapheme. */
  fit(text: string, columns: number): string;
}

const narrowRuler: Ruler = {
  width: (text) => text.length,
  fit: (text, columns) => text.slice(0, Math.max(columns, 0)),
};

/**
 * Returns a ruler for these texts. Loads the tables of wide characters only if one of the texts needs
 * them.
 */
export async function rulerFor(texts: Iterable<string>): Promise<Ruler> {
  for (const text of texts) {
    if (!narrow.test(text)) return loadWideRuler();
  }
  return narrowRuler;
}

/** The maximum number of code units in a grapheme; emoji of a whole family with skin tones have about 30. */
const maxCharacterLength = 40;

/**
 * Terminals add up the widths of a grapheme's code points, except for pictures: the vowel signs of Devanagari and Thai
 * take a column each, although they form one grapheme with their letter.
 *
 * Tables of Unicode properties are slow to load: here and below, only wide texts need them.
 */
function widthOf(character: string, stringWidth: (text: string) => number): number {
  // Terminals draw these as one picture, regardless of the number of code points.
  if (/\p{Extended_Pictographic}|\p{Regional_Indicator}|[\ufe0f\u20e3]/u.test(character))
    return stringWidth(character);
  // Characters without a column of their own: marks, and the vowels and endings of decomposed Hangul syllables.
  const markOrEnding = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff\ud7b0-\ud7ff]$/u;
  let columns = 0;
  for (const point of character) if (!markOrEnding.test(point)) columns += stringWidth(point);
  return columns;
}

let wideRuler: Ruler | undefined;

/** Returns a ruler for a text synchronously, or undefined if it needs tables that are not loaded. */
export function rulerIfLoaded(text: string): Ruler | undefined {
  return narrow.test(text.replaceAll('\n', '')) ? narrowRuler : wideRuler;
}

/** Loads a ruler for any text. */
export async function loadWideRuler(): Promise<Ruler> {
  wideRuler ??= await makeWideRuler();
  return wideRuler;
}

async function makeWideRuler(): Promise<Ruler> {
  const { default: stringWidth } = await import('string-width');
  const segmenter = new Intl.Segmenter();
  const known = new Map<string, number>();
  const characterWidth = (character: string): number => {
    const width = known.get(character) ?? widthOf(character, stringWidth);
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
      if (narrow.test(text.slice(0, columns + 1))) return narrowRuler.fit(text, columns);
      // The cost of segmenting grows with the length: only the part of a long text that can fit is segmented.
      const head = text.slice(0, (columns + 1) * maxCharacterLength);
      let taken = 0;
      let end = 0;
      let last = 0;
      for (const { segment } of segmenter.segment(head)) {
        taken += characterWidth(segment);
        if (taken > columns) return text.slice(0, end);
        end += segment.length;
        last = segment.length;
      }
      // The last grapheme of the head may continue after it.
      return head.length === text.length ? text : text.slice(0, end - last);
    },
  };
}

/** Returns text cut to columns; a shortened text ends with the ellipsis. */
export function cut(ruler: Ruler, text: string, columns: number, ellipsis: string): string {
  const start = ruler.fit(text, columns);
  if (start.length === text.length) return text;
  return ruler.fit(start, columns - ellipsis.length).trimEnd() + ellipsis.slice(0, Math.max(columns, 0));
}

/** Returns text cut to columns at its start; a shortened text begins with the ellipsis. */
export function cutStart(ruler: Ruler, text: string, columns: number, ellipsis: string): string {
  if (ruler.fit(text, columns).length === text.length) return text;
  let end = '';
  // Marks belong to the letter before them.
  for (const character of text.match(/\P{M}\p{M}*/gsu)?.toReversed() ?? []) {
    if (ruler.width(character + end) > columns - ellipsis.length) break;
    end = character + end;
  }
  return ellipsis.slice(0, Math.max(columns, 0)) + end.trimStart();
}

/** The indentation of a line, and the mark of a list item. */
const lead = /^ *(?:(?:[-*\u2022\u2013]|\d{1,3}[.)]) +)?/;

/**
 * Returns text as lines of limited width, broken between words if possible. Existing line breaks are kept;
 * the continuation of an indented line or a list item is aligned with its text.
 */
export function wrap(ruler: Ruler, text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(ruler, line, columns));
}

function wrapLine(ruler: Ruler, line: string, columns: number): string[] {
  const hang = lead.exec(line)?.[0].length ?? 0;
  const indent = ' '.repeat(hang <= columns / 2 ? hang : 0);
  const lines: string[] = [];
  let start = line.slice(0, indent.length);
  let rest = line.slice(indent.length);
  for (;;) {
    const fitting = ruler.fit(rest, columns - indent.length);
    if (fitting.length === rest.length) return [...lines, start + rest];
    // A word wider than the line is broken; a character wider than the line is kept, since the loop would not end otherwise.
    const end = breakBefore(rest, fitting.length) || fitting.length || firstCharacter(ruler, rest);
    lines.push((start + rest.slice(0, end)).trimEnd());
    rest = rest.slice(end).trimStart();
    start = indent;
  }
}

/** Arranges short pieces on as few lines as possible, without breaking one. */
export function flow(ruler: Ruler, pieces: readonly string[], columns: number, gap: string): string[] {
  const lines: string[] = [];
  for (const piece of pieces) {
    const longer = `${lines.at(-1)}${gap}${piece}`;
    if (lines.length > 0 && ruler.width(longer) <= columns) lines[lines.length - 1] = longer;
    else lines.push(piece);
  }
  return lines;
}

/** Characters that may not begin a line (JIS X 4051): closing punctuation, small and lengthening signs. */
const neverFirst =
  /[\u3001\u3002\uff0c\uff0e\u300d\u300f\uff09\u3011\uff01\uff1f\u30fc\u3063\u30c3\u3083\u3085\u3087,.)!?]/;

/** Returns the position of the last possible break, at `most` code units or before; 0 if there is none. */
function breakBefore(text: string, most: number): number {
  // Chinese and Japanese have no spaces: a line may end after any of their characters.
  const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3001\u3002\uff0c]/u;
  for (let at = most; at > 0; at -= 1) {
    const next = text.charAt(at);
    if (next === ' ' || (unspaced.test(text.charAt(at - 1)) && !neverFirst.test(next))) return at;
  }
  return 0;
}

function firstCharacter(ruler: Ruler, text: string): number {
  return ruler.fit(text, 2).length || [...text][0]?.length || 1;
}

/**
 * Returns a remark as lines, broken between words. A command, and a word wider than the line such as an address or id,
 * are not broken, so that they can be copied: the terminal wraps those itself. A row of a list continues
 * beside its first column.
 * @param commands the commands in the text, as they are written there
 */
export function wrapRemark(
  ruler: Ruler,
  text: string,
  columns: number,
  commands: readonly string[] = [],
): string[] {
  return text.split('\n').flatMap((line) => wrapRemarkLine(ruler, line, columns, commands));
}

/** The indentation of a line and, in a row of a list, its first column, such as an id. */
const column = /^ *(?:(?<= )\S+ {2,})?/;

/** The part of a line that its first column may take, if the rest continues beside it. */
const mostOfColumn = 0.6;

function wrapRemarkLine(ruler: Ruler, line: string, columns: number, commands: readonly string[]): string[] {
  // Measures only as far as the columns reach: a service may send thousands of words.
  const fits = (text: string): boolean => ruler.fit(text, columns).length === text.length;
  if (fits(line)) return [line];
  const start = column.exec(line)?.[0] ?? '';
  const [beside = ''] = wordsOf(line.slice(start.length));
  const hasRoom = ruler.width(start) <= columns * mostOfColumn && fits(start + beside);
  const head = hasRoom ? start : (/^ */.exec(start)?.[0] ?? '');
  const indent = ' '.repeat(ruler.width(head));
  const lines: string[] = [];
  let current = '';
  for (const piece of piecesOf(line.slice(head.length), commands)) {
    const longer = current === '' ? (lines.length === 0 ? head : indent) + piece : `${current} ${piece}`;
    if (current !== '' && !fits(longer)) {
      lines.push(current);
      current = indent + piece;
    } else current = longer;
  }
  return [...lines, current];
}

/** Returns the words of a remark; each command is one word, with adjoining characters such as a full stop. */
function piecesOf(text: string, commands: readonly string[]): readonly string[] {
  const found = firstIn(text, commands);
  if (!found) return wordsOf(text);
  const start = text.lastIndexOf(' ', found.at) + 1;
  const space = text.indexOf(' ', found.at + found.command.length);
  const end = space < 0 ? text.length : space;
  return [...wordsOf(text.slice(0, start)), text.slice(start, end), ...piecesOf(text.slice(end), commands)];
}

function wordsOf(text: string): readonly string[] {
  return text.split(' ').filter(Boolean);
}

/** Returns the first of the commands in a text and its position; of two at the same position, the longer one. */
function firstIn(
  text: string,
  commands: readonly string[],
): { readonly command: string; readonly at: number } | undefined {
  return commands
    .map((command) => ({ command, at: text.indexOf(command) }))
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at || other.command.length - one.command.length)[0];
}
