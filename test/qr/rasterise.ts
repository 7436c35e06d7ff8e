/** The default text colours of a theme: `0xRRGGBB`. */
export interface Theme {
  readonly foreground: number;
  readonly background: number;
}

export const themes = {
  dark: { foreground: 0xd0d0d0, background: 0x101010 },
  light: { foreground: 0x202020, background: 0xf8f8f8 },
} as const satisfies Readonly<Record<string, Theme>>;

/** The colours of the 256 in which codes are drawn: two corners of the colour cube. */
export const fixedColours: Readonly<Record<number, number>> = { 16: 0x000000, 231: 0xffffff };

/** A character and its colours; undefined if the theme's own apply. */
export interface Cell {
  readonly glyph: string;
  readonly foreground: number | undefined;
  readonly background: number | undefined;
}

/** Returns the cells of a line with SGR sequences. */
export function cellsOf(line: string): readonly Cell[] {
  const cells: Cell[] = [];
  let foreground: number | undefined;
  let background: number | undefined;
  for (const [token] of line.matchAll(/\x1b\[[\d;]*m|./gsu)) {
    if (!token.startsWith('\x1b')) {
      cells.push({ glyph: token, foreground, background });
      continue;
    }
    if (token === '\x1b[0m') [foreground, background] = [undefined, undefined];
    const [, text] = /38;5;(\d+)/.exec(token) ?? [];
    const [, paper] = /48;5;(\d+)/.exec(token) ?? [];
    if (text !== undefined) foreground = fixedColours[Number(text)];
    if (paper !== undefined) background = fixedColours[Number(paper)];
  }
  return cells;
}

/**
 * The parts of a cell that a glyph fills: the columns and rows into which it divides the cell, and each part in reading
 * order.
 */
interface Ink {
  readonly columns: number;
  readonly rows: number;
  readonly parts: readonly boolean[];
}

const blocks: Readonly<Record<string, Ink>> = {
  ' ': { columns: 1, rows: 1, parts: [false] },
  '█': { columns: 1, rows: 1, parts: [true] },
  '▀': { columns: 1, rows: 2, parts: [true, false] },
  '▄': { columns: 1, rows: 2, parts: [false, true] },
  '▌': { columns: 2, rows: 1, parts: [true, false] },
  '▐': { columns: 2, rows: 1, parts: [false, true] },
};

/**
 * The names of U+1FB00 to U+1FB3B in Unicode's list, after `BLOCK SEXTANT-`: the filled parts, numbered from 1 in
 * reading order.
 */
const sextantNames = (
  '1 2 12 3 13 23 123 4 14 24 124 34 134 234 1234 5 15 25 125 35 235 1235 45 145 245 1245 345 1345 2345 12345 ' +
  '6 16 26 126 36 136 236 1236 46 146 1246 346 1346 2346 12346 56 156 256 1256 356 1356 2356 12356 ' +
  '456 1456 2456 12456 3456 13456 23456'
).split(' ');

const inks = new Map<string, Ink>();

function inkOf(glyph: string): Ink {
  const ink = inks.get(glyph) ?? readInk(glyph);
  inks.set(glyph, ink);
  return ink;
}

function readInk(glyph: string): Ink {
  const name = sextantNames[(glyph.codePointAt(0) ?? 0) - 0x1fb00];
  if (name !== undefined) {
    return { columns: 2, rows: 3, parts: [...'123456'].map((part) => name.includes(part)) };
  }
  // Letters count as a full block, because they never belong to a code.
  return blocks[glyph] ?? { columns: 1, rows: 1, parts: [true] };
}

/**
 * Returns whether a glyph fills a point of its cell: 0 is its left or top edge, and 1 or more is beyond its right or
 * bottom edge.
 */
function isInkedAt(glyph: string, x: number, y: number): boolean {
  const { columns, rows, parts } = inkOf(glyph);
  return y < 1 && parts[Math.floor(y * rows) * columns + Math.floor(x * columns)] === true;
}

/** Margin of empty terminal around the lines, in cells. */
const around = 2;

/** RGBA pixels. */
export interface Raster {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

/** Paints lines with SGR sequences as a terminal does; see `rasteriseCells`. */
export function rasterise(lines: readonly string[], theme: Theme, gap: number, cellWidth = 8): Raster {
  return rasteriseCells(lines.map(cellsOf), theme, gap, cellWidth);
}

/**
 * Paints cells as a terminal does.
 * @param gap extra height below each line, as a share of it, painted in the background of its cells
 * @param cellWidth an even number of pixels; a cell is twice as high
 */
export function rasteriseCells(
  rows: readonly (readonly Cell[])[],
  theme: Theme,
  gap: number,
  cellWidth = 8,
): Raster {
  const cellHeight = cellWidth * 2;
  const lineHeight = Math.round(cellHeight * (1 + gap));
  const width = (Math.max(...rows.map((row) => row.length)) + 2 * around) * cellWidth;
  const height = (rows.length + 2 * around) * lineHeight;
  const pixels = new Uint32Array(width * height).fill(pixelOf(theme.background));
  for (const [index, row] of rows.entries()) {
    for (let inLine = 0; inLine < lineHeight; inLine += 1) {
      const start = ((index + around) * lineHeight + inLine) * width + around * cellWidth;
      for (const [column, cell] of row.entries()) {
        // No glyph divides a cell into more than two columns.
        for (const half of [0, 1]) {
          const colour = pixelOf(colourAt(cell, half / 2, inLine / cellHeight, theme));
          const left = start + column * cellWidth + (half * cellWidth) / 2;
          pixels.fill(colour, left, left + cellWidth / 2);
        }
      }
    }
  }
  return { data: new Uint8ClampedArray(pixels.buffer), width, height };
}

/** Returns `0xRRGGBB` as an opaque pixel in little-endian memory: red first. */
function pixelOf(colour: number): number {
  return ((255 << 24) | ((colour & 255) << 16) | (colour & 0xff00) | (colour >> 16)) >>> 0;
}

function colourAt({ glyph, foreground, background }: Cell, x: number, y: number, theme: Theme): number {
  return isInkedAt(glyph, x, y) ? (foreground ?? theme.foreground) : (background ?? theme.background);
}

/** The number of modules in a cell of a style, which may be a fraction. */
export interface Grain {
  readonly columns: number;
  readonly rows: number;
}

/**
 * Converts drawn lines to modules without their quiet zone, true for dark ones.
 * @param theme the foreground and background of text without colours
 */
export function readBack(
  lines: readonly string[],
  { columns, rows }: Grain,
  side: number,
  quietZone: number,
  theme: Theme = themes.dark,
): readonly (readonly boolean[])[] {
  const cells = lines.map(cellsOf);
  return Array.from({ length: side }, (_row, moduleY) =>
    Array.from({ length: side }, (_column, moduleX) => {
      const [x, y] = [(moduleX + quietZone + 0.5) / columns, (moduleY + quietZone + 0.5) / rows];
      const cell = cells[Math.floor(y)]?.[Math.floor(x)];
      return cell !== undefined && colourAt(cell, x % 1, y % 1, theme) < 0x808080;
    }),
  );
}
