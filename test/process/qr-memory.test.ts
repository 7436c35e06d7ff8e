import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { maxPngBytes } from '../../src/qr/decode.ts';
import { drawnCode, payloadOf } from '../qr/codes.ts';
import { forged, mebibyte, urlOf, useReadings, zeros } from '../qr/forged.ts';
import { pngChunk } from '../qr/write-png.ts';

const readings = useReadings();
const reading = (url: string) => readings('botctl', url);

/** The storage of a picture of the largest code: RGBA. */
interface Size {
  /** Pixels per module. */
  readonly scale: number;
  /** Bits per sample. */
  readonly depth: 8 | 16;
}

/** Returns the largest code, white below a share of its height. */
function largestCode(text: string, { scale, depth }: Size, shown = 1): Buffer {
  const { width: modules, pixel } = drawnCode(text, { level: 'low', scale: 1 });
  const side = modules * scale;
  const bytes = depth / 8;
  const rows = Array.from({ length: side }, (_, y) => {
    const row = Buffer.alloc(1 + side * 4 * bytes, 0xff).fill(0, 0, 1);
    for (let x = 0; y < side * shown && x < side; x += 1) {
      const [shade] = pixel(Math.floor(x / scale), Math.floor(y / scale));
      const at = 1 + x * 4 * bytes;
      row.fill(shade, at, at + 3 * bytes);
    }
    return row;
  });
  return forged([side, side, 6, depth], deflateSync(Buffer.concat(rows)));
}

const smallPixels = deflateSync(Buffer.alloc(100 * 101));
const claimingMore = (type: string): Buffer => {
  const chunk = pngChunk(type, Buffer.alloc(100));
  chunk.writeUInt32BE(0x7fff_ffff);
  return chunk;
};
const tiny = (type: string): Buffer => {
  const chunk = pngChunk(type, Buffer.alloc(0));
  return Buffer.alloc(maxPngBytes - 20_000, chunk).subarray(0, -((maxPngBytes - 20_000) % chunk.length));
};

const tooLarge = (size: string) => `tooLarge: measures ${size} pixels, far more than a code needs`;

describe('within 64 MiB of memory', () => {
  it.each<[string, () => Buffer, string]>([
    [
      '100 million pixels of one bit',
      () => forged([10_000, 10_000, 0, 1], zeros(12)),
      tooLarge('10000 × 10000'),
    ],
    [
      '100 million pixels of 32 bits',
      () => forged([10_000, 10_000, 6, 8], zeros(382)),
      tooLarge('10000 × 10000'),
    ],
    ['16 million pixels of 64 bits', () => forged([4096, 4096, 6, 16], zeros(128)), tooLarge('4096 × 4096')],
    [
      '500 MB for ten thousand pixels',
      () => forged([100, 100, 0, 8], zeros(500)),
      'damaged: is a damaged PNG: it holds more pixels than its header says',
    ],
    ['5 million pixels of 64 bits', () => forged([2240, 2340, 6, 16], zeros(40)), tooLarge('2240 × 2340')],
    [
      'more than the most that is read',
      () => forged([2240, 2340, 6, 8], zeros(41)),
      'damaged: is a damaged PNG: it holds more pixels than its header says',
    ],
    [
      'a long text',
      () => forged([100, 100, 0, 8], smallPixels, pngChunk('tEXt', Buffer.alloc(1.9 * mebibyte, 'a'))),
      'noCode: is blank',
    ],
    [
      'a compressed text and a colour profile that unpack to 400 MB',
      () =>
        forged(
          [100, 100, 0, 8],
          smallPixels,
          ...['zTXt', 'iCCP'].map((type) =>
            pngChunk(type, Buffer.concat([Buffer.from('a\0\0'), zeros(200)])),
          ),
        ),
      'noCode: is blank',
    ],
    [
      'a text that claims 2 GB',
      () => forged([100, 100, 0, 8], smallPixels, claimingMore('tEXt')),
      'damaged: is a PNG that is cut off',
    ],
    [
      'very many empty chunks of pixels',
      () => forged([100, 100, 0, 8], smallPixels, tiny('IDAT')),
      'noCode: is blank',
    ],
    [
      'very many empty chunks of other types',
      () => forged([100, 100, 0, 8], smallPixels, tiny('tEXt')),
      'noCode: is blank',
    ],
  ])('refuses %s', async (_name, png, outcome) => {
    const { outcome: found, grownBytes } = await reading(urlOf(png()));
    expect(found).toBe(outcome);
    expect(grownBytes).toBeLessThanOrEqual(64 * mebibyte);
  });

  it.each([
    [2.1, 2],
    [15, 2],
    [16.1, 16],
    [48, 16],
  ])('refuses a data URL of %d MB', async (megabytes, limit) => {
    const { outcome, grownBytes } = await reading(urlOf(Buffer.alloc(megabytes * mebibyte)));
    expect(outcome).toBe(`tooLarge: has more than ${limit} MB`);
    expect(grownBytes).toBeLessThanOrEqual(64 * mebibyte);
  });

  const largest: readonly Size[] = [
    { scale: 12, depth: 8 },
    { scale: 9, depth: 16 },
  ];

  it.each(largest)(
    'reads the largest code at $scale pixels a module of $depth bits a sample',
    async (size) => {
      const text = payloadOf(2900);
      const { outcome, grownBytes } = await reading(urlOf(largestCode(text, size)));
      expect(outcome).toBe(`read: ${text}`);
      expect(grownBytes).toBeLessThanOrEqual(64 * mebibyte);
    },
  );

  it.each(largest)('finds no code in half of it, at $scale pixels of $depth bits', async (size) => {
    const { outcome, grownBytes } = await reading(urlOf(largestCode(payloadOf(2900), size, 0.6)));
    expect(outcome).toBe('noCode: shows no QR code that can be read');
    expect(grownBytes).toBeLessThanOrEqual(64 * mebibyte);
  });

  it('handles 2 MB of noise', async () => {
    let seed = 1;
    const noise = Buffer.from(
      Uint8Array.from({ length: 800 * (1 + 800 * 3) }, (_, place) => {
        seed = (seed * 48_271) % 2_147_483_647;
        return place % (1 + 800 * 3) === 0 ? 0 : seed;
      }),
    );
    const { outcome, grownBytes } = await reading(urlOf(forged([800, 800, 2, 8], deflateSync(noise))));
    expect(outcome).toBe('noCode: shows no QR code that can be read');
    expect(grownBytes).toBeLessThanOrEqual(64 * mebibyte);
  });
});
