import { decode } from 'fast-png';
import jsQR from 'jsqr';
import { Failure, inputFailure } from '../../lib/errors.ts';
import { SandboxProblem } from '../problem.ts';
import { safePng } from './safe-png.ts';

/** A camera's picture: RGBA, 8 bits each, row by row. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}

/**
 * Reads the text of the only QR code in a PNG, as a phone's camera would. Transparency counts as white. A negative is
 * read too: services may draw as they like, and newer phones can read it.
 * @throws Failure `invalidInput` if it is not a PNG, or if no code is recognised.
 */
export function readPicture(png: Uint8Array): string {
  const pixels = decodePng(png);
  const text = read(pixels) ?? readNegative(pixels);
  if (text !== undefined) return text;
  throw inputFailure(
    ['The phone sees no QR code in the picture.'],
    'Use a sharp picture of the whole code with a white margin.',
  );
}

/**
 * Returns the text of the only QR code among pixels, or undefined if no code is recognised. Reads only dark on light,
 * as strict phones do.
 */
export function read(pixels: Pixels): string | undefined {
  return find(pixels, 'dontInvert');
}

/** Returns the text of a code, including light on dark, which strict phones can't read; undefined if there is none. */
export function readNegative(pixels: Pixels): string | undefined {
  // jsQR's `onlyInvert` always fails: it requests a negative that it hasn't created.
  return find(pixels, 'attemptBoth');
}

function find(
  { data, width, height }: Pixels,
  inversionAttempts: 'dontInvert' | 'attemptBoth',
): string | undefined {
  const found = jsQR(data, width, height, { inversionAttempts });
  return found === null ? undefined : Buffer.from(found.binaryData).toString('utf8');
}

const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const maxSide = 4096;

function decodePng(png: Uint8Array): Pixels {
  checkSize(png);
  try {
    const safe = safePng(Buffer.from(png.buffer, png.byteOffset, png.byteLength));
    if (!safe) throw inputFailure(['The PNG has more data than its header says.']);
    return onWhite(decode(safe));
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw inputFailure(['The PNG is damaged.'], 'Is the file complete? Save it again.');
  }
}

/** Checks the header before anything is unpacked: IHDR is always the first chunk (PNG, 5.6). */
function checkSize(png: Uint8Array): void {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const isPng = png.length >= 33 && signature.every((byte, index) => png[index] === byte);
  if (!isPng) throw notPng(png);
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  if (width < 1 || height < 1 || width > maxSide || height > maxSide) {
    throw inputFailure([`The PNG is ${width} × ${height} pixels; at most ${maxSide} per side can be read.`]);
  }
}

/** The signatures of other picture formats. */
const otherFormats: readonly (readonly [string, RegExp])[] = [
  ['JPEG', /^\xff\xd8\xff/],
  ['GIF', /^GIF8/],
  ['WebP', /^RIFF....WEBP/s],
  ['BMP', /^BM/],
  ['SVG', /^\s*<(\?xml|svg)/],
];

function notPng(bytes: Uint8Array): Failure {
  if (bytes.length === 0) {
    const hint = 'Check that the file is complete, or that the command before the pipe worked.';
    return inputFailure(['The picture is empty.'], hint);
  }
  const head = Buffer.from(bytes.subarray(0, 4096)).toString('latin1');
  const format = otherFormats.find(([, beginning]) => beginning.test(head))?.[0];
  if (format !== undefined) {
    return inputFailure([`The picture is a ${format}, not a PNG.`], 'Save it as a PNG and scan that.');
  }
  if (head.startsWith('data:')) {
    const message = 'The picture is a data URL, not a PNG.';
    return new SandboxProblem(message, { code: 'pictureIsDataUrl' });
  }
  const message = 'The picture is not a PNG.';
  const isText = !/[\x00-\x07\x0e-\x1a]/.test(head);
  return isText ? new SandboxProblem(message, { code: 'pictureIsText' }) : inputFailure([message]);
}

type DecodedPng = ReturnType<typeof decode>;

function onWhite(png: DecodedPng): Pixels {
  const { width, height, channels } = png;
  const pixels = width * height;
  const data = new Uint8ClampedArray(pixels * 4);
  const samples = unpack(png);
  // A picture with one channel has few colours, so they are cached.
  const known: (Uint8ClampedArray | undefined)[] = [];
  for (let pixel = 0; pixel < pixels; pixel += 1) {
    const value = channels === 1 ? samples[pixel] : undefined;
    let colour = value === undefined ? undefined : known[value];
    if (!colour) {
      colour = colourOnWhite(png, samples, pixel);
      if (value !== undefined) known[value] = colour;
    }
    data.set(colour, pixel * 4);
  }
  return { width, height, data };
}

function colourOnWhite(png: DecodedPng, samples: ArrayLike<number>, pixel: number): Uint8ClampedArray {
  const { red, green, blue, alpha } = colourOf(png, samples, pixel);
  const over = (sample: number): number => 255 - alpha + (sample * alpha) / 255;
  return Uint8ClampedArray.of(over(red), over(green), over(blue), 255);
}

/** Returns one entry per sample: rows with fewer than 8 bits per sample are packed, and padded to whole bytes. */
function unpack({ data, width, height, channels, depth }: DecodedPng): ArrayLike<number> {
  if (depth >= 8) return data;
  const perByte = 8 / depth;
  const perRow = width * channels;
  const stride = Math.ceil(perRow / perByte);
  const samples = new Uint8Array(perRow * height);
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < perRow; column += 1) {
      const byte = data[row * stride + Math.floor(column / perByte)] ?? 0;
      samples[row * perRow + column] = (byte >> (8 - depth * ((column % perByte) + 1))) & (2 ** depth - 1);
    }
  }
  return samples;
}

interface Colour {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
  readonly alpha: number;
}

function colourOf(png: DecodedPng, samples: ArrayLike<number>, pixel: number): Colour {
  const at = pixel * png.channels;
  const sample = (channel: number): number => samples[at + channel] ?? 0;
  if (png.palette) {
    const [red = 0, green = 0, blue = 0, alpha = 255] = png.palette[sample(0)] ?? [];
    return { red, green, blue, alpha };
  }
  const scaled = (channel: number): number => (sample(channel) * 255) / (2 ** png.depth - 1);
  const grey = png.channels < 3;
  const [red, green, blue] = grey ? [scaled(0), scaled(0), scaled(0)] : [scaled(0), scaled(1), scaled(2)];
  if (png.channels === 2 || png.channels === 4) return { red, green, blue, alpha: scaled(png.channels - 1) };
  const { transparency } = png;
  const keyed = transparency?.every((value, channel) => value === sample(channel));
  return { red, green, blue, alpha: keyed ? 0 : 255 };
}
