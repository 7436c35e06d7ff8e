import { encode } from 'fast-png';
import encodeQR from 'qr';

/** The styles in which services draw pairing codes, as seen in the field. `plain` is the sandbox's. */
export const qrStyles = [
  'plain',
  'palette',
  'grey',
  'rgb',
  'green',
  'blue',
  'high',
  'interlaced',
  'transparent',
  'inverted',
  'small',
  'narrow',
  'logo',
] as const;

export type QrStyle = (typeof qrStyles)[number];

/** Draws a pairing code in a style, as a PNG. The same text and style always produce the same bytes. */
export function drawCodeIn(style: QrStyle, text: string): Buffer {
  const appearance: Appearance = { ...plain, ...appearances[style] };
  const modules = encodeQR(text, 'raw', { ecc: appearance.level, border: appearance.margin });
  const scale = appearance.scale ?? Math.max(1, Math.floor(appearance.maxSide / modules.length));
  const side = modules.length * scale;
  const isLogo = (at: number): boolean => Math.abs((at + 0.5) / side - 0.5) < appearance.logo / 2;
  const moduleAt = (at: number): number => Math.floor(at / scale);
  return write(appearance, {
    side,
    isDark: (x, y) => !(isLogo(x) && isLogo(y)) && modules[moduleAt(y)]?.[moduleAt(x)] === true,
    isRepeated: (y) => y > 0 && moduleAt(y) === moduleAt(y - 1) && isLogo(y) === isLogo(y - 1),
  });
}

/** A drawing, measured in pixels. */
interface Drawing {
  readonly side: number;
  isDark(x: number, y: number): boolean;
  /** Returns true if a row is the same as the one above. */
  isRepeated(y: number): boolean;
}

/** Red, green, blue, alpha. */
type Colour = readonly [number, number, number, number];

const black: Colour = [0, 0, 0, 255];
const white: Colour = [255, 255, 255, 255];

interface Appearance {
  /** Error correction. */
  readonly level: 'medium' | 'high';
  /** Modules of white around the code; ISO/IEC 18004 asks for four. */
  readonly margin: number;
  /** The largest side of the picture in pixels; the code takes as many as fit whole modules. */
  readonly maxSide: number;
  /** Pixels of a module's side, whatever the size of the picture. */
  readonly scale?: number;
  readonly dark: Colour;
  readonly light: Colour;
  /** The pixel format; `bits` and `palette` take one bit, the others 8 bits a channel. */
  readonly stored: 'bits' | 'palette' | 'grey' | 'rgb' | 'rgba';
  readonly interlaced: boolean;
  /** Side of a blank square in the middle, where services put their logo, as a share of the picture's. */
  readonly logo: number;
}

/** Black on white, 1 bit a pixel. */
const plain: Appearance = {
  level: 'medium',
  margin: 4,
  maxSide: 300,
  dark: black,
  light: white,
  stored: 'bits',
  interlaced: false,
  logo: 0,
};

/** The differences of each style from the plain one. */
const appearances: Readonly<Record<QrStyle, Partial<Appearance>>> = {
  plain: {},
  palette: { stored: 'palette', maxSide: 256 },
  grey: { stored: 'grey', maxSide: 512 },
  rgb: { stored: 'rgb' },
  green: { stored: 'rgba', level: 'high', margin: 3, maxSide: 380, dark: [0x19, 0x87, 0x54, 255] },
  blue: { stored: 'rgba', level: 'high', margin: 3, maxSide: 380, dark: [0x17, 0x51, 0x97, 255] },
  high: { level: 'high', maxSide: 400 },
  interlaced: { stored: 'rgb', interlaced: true },
  // Most encoders leave black in transparent pixels, so a reader that ignores alpha sees only black.
  transparent: { stored: 'rgba', light: [0, 0, 0, 0] },
  inverted: { dark: white, light: black },
  small: { scale: 3 },
  narrow: { margin: 1 },
  logo: { stored: 'rgba', level: 'high', maxSide: 400, logo: 0.16 },
};

function write(appearance: Appearance, drawing: Drawing): Buffer {
  const { dark, light, stored, interlaced } = appearance;
  const { side } = drawing;
  const size = { width: side, height: side };
  if (stored === 'bits' || stored === 'palette') {
    const palette = stored === 'palette' ? [light.slice(0, 3), dark.slice(0, 3)] : undefined;
    const data = packBits(drawing, palette !== undefined || dark === white);
    return Buffer.from(encode({ ...size, channels: 1, depth: 1, data, ...(palette && { palette }) }));
  }
  const channels = { grey: 1, rgb: 3, rgba: 4 }[stored];
  const [darkSamples, lightSamples] = [dark.slice(0, channels), light.slice(0, channels)];
  const data = drawRows(drawing, side * channels, (row, y) => {
    for (let x = 0; x < side; x += 1)
      row.set(drawing.isDark(x, y) ? darkSamples : lightSamples, x * channels);
  });
  const picture = { ...size, channels, depth: 8 as const, data };
  return Buffer.from(encode(picture, { interlace: interlaced ? 'Adam7' : 'null' }));
}

/** Packs eight pixels into a byte, the leftmost in the highest bit; each row starts a new byte. */
function packBits(drawing: Drawing, darkIsSet: boolean): Uint8Array {
  return drawRows(drawing, Math.ceil(drawing.side / 8), (row, y) => {
    for (let x = 0; x < drawing.side; x += 1) {
      const bit = 0x80 >> (x & 7);
      if (drawing.isDark(x, y) === darkIsSet) row[x >> 3] = (row[x >> 3] ?? 0) | bit;
    }
  });
}

/** Returns all rows; draws only those that differ from the one above. */
function drawRows(
  { side, isRepeated }: Drawing,
  rowBytes: number,
  draw: (row: Uint8Array, y: number) => void,
): Uint8Array {
  const data = new Uint8Array(side * rowBytes);
  for (let y = 0; y < side; y += 1) {
    const start = y * rowBytes;
    if (isRepeated(y)) data.copyWithin(start, start - rowBytes, start);
    else draw(data.subarray(start, start + rowBytes), y);
  }
  return data;
}
