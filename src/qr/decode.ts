import decodeQR from 'qr/decode.js';
import { type Picture, readPng } from './png.ts';
import { UnreadablePicture } from './unreadable-picture.ts';

/** Maximum size of a PNG. Pictures of codes have a few thousand bytes. */
export const maxPngBytes = 2 * 1024 * 1024;

/**
 * Returns the text of the one QR code in a PNG.
 * @throws UnreadablePicture, with the reason
 */
export function decodePng(png: Uint8Array): string {
  if (png.length > maxPngBytes) {
    throw new UnreadablePicture('tooLarge', `has more than ${maxPngBytes / 1024 / 1024} MB`);
  }
  return decodePicture(readPng(png));
}

/**
 * Returns the text of the only QR code in a picture. Services draw codes in many ways, so the picture is first
 * converted to the form that readers expect: opaque, dark on light, large enough. This reader needs no margin.
 * @throws UnreadablePicture `noCode`
 */
function decodePicture(picture: Picture): string {
  const opaque = flattenOn(picture, white);
  const shown = isFlat(opaque) ? flattenOn(picture, black) : opaque;
  if (isFlat(shown)) throw new UnreadablePicture('noCode', 'is blank');
  const attempts = [() => shown, () => negative(shown), () => withoutFrame(shown)];
  for (const attempt of attempts) {
    const picture = attempt();
    const text = picture && readCode(enlarged(picture));
    if (text !== undefined) return text;
  }
  throw new UnreadablePicture('noCode', 'shows no QR code that can be read');
}

/** An opaque picture with one luma byte per pixel. */
interface GrayPicture {
  readonly width: number;
  readonly height: number;
  readonly luma: Uint8Array;
}

const white = 255;
const black = 0;

/** Returns the picture over a background of one shade. */
function flattenOn({ width, height, luma, alpha }: Picture, paper: number): GrayPicture {
  if (!alpha) return { width, height, luma };
  const laid = luma.map((value, at) => {
    const opacity = alpha[at] ?? white;
    return Math.round((value * opacity + paper * (white - opacity)) / white);
  });
  return { width, height, luma: laid };
}

/** A picture with less contrast than this is blank. */
const minContrast = 16;

function isFlat({ luma }: GrayPicture): boolean {
  let [darkest, lightest] = [white, black];
  for (const value of luma) {
    if (value < darkest) darkest = value;
    if (value > lightest) lightest = value;
  }
  return lightest - darkest < minContrast;
}

function negative({ width, height, luma }: GrayPicture): GrayPicture {
  return { width, height, luma: luma.map((value) => white - value) };
}

/**
 * Returns the part between the outermost light pixels, or undefined if that is the whole picture. If a code without
 * margin is on a dark background, this finds its edges: the separator of each finder pattern is light and reaches the
 * edge.
 */
function withoutFrame({ width, height, luma }: GrayPicture): GrayPicture | undefined {
  let [left, top, right, bottom] = [width, height, 0, 0];
  luma.forEach((value, at) => {
    if (value <= white / 2) return;
    const [x, y] = [at % width, Math.floor(at / width)];
    left = Math.min(left, x);
    right = Math.max(right, x + 1);
    top = Math.min(top, y);
    bottom = y + 1;
  });
  const [newWidth, newHeight] = [right - left, bottom - top];
  if (newWidth <= 0 || (newWidth === width && newHeight === height)) return undefined;
  const inside = new Uint8Array(newWidth * newHeight);
  for (let y = 0; y < newHeight; y += 1) {
    const from = (top + y) * width + left;
    inside.set(luma.subarray(from, from + newWidth), y * newWidth);
  }
  return { width: newWidth, height: newHeight, luma: inside };
}

/** The reader can't detect finder patterns of one or two pixels per module, so small pictures are enlarged. */
const minSide = 400;

function enlarged(picture: GrayPicture): GrayPicture {
  const scale = Math.ceil(minSide / Math.max(picture.width, picture.height));
  if (scale <= 1) return picture;
  const [width, height] = [picture.width * scale, picture.height * scale];
  const luma = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 1) {
    const from = Math.floor(y / scale) * picture.width;
    for (let x = 0; x < width; x += 1) luma[y * width + x] = picture.luma[from + Math.floor(x / scale)] ?? 0;
  }
  return { width, height, luma };
}

/** Decodes a code; returns undefined if there is none. */
function readCode({ width, height, luma }: GrayPicture): string | undefined {
  try {
    // In this format the reader needs only the luma, which is the first plane. By default it gives up after 16 ms: the
    // result would depend on the load of the machine.
    return decodeQR({ width, height, data: luma }, { format: 'I420', effort: Infinity, timeLimit: Infinity });
  } catch {
    // It throws a different error for each failing step; none of them helps a user.
    return undefined;
  }
}
