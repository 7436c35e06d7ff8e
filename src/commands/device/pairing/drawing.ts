import { type Drawing, drawMatrix, quietZoneIn, roomForModules } from '../../../qr/draw.ts';
import type { Matrix } from '../../../qr/matrix.ts';
import {
  halfBlocks,
  negative,
  plainHalfBlocks,
  plainSextants,
  type Room,
  type Style,
  sextants,
  spaces,
} from '../../../qr/styles.ts';
import type { DrawingWish } from './view.ts';

/** What a terminal can show. */
export interface Capabilities {
  readonly colorLevel: number;
  /** Whether the locale is UTF-8. */
  readonly unicode: boolean;
  /** Whether it is known to draw sextants. */
  readonly sextants: boolean;
  /** Undefined where it doesn't say. */
  readonly background: 'dark' | 'light' | undefined;
}

/** A way of drawing codes, as a person is told of it. */
export interface Rung {
  readonly words: string;
  readonly style: Style;
}

const half: Rung = { words: 'half blocks', style: halfBlocks };
const sextant: Rung = { words: 'sextants', style: sextants };
const space: Rung = { words: 'spaces', style: spaces };
const plain: Rung = { words: 'half blocks without colour', style: plainHalfBlocks };
const plainSextant: Rung = { words: 'sextants without colour', style: plainSextants };

/**
 * The ways of drawing a code that are taken by themselves, the best first: the first one that fits is taken.
 * Empty where the terminal can show none.
 */
export function ladderFor(capabilities: Capabilities, wish: DrawingWish): readonly Rung[] {
  return rungsFor(capabilities, wish).map((rung) =>
    isNegative(capabilities, wish) ? exchanged(rung) : rung,
  );
}

function rungsFor({ colorLevel, unicode, sextants }: Capabilities, { style }: DrawingWish): readonly Rung[] {
  switch (style) {
    case 'half':
      return [colorLevel > 0 ? half : plain];
    case 'sextant':
      return [colorLevel > 0 ? sextant : plainSextant];
    case 'spaces':
      return [space];
    case 'plain':
      return [plain];
    default: {
      if (!unicode) return colorLevel > 0 ? [space] : [];
      const [first, second] = colorLevel > 0 ? [half, sextant] : [plain, plainSextant];
      return sextants ? [first, second] : [first];
    }
  }
}

/** Without colours of its own a code is drawn in those of the terminal, which may be dark on light. */
function isNegative({ colorLevel, background }: Capabilities, { style, invert }: DrawingWish): boolean {
  const isPlain = style === 'plain' || (colorLevel === 0 && style !== 'spaces');
  return invert || (isPlain && background === 'light');
}

function exchanged({ words, style }: Rung): Rung {
  return { words: `${words}, light and dark exchanged`, style: negative(style) };
}

/**
 * The ways of drawing that a person may go through to see what the camera reads: those of the ladder, and
 * those that the terminal may be able to show all the same.
 */
export function alternativesTo(
  ladder: readonly Rung[],
  { colorLevel, unicode }: Capabilities,
): readonly Rung[] {
  const possible = unicode
    ? colorLevel > 0
      ? [half, sextant, space]
      : [plain, exchanged(plain), plainSextant, exchanged(plainSextant)]
    : [];
  return [...ladder, ...possible.filter(({ words }) => !ladder.some((rung) => rung.words === words))];
}

/** A code in its place on the screen. */
export interface Placed {
  readonly drawing: Drawing;
  /** Which of the rooms it was drawn for. */
  readonly place: number;
}

/**
 * Draws a code by the first rung that fits a room, in the room that leaves it the widest quiet zone: the
 * first of equals. Undefined where none fits.
 */
export function drawIn(matrix: Matrix, ladder: readonly Rung[], rooms: readonly Room[]): Placed | undefined {
  for (const { style } of ladder) {
    const zones = rooms.map((room) => quietZoneIn(matrix.length, room, style) ?? 0);
    const place = zones.indexOf(Math.max(...zones));
    const room = rooms[place];
    const drawing = room && drawMatrix(matrix, room, style);
    if (drawing) return { drawing, place };
  }
  return undefined;
}

/** The rungs by which a code fits one of the rooms. */
export function fitting(matrix: Matrix, rungs: readonly Rung[], rooms: readonly Room[]): readonly Rung[] {
  return rungs.filter(({ style }) =>
    rooms.some((room) => quietZoneIn(matrix.length, room, style) !== undefined),
  );
}

/** The least room that a code can be drawn in by a rung of the ladder; undefined where it has none. */
export function leastRoom(matrix: Matrix, ladder: readonly Rung[]): Room | undefined {
  return ladder
    .map(({ style }) => roomForModules(matrix.length, style))
    .sort((one, other) => one.rows - other.rows)[0];
}
