import { type Matrix, makeMatrix } from './matrix.ts';
import { halfBlocks, plainHalfBlocks, type Room, type Style, spaces } from './styles.ts';

/** A drawn code: lines that carry their own colours, all equally wide. */
export interface Drawing extends Room {
  readonly lines: readonly string[];
  /** Light modules around the code. */
  readonly quietZone: number;
}

/** The way to draw codes that a terminal can show; undefined where there is none. */
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
 * Draws the QR code of a text, with the widest quiet zone that the room allows. Undefined where it
 * doesn't fit at all: `roomFor` tells what it needs.
 * @throws RangeError where the text is too long for any code
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

/** The widest quiet zone that a code of so many modules can have in a room; undefined where it doesn't fit. */
export function quietZoneIn(modules: number, room: Room, style: Style): number | undefined {
  return quietZones.find((quietZone) => {
    const needed = style.room(modules + 2 * quietZone);
    return needed.columns <= room.columns && needed.rows <= room.rows;
  });
}

/**
 * The least room that the code of a text can be drawn in.
 * @throws RangeError where the text is too long for any code
 */
export function roomFor(text: string, style: Style = halfBlocks): Room {
  return roomForModules(makeMatrix(text).length, style);
}

/** Characters of the codes that the sandbox makes, in the shape of a real app's. */
const usualLength = 281;

/** Modules of a usual code, beside each other. */
export function usualModules(): number {
  return makeMatrix('x'.repeat(usualLength)).length;
}

/** The least room that a code of so many modules can be drawn in. */
export function roomForModules(modules: number, style: Style): Room {
  return style.room(modules + 2 * (quietZones.at(-1) ?? 0));
}

function withQuietZone(matrix: Matrix, width: number): Matrix {
  const side = matrix.length + 2 * width;
  return Array.from({ length: side }, (_row, y) =>
    Array.from({ length: side }, (_column, x) => matrix[y - width]?.[x - width] === true),
  );
}
