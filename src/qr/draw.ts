import { type Matrix, makeMatrix } from './matrix.ts';
import { halfBlocks, plainHalfBlocks, type Room, type Style, spaces } from './styles.ts';

/** A drawn code: lines that carry their own colours, all equally wide. */
export interface Drawing extends Room {
  readonly lines: readonly string[];
  /** Light modules around the code. */
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
  const needed = style.room(matrix.length + 2 * quietZone);
  return { ...needed, quietZone, lines: style.lines(withQuietZone(matrix, quietZone)) };
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

function withQuietZone(matrix: Matrix, width: number): Matrix {
  const side = matrix.length + 2 * width;
  return Array.from({ length: side }, (_row, y) =>
    Array.from({ length: side }, (_column, x) => matrix[y - width]?.[x - width] === true),
  );
}
