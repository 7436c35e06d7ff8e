/** What a theme makes of text that sets no colours: `0xRRGGBB`. */
export interface Theme {
  readonly foreground: number;
  readonly background: number;
}

export const themes = {
  dark: { foreground: 0xd0d0d0, background: 0x101010 },
  light: { foreground: 0x202020, background: 0xf8f8f8 },
} as const satisfies Readonly<Record<string, Theme>>;

/** The colours of the 256 that codes are drawn in: the corners of the colour cube. */
export const fixedColours: Readonly<Record<number, number>> = { 16: 0x000000, 231: 0xffffff };

/** A character and its colours, undefined where the theme's own apply. */
export interface Cell {
  readonly glyph: string;
  readonly foreground: number | undefined;
  readonly background: number | undefined;
}

/** The cells of a line with SGR sequences. */
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

/** Which halves of a cell its glyph fills, the upper first. */
const inked: Readonly<Record<string, readonly [boolean, boolean]>> = {
  ' ': [false, false],
  '█': [true, true],
  '▀': [true, false],
  '▄': [false, true],
};

/** Margin of empty terminal around the lines, in cells. */
const around = 2;

/** Pixels, RGBA. */
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
 * @param cellWidth pixels; a cell is twice as high
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
  const data = new Uint8ClampedArray(width * height * 4);
  for (let y = 0; y < height; y += 1) {
    const row = rows[Math.floor(y / lineHeight) - around];
    const inLine = y % lineHeight;
    for (let x = 0; x < width; x += 1) {
      const cell = row?.[Math.floor(x / cellWidth) - around];
      const colour = cell ? colourAt(cell, inLine / cellHeight, theme) : theme.background;
      data.set([colour >> 16, (colour >> 8) & 255, colour & 255, 255], (y * width + x) * 4);
    }
  }
  return { data, width, height };
}

/** The colour at a height in the cell: 0 at its top, 1 and more in the gap below it. */
function colourAt({ glyph, foreground, background }: Cell, y: number, theme: Theme): number {
  const [upper, lower] = inked[glyph] ?? [true, true];
  const isInked = y < 0.5 ? upper : y < 1 && lower;
  return isInked ? (foreground ?? theme.foreground) : (background ?? theme.background);
}

/** Reads drawn lines back to modules without their quiet zone, true where dark. */
export function readBack(lines: readonly string[], quietZone: number): readonly (readonly boolean[])[] {
  const rows = lines.map(cellsOf);
  const isSpaces = rows[0]?.every(({ glyph }) => glyph === ' ') === true;
  const modules = isSpaces
    ? rows.map((row) =>
        row.filter((_cell, column) => column % 2 === 0).map(({ background }) => background === 0),
      )
    : rows.flatMap((row) => [0, 1].map((half) => row.map(({ glyph }) => inked[glyph]?.[half] !== true)));
  const side = (modules[0]?.length ?? 0) - quietZone;
  return modules.slice(quietZone, side).map((row) => row.slice(quietZone, side));
}
