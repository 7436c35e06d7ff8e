import { crc32, deflateSync } from 'node:zlib';

/** An 8-bit colour: red, green, blue, alpha. */
export type Rgba = readonly [number, number, number, number];

/** The pixels of a picture. */
export interface Drawn {
  readonly width: number;
  readonly height: number;
  pixel(x: number, y: number): Rgba;
}

/** The storage format of a picture. */
export interface Storage {
  /** PNG third edition, table 8: 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGBA. */
  readonly colourType: 0 | 2 | 3 | 4 | 6;
  readonly depth: 1 | 2 | 4 | 8 | 16;
  readonly interlaced?: boolean;
  /** Stores transparency as one colour, for types 0 and 2; palettes always have their own. */
  readonly keyed?: boolean;
  /** Filter type of every row, or `all` in rotation: none by default. */
  readonly filter?: 0 | 1 | 2 | 3 | 4 | 'all';
  /** Bytes in a chunk of pixels; one chunk by default. */
  readonly chunkSize?: number;
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Writes a PNG in any storage format. */
export function writePng(picture: Drawn, storage: Storage): Buffer {
  const { width, height } = picture;
  const { colourType, depth, interlaced = false, chunkSize } = storage;
  const colours = new Palette();
  const rows = (interlaced ? adam7 : [{ x: 0, y: 0, dx: 1, dy: 1 }]).map((pass) =>
    packPass(picture, storage, pass, colours),
  );
  const pixels = deflateSync(Buffer.concat(rows));
  const extra: Buffer[] = [];
  if (colourType === 3) {
    extra.push(pngChunk('PLTE', colours.colours()), pngChunk('tRNS', colours.alphas()));
  } else if (storage.keyed) {
    extra.push(
      pngChunk('tRNS', key16(colourType === 0 ? keyGrey(depth) : keyColour.slice(0, 3), depth, colourType)),
    );
  }
  const data: Buffer[] = [];
  for (let at = 0; at < pixels.length; at += chunkSize ?? pixels.length) {
    data.push(pngChunk('IDAT', pixels.subarray(at, at + (chunkSize ?? pixels.length))));
  }
  return Buffer.concat([
    signature,
    pngHeader({ width, height, depth, colourType, interlaced }),
    ...extra,
    ...data,
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The first chunk of every PNG. */
export function pngHeader(header: {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly colourType: number;
  readonly interlaced?: boolean;
}): Buffer {
  const content = Buffer.alloc(13);
  content.writeUInt32BE(header.width, 0);
  content.writeUInt32BE(header.height, 4);
  content.set([header.depth, header.colourType, 0, 0, header.interlaced ? 1 : 0], 8);
  return pngChunk('IHDR', content);
}

/** Returns a chunk with its length and checksum. */
export function pngChunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** Returns a PNG of these chunks. */
export function pngOf(...chunks: readonly Buffer[]): Buffer {
  return Buffer.concat([signature, ...chunks, pngChunk('IEND', Buffer.alloc(0))]);
}

interface Pass {
  readonly x: number;
  readonly y: number;
  readonly dx: number;
  readonly dy: number;
}

const adam7: readonly Pass[] = [
  { x: 0, y: 0, dx: 8, dy: 8 },
  { x: 4, y: 0, dx: 8, dy: 8 },
  { x: 0, y: 4, dx: 4, dy: 8 },
  { x: 2, y: 0, dx: 4, dy: 4 },
  { x: 0, y: 2, dx: 2, dy: 4 },
  { x: 1, y: 0, dx: 2, dy: 2 },
  { x: 0, y: 1, dx: 1, dy: 2 },
];

/** The transparent colour of a keyed picture: a grey or a colour that no test draws. */
const keyGrey = (depth: number): number[] => [depth === 1 ? 1 : depth === 8 || depth === 16 ? 0x77 : 1];
const keyColour = [0x77, 0x13, 0x99, 0];

function key16(samples: readonly number[], depth: number, colourType: number): Buffer {
  const key = Buffer.alloc(samples.length * 2);
  samples.forEach((sample, index) => {
    key.writeUInt16BE(depth === 16 ? sample * 257 : colourType === 0 ? sample : sample, index * 2);
  });
  return key;
}

class Palette {
  readonly #indexes = new Map<string, number>();

  index(colour: Rgba): number {
    const name = colour.join(',');
    const index = this.#indexes.get(name) ?? this.#indexes.size;
    this.#indexes.set(name, index);
    return index;
  }

  colours(): Buffer {
    return Buffer.from(this.#entries().flatMap((colour) => colour.slice(0, 3)));
  }

  alphas(): Buffer {
    return Buffer.from(this.#entries().map((colour) => colour[3] ?? 255));
  }

  #entries(): number[][] {
    return [...this.#indexes.keys()].map((name) => name.split(',').map(Number));
  }
}

function packPass(picture: Drawn, storage: Storage, pass: Pass, colours: Palette): Buffer {
  const columns = Math.ceil((picture.width - pass.x) / pass.dx);
  const rows = Math.ceil((picture.height - pass.y) / pass.dy);
  if (columns <= 0 || rows <= 0) return Buffer.alloc(0);
  const known = new Map<Rgba, readonly number[]>();
  const samplesAt = (x: number, y: number): readonly number[] => {
    const colour = picture.pixel(x, y);
    const samples = known.get(colour) ?? samplesOf(colour, storage, colours);
    known.set(colour, samples);
    return samples;
  };
  const packed: Buffer[] = [];
  let above: Buffer | undefined;
  for (let y = 0; y < rows; y += 1) {
    const samples: number[] = [];
    for (let x = 0; x < columns; x += 1) {
      for (const sample of samplesAt(pass.x + x * pass.dx, pass.y + y * pass.dy)) samples.push(sample);
    }
    const row = packSamples(samples, storage.depth);
    const filter = storage.filter === 'all' ? y % 5 : (storage.filter ?? 0);
    packed.push(filterRow(filter, row, above ?? Buffer.alloc(row.length), bytesPerPixel(storage)));
    above = row;
  }
  return Buffer.concat(packed);
}

function samplesOf([red, green, blue, alpha]: Rgba, storage: Storage, colours: Palette): readonly number[] {
  const { colourType, depth, keyed } = storage;
  const grey = Math.round(0.299 * red + 0.587 * green + 0.114 * blue);
  const scaled = (value: number): number =>
    depth === 16 ? value * 257 : Math.round((value * (2 ** depth - 1)) / 255);
  if (colourType === 3) return [colours.index([red, green, blue, alpha])];
  if (keyed && alpha === 0) {
    if (colourType === 0) return keyGrey(depth).map((value) => (depth === 16 ? value * 257 : value));
    return keyColour.slice(0, 3).map((value) => (depth === 16 ? value * 257 : value));
  }
  if (colourType === 0) return [scaled(grey)];
  if (colourType === 2) return [scaled(red), scaled(green), scaled(blue)];
  if (colourType === 4) return [scaled(grey), scaled(alpha)];
  return [scaled(red), scaled(green), scaled(blue), scaled(alpha)];
}

function packSamples(samples: readonly number[], depth: number): Buffer {
  if (depth === 8) return Buffer.from(samples);
  const bytes = Buffer.alloc(Math.ceil((samples.length * depth) / 8));
  samples.forEach((sample, index) => {
    if (depth === 16) bytes.writeUInt16BE(sample, index * 2);
    else {
      const bit = index * depth;
      const at = bit >> 3;
      bytes[at] = (bytes[at] ?? 0) | (sample << (8 - depth - (bit & 7)));
    }
  });
  return bytes;
}

function bytesPerPixel({ colourType, depth }: Storage): number {
  const channels = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }[colourType];
  return Math.max(1, (channels * depth) >> 3);
}

function filterRow(type: number, row: Buffer, above: Buffer, distance: number): Buffer {
  const predicted = predictors[type] ?? none;
  const filtered = Buffer.alloc(row.length + 1, type);
  for (let x = 0; x < row.length; x += 1) {
    const left = row[x - distance] ?? 0;
    const upperLeft = above[x - distance] ?? 0;
    filtered[x + 1] = (row[x] ?? 0) - predicted(left, above[x] ?? 0, upperLeft);
  }
  return filtered;
}

type Predictor = (left: number, up: number, upperLeft: number) => number;
const none: Predictor = () => 0;
const predictors: readonly Predictor[] = [
  none,
  (left) => left,
  (_left, up) => up,
  (left, up) => (left + up) >> 1,
  paeth,
];

function paeth(left: number, up: number, upperLeft: number): number {
  const estimate = left + up - upperLeft;
  const distances = [left, up, upperLeft].map((value) => Math.abs(estimate - value));
  const least = Math.min(...distances);
  return [left, up, upperLeft][distances.indexOf(least)] ?? 0;
}
