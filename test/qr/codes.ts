import encodeQR from 'qr';
import QRCode from 'qrcode-terminal/vendor/QRCode/index.js';
import type { Drawn, Rgba } from './write-png.ts';

/** Error correction levels, from lowest to highest. */
export const levels = ['low', 'medium', 'quartile', 'high'] as const;

/** Two independent encoders. */
export const encoders = ['qr', 'qrcode-terminal'] as const;

/** Options for drawing a code. */
export interface CodeOptions {
  readonly level?: (typeof levels)[number];
  readonly encoder?: (typeof encoders)[number];
  /** Modules around the code; 4 by default. */
  readonly margin?: number;
  /** Pixels of a module's side; 4 by default. */
  readonly scale?: number;
  readonly dark?: Rgba;
  readonly light?: Rgba;
  /** Width of a blank square in the middle, as a share of the code's side. */
  readonly logo?: number;
  /** The shape of dark modules; squares by default. Finder patterns are always squares. */
  readonly shape?: 'rounded' | 'dot';
}

const whiteColour: Rgba = [255, 255, 255, 255];
const blackColour: Rgba = [0, 0, 0, 255];

export function drawnCode(text: string, look: CodeOptions = {}): Drawn {
  const { level = 'medium', margin = 4, scale = 4, dark = blackColour, light = whiteColour, logo = 0 } = look;
  const modules = modulesOf(text, level, look.encoder ?? 'qr');
  const side = (modules.length + 2 * margin) * scale;
  const isLogo = (position: number): boolean => Math.abs(position / side - 0.5) < logo / 2;
  return {
    width: side,
    height: side,
    pixel(x, y) {
      if (isLogo(x) && isLogo(y)) return light;
      const [row, column] = [Math.floor(y / scale) - margin, Math.floor(x / scale) - margin];
      if (modules[row]?.[column] !== true) return light;
      if (!look.shape || isFinder(row, column, modules.length)) return dark;
      return isInked(look.shape, ((x % scale) + 0.5) / scale, ((y % scale) + 0.5) / scale) ? dark : light;
    },
  };
}

function modulesOf(
  text: string,
  level: NonNullable<CodeOptions['level']>,
  encoder: NonNullable<CodeOptions['encoder']>,
): readonly (readonly boolean[])[] {
  if (encoder === 'qr') {
    // The encoder requires a border, which is removed here.
    const bordered = encodeQR(text, 'raw', { ecc: level, border: 1 });
    return bordered.slice(1, -1).map((row) => row.slice(1, -1));
  }
  const code = new QRCode(-1, { low: 1, medium: 0, quartile: 3, high: 2 }[level]);
  code.addData(Buffer.from(text, 'utf8').toString('latin1'));
  code.make();
  const places = Array.from({ length: code.getModuleCount() }, (_, place) => place);
  return places.map((row) => places.map((column) => code.isDark(row, column)));
}

function isFinder(row: number, column: number, side: number): boolean {
  const [isTop, isLeft] = [row < 7, column < 7];
  return (isTop && isLeft) || (isTop && column >= side - 7) || (isLeft && row >= side - 7);
}

/** Returns whether a shape fills a point of its module, 0 to 1 from its left and top. */
function isInked(shape: NonNullable<CodeOptions['shape']>, x: number, y: number): boolean {
  const [fromCentreX, fromCentreY] = [Math.abs(x - 0.5), Math.abs(y - 0.5)];
  if (shape === 'dot') return Math.hypot(fromCentreX, fromCentreY) <= 0.45;
  const radius = 0.35;
  return (
    Math.hypot(Math.max(0, fromCentreX - 0.5 + radius), Math.max(0, fromCentreY - 0.5 + radius)) <= radius
  );
}

/** Returns a text of this length in the form of a pairing link. */
export function payloadOf(length: number): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_,';
  let text = 'https://sandbox.invalid/pair#2@'.slice(0, length);
  for (let seed = length * 7919 + 1; text.length < length; seed = (seed * 48_271) % 2_147_483_647) {
    text += alphabet[seed % alphabet.length];
  }
  return text;
}
