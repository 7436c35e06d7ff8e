import { inflateSync } from 'node:zlib';
import { UnreadablePicture } from './unreadable-picture.ts';

/** A picture without colours, which QR codes don't use. One byte per pixel, row by row from the top. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Rec. 601 luma, 0 black to 255 white. */
  readonly luma: Uint8Array;
  /** 0 transparent to 255 opaque, or undefined if every pixel is opaque. */
  readonly alpha: Uint8Array | undefined;
}

/** Maximum pixels per side that the QR reader accepts. */
const maxSide = 4096;

/**
 * Maximum pixels, and maximum unpacked bytes: a version 40 code at 12 pixels per module has 4.9 million pixels, with 4
 * bytes each as RGBA. This keeps the memory for any PNG below 64 MiB, however many pixels a few bytes claim.
 */
const maxPixels = 5 * 1024 * 1024;
const maxBytes = 24 * 1024 * 1024;

/** The content of the header (PNG third edition, 11.2.1). */
interface Header {
  readonly width: number;
  readonly height: number;
  /** Bits per sample. */
  readonly depth: number;
  readonly colourType: number;
  /** Samples per pixel. */
  readonly channels: number;
  readonly interlaced: boolean;
}

/** Samples per pixel and allowed depths, by colour type (PNG third edition, table 8). */
const colourTypes: Readonly<
  Record<number, { readonly channels: number; readonly depths: readonly number[] }>
> = {
  0: { channels: 1, depths: [1, 2, 4, 8, 16] },
  2: { channels: 3, depths: [8, 16] },
  3: { channels: 1, depths: [1, 2, 4, 8] },
  4: { channels: 2, depths: [8, 16] },
  6: { channels: 4, depths: [8, 16] },
};

const grey = 0;
const palette = 3;
const greyAlpha = 4;
const truecolourAlpha = 6;

/**
 * Reads a PNG of any kind (PNG third edition), within fixed limits of size and memory. Checksums of chunks are not
 * checked: damage shows in the compressed data, and QR codes correct the rest.
 * @throws UnreadablePicture `notPng`, `damaged` or `tooLarge`
 */
export function readPng(bytes: Uint8Array): Picture {
  const chunks = readChunks(bytes);
  const { header } = chunks;
  const passes = header.interlaced ? adam7 : [wholePicture];
  const rows = unpack(chunks.data, bytesOf(header, passes));
  const shades = header.colourType === palette ? paletteShades(chunks) : undefined;
  const isKeyed = transparentKey(header, chunks.transparency);

  const { width, height } = header;
  const hasAlpha =
    header.colourType === greyAlpha ||
    header.colourType === truecolourAlpha ||
    chunks.transparency !== undefined;
  const luma = new Uint8Array(width * height);
  const alpha = hasAlpha ? new Uint8Array(width * height).fill(255) : undefined;
  const sample = new Uint16Array(header.channels);
  forEachPixel(header, passes, rows, sample, (at) => {
    if (shades) {
      const shade = shades[sample[0] ?? 0];
      if (!shade)
        throw new UnreadablePicture(
          'damaged',
          'is a damaged PNG: a pixel has a colour that is not in its palette',
        );
      luma[at] = shade.luma;
      if (alpha) alpha[at] = shade.alpha;
      return;
    }
    luma[at] = lumaOf(sample, header);
    if (!alpha) return;
    if (isKeyed) alpha[at] = isKeyed(sample) ? 0 : 255;
    else alpha[at] = scaled(sample[header.channels - 1] ?? 0, header.depth);
  });
  return { width, height, luma, alpha };
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

interface Chunks {
  readonly header: Header;
  readonly palette: Buffer | undefined;
  readonly transparency: Buffer | undefined;
  /** The compressed pixels of all chunks, concatenated. */
  readonly data: Buffer;
}

interface Chunk {
  readonly type: string;
  readonly content: Buffer;
}

function readChunks(bytes: Uint8Array): Chunks {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!file.subarray(0, signature.length).equals(signature))
    throw new UnreadablePicture('notPng', describeFormat(file));
  let header: Header | undefined;
  let [palette, transparency]: (Buffer | undefined)[] = [];
  let pixels = 0;
  for (const { type, content } of chunksOf(file)) {
    // The header comes first: if it is refused, the rest needn't be read.
    if (type === 'IHDR') header = readHeader(content);
    else if (type === 'PLTE') palette = content;
    else if (type === 'tRNS') transparency = content;
    else if (type === 'IDAT') pixels += content.length;
  }
  if (!header) throw new UnreadablePicture('damaged', 'is a PNG without a header');
  if (pixels === 0) throw new UnreadablePicture('damaged', 'is a PNG without pixels');
  // Copies chunk by chunk: an array of millions of tiny ones would take more memory than the whole file.
  const data = Buffer.alloc(pixels);
  let at = 0;
  for (const { type, content } of chunksOf(file)) if (type === 'IDAT') at += content.copy(data, at);
  return { header, palette, transparency, data };
}

/** Yields the chunks of a PNG up to the end chunk, which is required (PNG third edition, 5.3). */
function* chunksOf(file: Buffer): Generator<Chunk> {
  for (let at = signature.length; ; ) {
    if (at + 12 > file.length) throw new UnreadablePicture('damaged', 'is a PNG that is cut off');
    const end = at + 8 + file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    if (end + 4 > file.length) throw new UnreadablePicture('damaged', 'is a PNG that is cut off');
    if (at === signature.length && type !== 'IHDR')
      throw new UnreadablePicture('damaged', 'is a PNG without a header');
    if (type === 'IEND') return;
    yield { type, content: file.subarray(at + 8, end) };
    at = end + 4;
  }
}

/** Names the format, if it is one that services send by mistake. */
function describeFormat(file: Buffer): string {
  if (file.length === 0) return 'is empty';
  const start = file.toString('latin1', 0, 256);
  const kinds: readonly (readonly [RegExp, string])[] = [
    [/^\xff\xd8\xff/, 'a JPEG'],
    [/^GIF8/, 'a GIF'],
    [/^RIFF....WEBP/s, 'a WebP'],
    [/^BM/, 'a BMP'],
    [/^\s*(<\?xml[^>]*>\s*)?<svg/i, 'an SVG'],
    [/^\s*<(!doctype|html|head|body)/i, 'an HTML page'],
    [/^%PDF/, 'a PDF'],
    [/^\s*[{[]/, 'JSON'],
  ];
  const kind = kinds.find(([pattern]) => pattern.test(start))?.[1];
  return kind ? `is ${kind}, not a PNG` : 'is not a PNG';
}

function readHeader(content: Buffer): Header {
  if (content.length !== 13) throw new UnreadablePicture('damaged', 'is a PNG whose header is malformed');
  const [width, height] = [content.readUInt32BE(0), content.readUInt32BE(4)];
  const [depth = 0, colourType = 0, compression, filter, interlace] = content.subarray(8);
  const kind = colourTypes[colourType];
  const isKnown =
    kind?.depths.includes(depth) && compression === 0 && filter === 0 && (interlace === 0 || interlace === 1);
  if (!kind || !isKnown || width === 0 || height === 0) {
    throw new UnreadablePicture('damaged', 'is a PNG whose header is malformed');
  }
  const pixels = width * height;
  const bytes = (pixels * kind.channels * depth) / 8;
  if (width > maxSide || height > maxSide || pixels > maxPixels || bytes > maxBytes) {
    throw new UnreadablePicture(
      'tooLarge',
      `measures ${width} × ${height} pixels, far more than a code needs`,
    );
  }
  return { width, height, depth, colourType, channels: kind.channels, interlaced: interlace === 1 };
}

/** The pixels of a pass: every `dx`th from `x` on, every `dy`th row from `y` on. */
interface Pass {
  readonly x: number;
  readonly y: number;
  readonly dx: number;
  readonly dy: number;
}

const wholePicture: Pass = { x: 0, y: 0, dx: 1, dy: 1 };

/** The passes of interlacing (PNG third edition, 8.1). */
const adam7: readonly Pass[] = [
  { x: 0, y: 0, dx: 8, dy: 8 },
  { x: 4, y: 0, dx: 8, dy: 8 },
  { x: 0, y: 4, dx: 4, dy: 8 },
  { x: 2, y: 0, dx: 4, dy: 4 },
  { x: 0, y: 2, dx: 2, dy: 4 },
  { x: 1, y: 0, dx: 2, dy: 2 },
  { x: 0, y: 1, dx: 1, dy: 2 },
];

/** Returns the size of a pass in pixels; it is empty if it begins beyond the edge. */
function extent({ width, height }: Header, pass: Pass): { columns: number; rows: number } {
  const columns = Math.max(0, Math.ceil((width - pass.x) / pass.dx));
  const rows = Math.max(0, Math.ceil((height - pass.y) / pass.dy));
  return columns > 0 && rows > 0 ? { columns, rows } : { columns: 0, rows: 0 };
}

/** Returns the bytes of a row without its filter type. */
function strideOf({ channels, depth }: Header, columns: number): number {
  return Math.ceil((columns * channels * depth) / 8);
}

function bytesOf(header: Header, passes: readonly Pass[]): number {
  return passes.reduce((sum, pass) => {
    const { columns, rows } = extent(header, pass);
    return sum + rows * (1 + strideOf(header, columns));
  }, 0);
}

/** Decompresses exactly as many bytes as the header announces, into one buffer of that size. */
function unpack(data: Buffer, expected: number): Buffer {
  let rows: Buffer;
  try {
    rows = inflateSync(data, { chunkSize: Math.max(64, expected + 1), maxOutputLength: expected });
  } catch (error) {
    const tooMuch = error instanceof RangeError;
    const why = tooMuch ? 'it holds more pixels than its header says' : "its pixels can't be unpacked";
    throw new UnreadablePicture('damaged', `is a damaged PNG: ${why}`);
  }
  if (rows.length < expected) throw new UnreadablePicture('damaged', 'is a damaged PNG: pixels are missing');
  return rows;
}

/** Unfilters the rows of each pass, and calls back with each pixel's samples and its position in the picture. */
function forEachPixel(
  header: Header,
  passes: readonly Pass[],
  filtered: Buffer,
  sample: Uint16Array,
  callback: (at: number) => void,
): void {
  const { width, channels, depth } = header;
  const distance = Math.max(1, (channels * depth) >> 3);
  let offset = 0;
  for (const pass of passes) {
    const { columns, rows } = extent(header, pass);
    const stride = strideOf(header, columns);
    let above: Uint8Array = new Uint8Array(stride);
    for (let y = 0; y < rows; y += 1) {
      const row = filtered.subarray(offset + 1, offset + 1 + stride);
      unfilter(filtered[offset] ?? 0, row, above, distance);
      const start = (pass.y + y * pass.dy) * width + pass.x;
      for (let x = 0; x < columns; x += 1) {
        readSamples(row, x * channels, depth, sample);
        callback(start + x * pass.dx);
      }
      above = row;
      offset += 1 + stride;
    }
  }
}

/** Undoes the filter of a row in place (PNG third edition, 9.2). */
function unfilter(type: number, row: Uint8Array, above: Uint8Array, distance: number): void {
  if (type > 4) throw new UnreadablePicture('damaged', 'is a damaged PNG: a row has an unknown filter');
  if (type === 0) return;
  for (let x = 0; x < row.length; x += 1) {
    const left = x >= distance ? (row[x - distance] ?? 0) : 0;
    const up = above[x] ?? 0;
    const upperLeft = x >= distance ? (above[x - distance] ?? 0) : 0;
    row[x] = (row[x] ?? 0) + predicted(type, left, up, upperLeft);
  }
}

function predicted(type: number, left: number, up: number, upperLeft: number): number {
  if (type === 1) return left;
  if (type === 2) return up;
  if (type === 3) return (left + up) >> 1;
  const estimate = left + up - upperLeft;
  const [byLeft, byUp, byUpperLeft] = [
    Math.abs(estimate - left),
    Math.abs(estimate - up),
    Math.abs(estimate - upperLeft),
  ];
  if (byLeft <= byUp && byLeft <= byUpperLeft) return left;
  return byUp <= byUpperLeft ? up : upperLeft;
}

function readSamples(row: Uint8Array, first: number, depth: number, sample: Uint16Array): void {
  for (let channel = 0; channel < sample.length; channel += 1) {
    const index = first + channel;
    if (depth === 8) sample[channel] = row[index] ?? 0;
    else if (depth === 16) sample[channel] = ((row[index * 2] ?? 0) << 8) | (row[index * 2 + 1] ?? 0);
    else {
      const bit = index * depth;
      sample[channel] = ((row[bit >> 3] ?? 0) >> (8 - depth - (bit & 7))) & (2 ** depth - 1);
    }
  }
}

/** Converts a sample of any depth to 8 bits. */
function scaled(sample: number, depth: number): number {
  return depth === 8 ? sample : Math.round((sample * 255) / (2 ** depth - 1));
}

function lumaOf(sample: Uint16Array, { channels, depth }: Header): number {
  const first = scaled(sample[0] ?? 0, depth);
  if (channels < 3) return first;
  return rec601(first, scaled(sample[1] ?? 0, depth), scaled(sample[2] ?? 0, depth));
}

function rec601(red: number, green: number, blue: number): number {
  return Math.round(0.299 * red + 0.587 * green + 0.114 * blue);
}

interface Shade {
  readonly luma: number;
  readonly alpha: number;
}

function paletteShades({ palette: colours, transparency }: Chunks): readonly Shade[] {
  if (!colours || colours.length === 0 || colours.length % 3 !== 0 || colours.length > 768) {
    throw new UnreadablePicture('damaged', 'is a damaged PNG: its palette is missing or malformed');
  }
  return Array.from({ length: colours.length / 3 }, (_, index) => {
    const [red = 0, green = 0, blue = 0] = colours.subarray(index * 3, index * 3 + 3);
    return { luma: rec601(red, green, blue), alpha: transparency?.[index] ?? 255 };
  });
}

/** Returns a function that matches the one colour defined as transparent (PNG third edition, 11.3.1.1). */
function transparentKey(
  { colourType, channels }: Header,
  transparency: Buffer | undefined,
): ((sample: Uint16Array) => boolean) | undefined {
  if (!transparency || (colourType !== grey && colourType !== 2)) return undefined;
  if (transparency.length !== channels * 2) {
    throw new UnreadablePicture('damaged', 'is a damaged PNG: its transparent colour is malformed');
  }
  const key = Array.from({ length: channels }, (_, channel) => transparency.readUInt16BE(channel * 2));
  return (sample) => key.every((value, channel) => value === sample[channel]);
}
