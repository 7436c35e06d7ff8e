/** A piece of text in pdf.js's output: in one font, without a jump. */
export interface TextItem {
  readonly str: string;
  /** `ttb` if the lines run downwards. */
  readonly dir: string;
  /** The matrix of its font: direction and size of the text, and the point where it starts. */
  readonly transform: readonly number[];
  /** Its extent on the page: its length along the line, or the size of its font across the line. */
  readonly width: number;
  readonly height: number;
  /** pdf.js found that the next item is on another line. */
  readonly hasEOL: boolean;
}

/** Joins the items of a page to text. Adds a space if two items don't touch on the page and pdf.js has none. */
export class ItemText {
  #last: Run | undefined;
  #endsWithSpace = true;

  /** Returns the text of the next item, with the white space before and after it. */
  add(item: TextItem): string {
    const run = runOf(item);
    const isApart =
      !this.#endsWithSpace && !/^\s/.test(item.str) && this.#last && run && isSeparate(this.#last, run);
    // A mark without a width, such as an accent, may be anywhere above or below its letter.
    if (run) this.#last = run;
    const text = `${isApart ? ' ' : ''}${item.str}${item.hasEOL ? '\n' : ''}`;
    if (text !== '') this.#endsWithSpace = /\s$/.test(text);
    return text;
  }
}

/** The position of an item's text. */
interface Run {
  readonly start: readonly [x: number, y: number];
  /** A unit vector. */
  readonly direction: readonly [x: number, y: number];
  readonly length: number;
  readonly fontSize: number;
  readonly isSingle: boolean;
}

function runOf({ str, dir, transform, width, height }: TextItem): Run | undefined {
  const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = transform;
  const [along, down, length, fontSize] = dir === 'ttb' ? [-c, -d, height, width] : [a, b, width, height];
  const size = Math.hypot(along, down);
  if (str.trim() === '' || length === 0 || size === 0) return undefined;
  return {
    start: [x, y],
    direction: [along / size, down / size],
    length,
    fontSize,
    isSingle: str.length === 1,
  };
}

/** A gap of this share of the font size is a space; pdf.js uses the same value between the letters of an item. */
const minSpace = 0.1;

/** Kerning may make two runs overlap by this share of the font size: half of it in Chinese and Japanese. */
const maxKerning = 0.6;

/** Returns whether one run neither begins where the other ends nor, as in right-to-left text, ends where that begins. */
function isSeparate(last: Run, next: Run): boolean {
  const [x, y] = last.direction;
  const isTurned = x * next.direction[0] + y * next.direction[1] < Math.SQRT1_2;
  const [right, up] = [next.start[0] - last.start[0], next.start[1] - last.start[1]];
  const fontSize = Math.max(last.fontSize, next.fontSize);
  const isOnOtherLine = Math.abs(up * x - right * y) > fontSize;
  const along = right * x + up * y;
  const gap = Math.max(along - last.length, -(along + next.length));
  // An accent may be drawn over its letter as a separate run.
  const isOver = gap < -maxKerning * fontSize && !last.isSingle && !next.isSingle;
  return isTurned || isOnOtherLine || gap > minSpace * fontSize || isOver;
}
