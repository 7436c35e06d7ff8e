import decodeQR from 'qr/decode.js';
import { type Picture, readPng } from './png.ts';
import { Unreadable } from './unreadable.ts';

/**
 * The text of the one QR code in a PNG.
 * @throws Unreadable, with the reason
 */
export function decodePng(png: Uint8Array): string {
  return decodePicture(readPng(png));
}

/**
 * The text of the one QR code in a picture. Services draw codes in many ways, so the picture is brought
 * into the form that readers like: opaque, dark on light, large enough, with a margin.
 * @throws Unreadable `noCode`
 */
export function decodePicture(picture: Picture): string {
  const opaque = onPaper(picture, white);
  const shown = isFlat(opaque) ? onPaper(picture, black) : opaque;
  if (isFlat(shown)) throw new Unreadable('noCode', 'is blank');
  const attempts = [() => shown, () => negative(shown)];
  for (const attempt of attempts) {
    const text = read(withMargin(enlarged(attempt())));
    if (text !== undefined) return text;
  }
  throw new Unreadable('noCode', 'shows no QR code that can be read');
}

/** An opaque picture: one luma byte a pixel. */
interface Opaque {
  readonly width: number;
  readonly height: number;
  readonly luma: Uint8Array;
}

const white = 255;
const black = 0;

/** Lays a picture on paper of one shade. */
function onPaper({ width, height, luma, alpha }: Picture, paper: number): Opaque {
  if (!alpha) return { width, height, luma };
  const laid = luma.map((value, at) => {
    const opacity = alpha[at] ?? white;
    return Math.round((value * opacity + paper * (white - opacity)) / white);
  });
  return { width, height, luma: laid };
}

/** Less difference than this is no picture. */
const leastContrast = 16;

function isFlat({ luma }: Opaque): boolean {
  let [darkest, lightest] = [white, black];
  for (const value of luma) {
    if (value < darkest) darkest = value;
    if (value > lightest) lightest = value;
  }
  return lightest - darkest < leastContrast;
}

function negative({ width, height, luma }: Opaque): Opaque {
  return { width, height, luma: luma.map((value) => white - value) };
}

/** Finder patterns of one or two pixels a module are too small for the reader. */
const leastSide = 400;

function enlarged(picture: Opaque): Opaque {
  const scale = Math.ceil(leastSide / Math.max(picture.width, picture.height));
  if (scale <= 1) return picture;
  const [width, height] = [picture.width * scale, picture.height * scale];
  const luma = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 1) {
    const from = Math.floor(y / scale) * picture.width;
    for (let x = 0; x < width; x += 1) luma[y * width + x] = picture.luma[from + Math.floor(x / scale)] ?? 0;
  }
  return { width, height, luma };
}

/** The quiet zone of four modules, for a code of the fewest modules, 21, that has none (ISO/IEC 18004). */
const marginShare = 4 / 21;

/** The largest picture that the reader takes, a side. */
const largestSide = 4096;

function withMargin(picture: Opaque): Opaque {
  const longest = Math.max(picture.width, picture.height);
  const margin = Math.min(Math.ceil(longest * marginShare), Math.floor((largestSide - longest) / 2));
  if (margin <= 0) return picture;
  const [width, height] = [picture.width + 2 * margin, picture.height + 2 * margin];
  const luma = new Uint8Array(width * height).fill(white);
  for (let y = 0; y < picture.height; y += 1) {
    const row = picture.luma.subarray(y * picture.width, (y + 1) * picture.width);
    luma.set(row, (y + margin) * width + margin);
  }
  return { width, height, luma };
}

/** Undefined where there is no code. */
function read({ width, height, luma }: Opaque): string | undefined {
  // The format's chroma planes are ignored by the reader, but have to be there.
  const data = new Uint8Array(width * height + 2 * Math.ceil(width / 2) * Math.ceil(height / 2));
  data.set(luma);
  try {
    // By default the reader gives up after 16 ms: the result would depend on how busy the machine is.
    return decodeQR({ width, height, data }, { format: 'I420', effort: Infinity, timeLimit: Infinity });
  } catch {
    // It throws an error of its own for each stage that it fails at; none of them helps anybody.
    return undefined;
  }
}
