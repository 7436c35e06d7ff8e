import type { Pixels } from './camera.ts';
import { emptyCell, type Screen } from './screen-text.ts';

/**
 * Pixels per cell. Halves and thirds are whole numbers, cells are twice as high as wide as in most fonts, and the
 * smallest module, a sextant's, measures 3 × 4.
 */
const cell = { width: 6, height: 12 } as const;

/** Renders a screen as a picture: block characters and colours exactly, letters as blots. */
export function photograph(screen: Screen): Pixels {
  const columns = Math.max(1, ...screen.map((row) => row.length));
  const [width, height] = [columns * cell.width, Math.max(1, screen.length) * cell.height];
  const data = new Uint8ClampedArray(width * height * 4);
  const picture = new DataView(data.buffer);
  for (let y = 0; y < height; y += 1) {
    const row = screen[Math.floor(y / cell.height)];
    for (let x = 0; x < width; x += 1) {
      const { glyph, foreground, background } = row?.[Math.floor(x / cell.width)] ?? emptyCell;
      const colour = isInked(glyph, x % cell.width, y % cell.height) ? foreground : background;
      picture.setUint32((y * width + x) * 4, colour * 0x100 + 0xff);
    }
  }
  return { width, height, data };
}

/** Returns true if a glyph has its foreground at a pixel of its cell. */
function isInked(glyph: string, x: number, y: number): boolean {
  const right = x >= cell.width / 2;
  const low = y >= cell.height / 2;
  switch (glyph) {
    case ' ':
    case '\u00a0':
      return false;
    case '█':
      return true;
    case '▀':
      return !low;
    case '▄':
      return low;
    case '▌':
      return !right;
    case '▐':
      return right;
    default: {
      const sextant = sextantOf(glyph);
      if (sextant === undefined) return x >= 1 && x < cell.width - 1 && y >= 3 && y < cell.height - 3;
      const third = Math.floor((y * 3) / cell.height);
      return (sextant & (1 << (third * 2 + (right ? 1 : 0)))) !== 0;
    }
  }
}

/**
 * Returns the six cells of a sextant, the upper left in the lowest bit (Unicode, Symbols for Legacy Computing: U+1FB00
 * to U+1FB3B). The range omits the two halves, which are U+258C and U+2590.
 */
function sextantOf(glyph: string): number | undefined {
  const index = (glyph.codePointAt(0) ?? 0) - 0x1fb00;
  if (index < 0 || index > 0x3b) return undefined;
  const [leftHalf, rightHalf] = [0b010101, 0b101010];
  const skippingLeft = index + 1 >= leftHalf ? index + 2 : index + 1;
  return skippingLeft >= rightHalf ? skippingLeft + 1 : skippingLeft;
}
