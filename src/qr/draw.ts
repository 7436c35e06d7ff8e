import { type Matrix, makeMatrix } from './matrix.ts';
import { halfBlocks, plainHalfBlocks, type Room, type Style, spaces } from './styles.ts';

/** A drawn code: lines of equal width that contain their own colours. */
export interface Drawing extends Room {
  readonly lines: readonly string[];
  /** Light modules around the code; there may be more at its sides. */
  readonly quietZone: number;
}

/** Returns the drawing style for a terminal, or undefined if it can't show codes. */
export function styleFor({
  colorLevel,
  unicode,
}: {
  readonly colorLevel: number;
  readonly unicode: boolean;
}): Style | undefined {
  if (colorLevel > 0) return unicode ? halfBlocks : spaces;
  return unicode ? plainHalfBlocks : undefined;
}

/** The quiet zone required by ISO/IEC 18004, then narrower ones that most cameras accept. */
const quietZones = [4, 2, 1] as const;

/**
 * Draws the QR code of a text, with the widest quiet zone that fits. Returns undefined if the code doesn't fit at all:
 * `roomForModules` returns the space needed.
 * @throws RangeError if the text is too long for any code
 */
export function drawCode(text: string, room: Room, style: Style = halfBlocks): Drawing | undefined {
  return drawMatrix(makeMatrix(text), room, style);
}

/** Draws an existing code, as `drawCode`. */
export function drawMatrix(matrix: Matrix, room: Room, style: Style): Drawing | undefined {
  const quietZone = quietZoneIn(matrix.length, room, style);
  if (quietZone === undefined) return undefined;
  const columnsOf = (width: number): number => style.room(matrix.length + 2 * width).columns;
  // Rows are scarcer than columns: a camera needs light at the sides of the code even if there is little above it.
  const beside = columnsOf(goodZone) <= room.columns ? Math.max(quietZone, goodZone) : quietZone;
  return {
    columns: columnsOf(beside),
    rows: style.room(matrix.length + 2 * quietZone).rows,
    quietZone,
    lines: style.lines(withQuietZone(matrix, quietZone, beside)),
  };
}

/** Returns the widest quiet zone that fits around a code of the given size, or undefined if the code doesn't fit. */
export function quietZoneIn(modules: number, room: Room, style: Style): number | undefined {
  return quietZones.find((quietZone) => {
    const needed = style.room(modules + 2 * quietZone);
    return needed.columns <= room.columns && needed.rows <= room.rows;
  });
}

/** Characters of the sandbox's codes, which have the form of a real app's. */
const usualLength = 281;

/** Returns the modules per side of a usual code. */
export function usualModules(): number {
  return makeMatrix('x'.repeat(usualLength)).length;
}

/** Returns the minimum space for a code of the given size. */
export function roomForModules(modules: number, style: Style): Room {
  return style.room(modules + 2 * (quietZones.at(-1) ?? 0));
}

/** Adds light modules: `above` many above and below, `beside` many on each side. */
function withQuietZone(matrix: Matrix, above: number, beside: number): Matrix {
  return Array.from({ length: matrix.length + 2 * above }, (_row, y) =>
    Array.from(
      { length: matrix.length + 2 * beside },
      (_column, x) => matrix[y - above]?.[x - beside] === true,
    ),
  );
}

/** The three layouts of a screen: text beside the code, text above and below it, or the code with a single line of text. */
export const layouts = ['beside', 'around', 'alone'] as const;

/** A layout. */
export type Layout = (typeof layouts)[number];

/** Columns between a code and the text beside it. */
export const gap = 2;

/** Minimum columns for text beside a code. */
const minTextColumns = 28;

/** Rows of text above and below a code, two each. */
export const textRows = 4;

/** Returns the space for the code in a layout on a screen. */
export function codeRoom(layout: Layout, { columns, rows }: Room): Room {
  if (layout === 'beside') return { columns: columns - gap - minTextColumns, rows };
  return { columns, rows: rows - (layout === 'around' ? textRows : 1) };
}

/** Returns the smallest window that fits a code of the given size, if possible not wider than the current one. */
export function windowForModules(modules: number, style: Style, screen: Room): Room {
  const { columns, rows } = roomForModules(modules, style);
  const besideColumns = columns + gap + minTextColumns;
  return screen.columns < besideColumns ? { columns, rows: rows + 1 } : { columns: besideColumns, rows };
}

/** A quiet zone that most cameras accept. */
const goodZone = 2;

/** A layout and the quiet zone that fits in it. */
export interface Placement {
  readonly layout: Layout;
  readonly quietZone: number;
}

/**
 * Returns the first layout that fits a code with a good quiet zone, or else the first that fits it at all; undefined if
 * none does.
 */
export function chooseLayout(modules: number, screen: Room, style: Style): Placement | undefined {
  const places = layouts.flatMap((layout) => {
    const quietZone = quietZoneIn(modules, codeRoom(layout, screen), style);
    return quietZone === undefined ? [] : [{ layout, quietZone }];
  });
  return places.find(({ quietZone }) => quietZone >= goodZone) ?? places[0];
}
