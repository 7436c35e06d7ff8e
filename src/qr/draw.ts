import { type Matrix, makeMatrix } from './matrix.ts';

/** Room on a screen, in character cells. */
export interface Room {
  readonly columns: number;
  readonly rows: number;
}

/** A drawn code: lines that carry their own colours, all equally wide. */
export interface Drawing extends Room {
  readonly lines: readonly string[];
  /** Light modules around the code. */
  readonly quietZone: number;
}

/** A way of drawing a code. */
export interface Style {
  /** Cells that a square of so many modules takes. */
  room(modules: number): Room;
  /** Draws modules, each row as long as the others; beyond the last row it is light. */
  lines(modules: Matrix): readonly string[];
}

/**
 * White and black of the 256 colours: themes leave them alone, other than the first sixteen. White glyphs
 * on black are read even where the terminal puts gaps between its lines; black ones on white are not.
 */
const whiteOnBlack = '\x1b[38;5;231;48;5;16m';
const onWhite = '\x1b[48;5;231m';
const onBlack = '\x1b[48;5;16m';
const reset = '\x1b[0m';

/** Two modules above each other in a cell. */
export const halfBlocks: Style = {
  room: (modules) => ({ columns: modules, rows: Math.ceil(modules / 2) }),
  lines: (modules) => halfBlockLines(modules).map((line) => whiteOnBlack + line + reset),
};

/** The same in the terminal's own colours, which have to be light on dark. */
export const plainHalfBlocks: Style = { room: halfBlocks.room, lines: halfBlockLines };

/** Two coloured spaces for each module, for terminals without Unicode. */
export const spaces: Style = {
  room: (modules) => ({ columns: modules * 2, rows: modules }),
  lines: (modules) =>
    modules.map((row) => row.map((isDark) => `${isDark ? onBlack : onWhite}  `).join('') + reset),
};

/** The quiet zone that ISO/IEC 18004 asks for, then what cameras mostly get along with. */
const quietZones = [4, 2, 1] as const;

/**
 * Draws the QR code of a text, with the widest quiet zone that the room allows. Undefined where it
 * doesn't fit at all: `roomFor` tells what it needs.
 * @throws RangeError where the text is too long for any code
 */
export function drawCode(text: string, room: Room, style: Style = halfBlocks): Drawing | undefined {
  const matrix = makeMatrix(text);
  for (const quietZone of quietZones) {
    const needed = style.room(matrix.length + 2 * quietZone);
    if (needed.columns > room.columns || needed.rows > room.rows) continue;
    return { ...needed, quietZone, lines: style.lines(withQuietZone(matrix, quietZone)) };
  }
  return undefined;
}

/**
 * The least room that the code of a text can be drawn in.
 * @throws RangeError where the text is too long for any code
 */
export function roomFor(text: string, style: Style = halfBlocks): Room {
  return style.room(makeMatrix(text).length + 2 * (quietZones.at(-1) ?? 0));
}

function withQuietZone(matrix: Matrix, width: number): Matrix {
  const side = matrix.length + 2 * width;
  return Array.from({ length: side }, (_row, y) =>
    Array.from({ length: side }, (_column, x) => matrix[y - width]?.[x - width] === true),
  );
}

function halfBlockLines(modules: Matrix): readonly string[] {
  const lines: string[] = [];
  for (let y = 0; y < modules.length; y += 2) {
    const [upper = [], lower = []] = [modules[y], modules[y + 1]];
    lines.push(upper.map((isDark, x) => halfBlock(isDark, lower[x] === true)).join(''));
  }
  return lines;
}

function halfBlock(isUpperDark: boolean, isLowerDark: boolean): string {
  if (isUpperDark) return isLowerDark ? ' ' : '▄';
  return isLowerDark ? '▀' : '█';
}
