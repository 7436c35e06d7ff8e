import encodeQR from 'qr';
import type { Drawn, Rgba } from './write-png.ts';

/** How a code is drawn. */
export interface Look {
  readonly level?: 'low' | 'medium' | 'quartile' | 'high';
  /** Modules around the code; 4 where not given. */
  readonly margin?: number;
  /** Pixels of a module's side; 4 where not given. */
  readonly scale?: number;
  readonly dark?: Rgba;
  readonly light?: Rgba;
  /** Width of a blank square in the middle, as a share of the code's side. */
  readonly logo?: number;
}

export const whiteColour: Rgba = [255, 255, 255, 255];
export const blackColour: Rgba = [0, 0, 0, 255];

/** Draws a code, by an encoder that botctl doesn't draw with. */
export function drawnCode(text: string, look: Look = {}): Drawn {
  const { level = 'medium', margin = 4, scale = 4, dark = blackColour, light = whiteColour, logo = 0 } = look;
  // The encoder insists on a border; it is taken off again.
  const bordered = encodeQR(text, 'raw', { ecc: level, border: 1 });
  const modules = bordered.slice(1, -1).map((row) => row.slice(1, -1));
  const side = (modules.length + 2 * margin) * scale;
  const isLogo = (position: number): boolean => Math.abs(position / side - 0.5) < logo / 2;
  return {
    width: side,
    height: side,
    pixel(x, y) {
      if (isLogo(x) && isLogo(y)) return light;
      return modules[Math.floor(y / scale) - margin]?.[Math.floor(x / scale) - margin] === true
        ? dark
        : light;
    },
  };
}

/** A text of so many characters in the shape of a pairing link. */
export function payloadOf(length: number): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_,';
  let text = 'https://sandbox.invalid/pair#2@'.slice(0, length);
  for (let seed = length * 7919 + 1; text.length < length; seed = (seed * 48_271) % 2_147_483_647) {
    text += alphabet[seed % alphabet.length];
  }
  return text;
}
