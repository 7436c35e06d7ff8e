import { type Matrix, makeMatrix } from './matrix.ts';
import { halfBlocks, plainHalfBlocks, type Room, type Style, spaces } from './styles.ts';

/** A drawn code: lines that carry their own colours, all equally wide. */
export interface Drawing extends Room {
  readonly lines: readonly string[];
  /** Light modules around the code; beside it there may be more. */
  readonly quietZone: number;
}

/** Returns the style of codes for a terminal, or undefined if it can't show any. */
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

/** The quiet zone that ISO/IEC 18004 asks for, then what cameras mostly get along with. */
const quietZones = [4, 2, 1] as const;

/**
 * Draws the QR code of a text, with the widest quiet zone that the room allows. Returns undefined if it
 * doesn't fit at all: `roomForModules` returns the least room.
 * @throws RangeError if the text is too long for any code
 */
export function drawCode(text: string, room: Room, style: Style = halfBlocks): Drawing | undefined {
  return drawMatrix(makeMatrix(text), room, style);
}

/** Draws a code that was made already, as `drawCode` does. */
export function drawMatrix(matrix: Matrix, room: Room, style: Style): Drawing | undefined {
  const quietZone = quietZoneIn(matrix.length, room, style);
  if (quietZone === undefined) return undefined;
  const columnsOf = (width: number): number => style.room(matrix.length + 2 * width).columns;
  // Rows are scarcer than columns: a camera needs light beside the code even if there is little above it.
  const beside = columnsOf(goodZone) <= room.columns ? Math.max(quietZone, goodZone) : quietZone;
  return {
    columns: columnsOf(beside),
    rows: style.room(matrix.length + 2 * quietZone).rows,
    quietZone,
    lines: style.lines(withQuietZone(matrix, quietZone, beside)),
  };
}

/** Returns the widest quiet zone of a code of so many modules in a room, or undefined if it doesn't fit. */
export function quietZoneIn(modules: number, room: Room, style: Style): number | undefined {
  return quietZones.find((quietZone) => {
    const needed = style.room(modules + 2 * quietZone);
    return needed.columns <= room.columns && needed.rows <= room.rows;
  });
}

/** Characters of the codes that the sandbox makes, in the shape of a real app's. */
const usualLength = 281;

/** Returns the modules on a side of a usual code. */
export function usualModules(): number {
  return makeMatrix('x'.repeat(usualLength)).length;
}

/** Returns the least room that a code of so many modules can be drawn in. */
export function roomForModules(modules: number, style: Style): Room {
  return style.room(modules + 2 * (quietZones.at(-1) ?? 0));
}

/** Adds light modules: `above` as many as below, `beside` on each side. */
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

/** One of them. */
export type Layout = (typeof layouts)[number];

/** Columns between a code and the text beside it. */
export const gap = 2;

/** Columns that the text needs beside a code. */
const minTextColumns = 28;

/** Rows of text above and below a code: two each. */
export const textRows = 4;

/** Returns the room that a layout leaves for the code on a screen. */
export function codeRoom(layout: Layout, { columns, rows }: Room): Room {
  if (layout === 'beside') return { columns: columns - gap - minTextColumns, rows };
  return { columns, rows: rows - (layout === 'around' ? textRows : 1) };
}

/** Returns the least window in which a code of so many modules can be drawn, at most as wide as this one if possible. */
export function windowForModules(modules: number, style: Style, screen: Room): Room {
  const { columns, rows } = roomForModules(modules, style);
  const besideColumns = columns + gap + minTextColumns;
  return screen.columns < besideColumns ? { columns, rows: rows + 1 } : { columns: besideColumns, rows };
}

/** A quiet zone that most cameras are content with. */
const goodZone = 2;

/** A layout, and the quiet zone that it leaves room for. */
export interface Placement {
  readonly layout: Layout;
  readonly quietZone: number;
}

/** Returns the first layout with room for a code and a good quiet zone, or else the widest one; undefined if none has room. */
export function chooseLayout(modules: number, screen: Room, style: Style): Placement | undefined {
  const places = layouts.flatMap((layout) => {
    const quietZone = quietZoneIn(modules, codeRoom(layout, screen), style);
    return quietZone === undefined ? [] : [{ layout, quietZone }];
  });
  return places.find(({ quietZone }) => quietZone >= goodZone) ?? places[0];
}
