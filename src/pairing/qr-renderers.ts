import { type Drawing, drawMatrix, quietZoneIn, roomForModules } from '../qr/draw.ts';
import { type Matrix, makeMatrix } from '../qr/matrix.ts';
import {
  halfBlocks,
  negative,
  plainHalfBlocks,
  plainSextants,
  type Room,
  type Style,
  sextants,
  spaces,
} from '../qr/styles.ts';
import type { Secret } from '../secrets/secret.ts';
import type { DrawingOptions } from './pairing-view.ts';

/**
 * Returns the modules of a code, or undefined if it is too long to draw. Codes that were read may hold more than the
 * 2953 bytes of one that is made: digits take less room than that.
 */
export function matrixOf(payload: Secret): Matrix | undefined {
  try {
    return makeMatrix(payload.reveal());
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The drawing capabilities of a terminal. */
export interface Capabilities {
  readonly colorLevel: number;
  /** True if the locale is UTF-8, or the terminal shows that it takes UTF-8. */
  readonly unicode: boolean;
  /** False if the terminal shows that it doesn't. Without a UTF-8 locale it may take UTF-8 all the same. */
  readonly mayUnicode?: boolean;
  /** False if it is known not to draw sextants. */
  readonly sextants: boolean;
  /** Undefined if the terminal doesn't say. */
  readonly background: 'dark' | 'light' | undefined;
}

/** A way of drawing codes, and its name on the screen. */
export interface QrRenderer {
  readonly label: string;
  readonly style: Style;
  /** Its characters are newer than many terminals. */
  readonly isFine?: boolean;
}

const half: QrRenderer = { label: 'half blocks', style: halfBlocks };
const sextant: QrRenderer = { label: 'sextants', style: sextants, isFine: true };
const space: QrRenderer = { label: 'spaces', style: spaces };
const plain: QrRenderer = { label: 'half blocks without colour', style: plainHalfBlocks };
const plainSextant: QrRenderer = { label: 'sextants without colour', style: plainSextants, isFine: true };

/**
 * Returns the renderers that are tried without asking, the best first: the first one that fits draws the code.
 * Empty if the terminal can show none.
 */
export function automaticRenderers(
  capabilities: Capabilities,
  drawing: DrawingOptions,
): readonly QrRenderer[] {
  const renderers = renderersFor(capabilities, drawing);
  return isInverted(capabilities, drawing) ? renderers.map(inverted) : renderers;
}

function renderersFor(capabilities: Capabilities, { style }: DrawingOptions): readonly QrRenderer[] {
  const { colorLevel, unicode, sextants } = capabilities;
  const [blocks, fine] = colorLevel > 0 ? [half, sextant] : [plain, plainSextant];
  switch (style) {
    case 'half':
      return [blocks];
    case 'sextant':
      return [fine];
    case 'spaces':
      return [space];
    case 'plain':
      return [plain];
    default:
      if (!unicode) return colorLevel > 0 ? [space] : [];
      return sextants ? [blocks, fine] : [blocks];
  }
}

/** Without colours of its own a code is drawn in those of the terminal, which may be dark on light. */
function isInverted({ colorLevel, background }: Capabilities, { style, invert }: DrawingOptions): boolean {
  const isPlain = style === 'plain' || (colorLevel === 0 && style !== 'spaces');
  return invert || (isPlain && background === 'light');
}

function inverted({ label, style, ...more }: QrRenderer): QrRenderer {
  return { ...more, label: `${label}, light and dark exchanged`, style: negative(style) };
}

/**
 * Returns the renderers that a person may go through to see which one the camera reads: the given ones, and
 * those that the terminal may be able to show although it isn't known to.
 */
export function allRenderers(
  renderers: readonly QrRenderer[],
  { colorLevel, unicode, mayUnicode = unicode }: Capabilities,
): readonly QrRenderer[] {
  const uncoloured = [plain, inverted(plain), plainSextant, inverted(plainSextant)];
  const possible = colorLevel > 0 ? [half, sextant, space] : uncoloured;
  const known = new Set(renderers.map(({ label }) => label));
  return [...renderers, ...possible.filter(({ label }) => (unicode || mayUnicode) && !known.has(label))];
}

/** A drawn code, and the room that it was drawn for. */
export interface PlacedDrawing {
  readonly drawing: Drawing;
  /** The index of the room. */
  readonly roomIndex: number;
}

/**
 * Draws a code by the first renderer that fits a room, in the room that leaves it the widest quiet zone: the
 * first of equals. Returns undefined if none fits.
 */
export function drawInRooms(
  matrix: Matrix,
  renderers: readonly QrRenderer[],
  rooms: readonly Room[],
): PlacedDrawing | undefined {
  for (const { style } of renderers) {
    const zones = rooms.map((room) => quietZoneIn(matrix.length, room, style) ?? 0);
    const place = zones.indexOf(Math.max(...zones));
    const room = rooms[place];
    const drawing = room && drawMatrix(matrix, room, style);
    if (drawing) return { drawing, roomIndex: place };
  }
  return undefined;
}

/** Returns the renderers by which a code fits one of the rooms. */
export function fittingRenderers(
  matrix: Matrix,
  renderers: readonly QrRenderer[],
  rooms: readonly Room[],
): readonly QrRenderer[] {
  return renderers.filter(({ style }) =>
    rooms.some((room) => quietZoneIn(matrix.length, room, style) !== undefined),
  );
}

/** Returns the smallest room that a code can be drawn in by one of the renderers, or undefined if there is none. */
export function minRoom(matrix: Matrix, renderers: readonly QrRenderer[]): Room | undefined {
  return renderers
    .map(({ style }) => roomForModules(matrix.length, style))
    .sort((one, other) => one.rows - other.rows)[0];
}
