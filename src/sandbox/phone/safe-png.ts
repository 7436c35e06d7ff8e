import { inflateSync } from 'node:zlib';

/** Chunks needed for the pixels (PNG third edition, 5.6). Others, such as a colour profile, may unpack to any size. */
const neededChunks: ReadonlySet<string> = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']);

/** 256 colours of three bytes (PNG third edition, 11.2.2). */
const maxPaletteBytes = 768;

const signatureBytes = 8;

/**
 * Returns a PNG with only the chunks needed for its pixels, or undefined if they unpack to more than the header
 * announces. fast-png has no limit: it needs 1.2 GB for a file of 400 KB that claims 100 × 100 pixels.
 * @param png begins with its signature and IHDR
 * @throws Error if it is damaged
 */
export function safePng(png: Buffer): Buffer | undefined {
  const chunks = chunksOf(png).filter(({ type }) => neededChunks.has(type));
  if (chunks.some(({ type, data }) => type === 'PLTE' && data.length > maxPaletteBytes)) return undefined;
  const pixels = chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data);
  try {
    inflateSync(Buffer.concat(pixels), { maxOutputLength: maxUnpackedBytes(png) });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  return Buffer.concat([png.subarray(0, signatureBytes), ...chunks.map(({ whole }) => whole)]);
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
  /** With its length, its type and its checksum. */
  readonly whole: Buffer;
}

/** Returns the chunks of a PNG up to the end chunk, which is required (PNG third edition, 5.3). */
function chunksOf(png: Buffer): readonly Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = signatureBytes; chunks.at(-1)?.type !== 'IEND'; at += chunks.at(-1)?.whole.length ?? 0) {
    const end = at + 8 + png.readUInt32BE(at);
    if (end + 4 > png.length) throw new RangeError('the PNG is cut off');
    chunks.push({
      type: png.toString('latin1', at + 4, at + 8),
      data: png.subarray(at + 8, end),
      whole: png.subarray(at, end + 4),
    });
  }
  return chunks;
}

/** Samples per pixel, by colour type (PNG third edition, table 8). */
const channels: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const maxDepth = 16;

/**
 * Returns the maximum bytes of the pixels by the header, each row with its filter type; an interlaced picture has up to
 * twice the rows.
 */
function maxUnpackedBytes(png: Buffer): number {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const bits = Math.min(png.readUInt8(24), maxDepth) * (channels[png.readUInt8(25)] ?? 0);
  const roundedRows = 2 * height + 8;
  return Math.ceil((width * height * bits) / 8) + 2 * roundedRows;
}
