import {
  chooseLayout,
  codeRoom,
  type Drawing,
  drawMatrix,
  type Layout,
  windowForModules,
} from '../qr/draw.ts';
import { type Matrix, makeMatrix } from '../qr/matrix.ts';
import {
  type CodeStyle,
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

/**
 * Returns the modules of a code, or undefined if it is too long to draw. A code from a service may exceed the
 * 2953 bytes that this encoder supports: digits take less space than bytes.
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
  /** True if the locale is UTF-8, or the terminal shows that it supports UTF-8. */
  readonly unicode: boolean;
  /** False if the terminal shows that it doesn't. Without a UTF-8 locale it may still support UTF-8. */
  readonly mightShowUnicode?: boolean;
  /** False if it is known not to draw sextants. */
  readonly sextants: boolean;
  /** Undefined if the terminal doesn't report it. */
  readonly background: 'dark' | 'light' | undefined;
}

/** A way of drawing codes, with its name on the screen. */
export interface Renderer {
  readonly label: string;
  readonly style: Style;
  /** True if many terminals lack its characters, which are newer. */
  readonly isFine?: boolean;
}

const half: Renderer = { label: 'half blocks', style: halfBlocks };
const sextant: Renderer = { label: 'sextants', style: sextants, isFine: true };
const space: Renderer = { label: 'spaces', style: spaces };
const plain: Renderer = { label: 'half blocks without colour', style: plainHalfBlocks };
const plainSextant: Renderer = { label: 'sextants without colour', style: plainSextants, isFine: true };

function invertRenderer({ label, style, ...more }: Renderer): Renderer {
  return { ...more, label: `${label}, light and dark exchanged`, style: negative(style) };
}

/**
 * Returns the renderers that are tried automatically, the best first: half blocks, then sextants if those don't fit, and
 * spaces without UTF-8. Without colours, a code is drawn in those of the terminal, which may be dark on light.
 * Empty if the terminal supports none.
 */
export function automaticRenderers(capabilities: Capabilities, style: CodeStyle): readonly Renderer[] {
  const { colorLevel, unicode, background, sextants: drawsSextants } = capabilities;
  const isPlain = colorLevel === 0 || style === 'plain';
  const suited = (one: Renderer): Renderer => (isPlain && background === 'light' ? invertRenderer(one) : one);
  const blocks = suited(isPlain ? plain : half);
  const fine = suited(isPlain ? plainSextant : sextant);
  switch (style) {
    case 'spaces':
      return [space];
    case 'plain':
    case 'half':
      return [blocks];
    case 'sextant':
      return [fine];
    case 'auto':
      if (unicode) return drawsSextants ? [blocks, fine] : [blocks];
      return colorLevel > 0 ? [space] : [];
  }
}

/**
 * Returns the renderers that a user may switch between to find one that the camera reads: the given ones, and
 * those that the terminal may support although that is unknown.
 */
export function allRenderers(
  renderers: readonly Renderer[],
  { colorLevel, unicode, mightShowUnicode = unicode }: Capabilities,
): readonly Renderer[] {
  const uncoloured = [plain, invertRenderer(plain), plainSextant, invertRenderer(plainSextant)];
  const possible = colorLevel > 0 ? [half, sextant, space] : uncoloured;
  const known = new Set(renderers.map(({ label }) => label));
  return [
    ...renderers,
    ...possible.filter(({ label }) => (unicode || mightShowUnicode) && !known.has(label)),
  ];
}

/** A drawn code, with its layout. */
export interface PlacedCode {
  readonly drawing: Drawing;
  readonly layout: Layout;
  readonly renderer: Renderer;
}

/** Draws a code on a screen with the first renderer that fits. Returns undefined if none does. */
export function placeCode(
  matrix: Matrix | undefined,
  renderers: readonly Renderer[],
  screen: Room,
): PlacedCode | undefined {
  const [renderer] = fittingRenderers(matrix, renderers, screen);
  const place = matrix && renderer && chooseLayout(matrix.length, screen, renderer.style);
  const drawing = place && drawMatrix(matrix, codeRoom(place.layout, screen), renderer.style);
  return drawing && { drawing, layout: place.layout, renderer };
}

/** Returns the renderers with which a code fits a screen; none if there is no code. */
export function fittingRenderers(
  matrix: Matrix | undefined,
  renderers: readonly Renderer[],
  screen: Room,
): readonly Renderer[] {
  return renderers.filter(({ style }) => matrix && chooseLayout(matrix.length, screen, style));
}

/** Returns the smallest window in which a renderer can draw a code, as text; undefined if there is none. */
export function smallestWindow(
  matrix: Matrix,
  renderers: readonly Renderer[],
  screen: Room,
): string | undefined {
  const [room] = renderers
    .map(({ style }) => windowForModules(matrix.length, style, screen))
    .sort((one, other) => one.rows - other.rows);
  return room && sizeInWords(room);
}

/** Returns a size as text: `80 x 24`. */
export function sizeInWords({ columns, rows }: Room): string {
  return `${columns} x ${rows}`;
}
