import fc from 'fast-check';
import { encode } from 'fast-png';
import { describe, expect, it } from 'vitest';
import { readPng } from '../../src/qr/png.ts';
import { type Rgba, type Storage, writePng } from './write-png.ts';

const lumaOf = ([red, green, blue]: readonly number[]): number =>
  Math.round(0.299 * (red ?? 0) + 0.587 * (green ?? 0) + 0.114 * (blue ?? 0));

const shade = fc.integer({ min: 0, max: 255 });

/** Generates pictures of a few colours, with every way to store them. */
const pictures = fc
  .record({ width: fc.integer({ min: 1, max: 20 }), height: fc.integer({ min: 1, max: 20 }) })
  .chain(({ width, height }) =>
    fc.record({
      width: fc.constant(width),
      height: fc.constant(height),
      colours: fc.array(fc.tuple(shade, shade, shade, shade), { minLength: 1, maxLength: 4 }),
      places: fc.array(fc.nat(3), { minLength: width * height, maxLength: width * height }),
    }),
  );

const storages = fc.record({
  kind: fc.constantFrom(
    ...([2, 4, 6] as const).flatMap((colourType) =>
      ([8, 16] as const).map((depth) => ({ colourType, depth }) as const),
    ),
    ...([8, 16] as const).map((depth) => ({ colourType: 0, depth }) as const),
    ...([2, 4, 8] as const).map((depth) => ({ colourType: 3, depth }) as const),
  ),
  interlaced: fc.boolean(),
  filter: fc.constantFrom<NonNullable<Storage['filter']>[]>(0, 1, 2, 3, 4, 'all'),
});

describe('the PNG reader', () => {
  it('returns the luma and alpha of every pixel, for any storage', () => {
    fc.assert(
      fc.property(pictures, storages, ({ width, height, colours, places }, { kind, interlaced, filter }) => {
        const pixel = (x: number, y: number): Rgba =>
          colours[(places[y * width + x] ?? 0) % colours.length] ?? [0, 0, 0, 0];
        const storage: Storage = { ...kind, interlaced, filter };
        const picture = readPng(writePng({ width, height, pixel }, storage));
        expect([picture.width, picture.height]).toEqual([width, height]);
        for (let y = 0; y < height; y += 1) {
          for (let x = 0; x < width; x += 1) {
            const colour = pixel(x, y);
            expect(picture.luma[y * width + x]).toBe(lumaOf(colour));
            const hasAlpha = [3, 4, 6].includes(kind.colourType);
            expect(picture.alpha?.[y * width + x] ?? 255).toBe(hasAlpha ? colour[3] : 255);
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  it('scales samples of fewer bits to the whole range', () => {
    for (const depth of [1, 2, 4] as const) {
      const most = 2 ** depth - 1;
      const width = most + 1;
      const step = (x: number): number => Math.round((x * 255) / most);
      const picture = readPng(
        writePng(
          { width, height: 1, pixel: (x) => [step(x), step(x), step(x), 255] },
          { colourType: 0, depth },
        ),
      );
      expect([...picture.luma]).toEqual(Array.from({ length: width }, (_, x) => step(x)));
    }
  });

  it('reads what another encoder wrote', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 30 }),
        fc.constantFrom(1, 2, 3, 4),
        fc.constantFrom(8, 16),
        fc.infiniteStream(shade),
        (width, height, channels, depth, bytes) => {
          const samples = [...bytes.take(width * height * channels)];
          const data =
            depth === 8 ? Uint8Array.from(samples) : Uint16Array.from(samples, (sample) => sample * 257);
          const { luma, alpha } = readPng(encode({ width, height, channels, depth, data }));
          for (let pixel = 0; pixel < width * height; pixel += 1) {
            const of = samples.slice(pixel * channels, (pixel + 1) * channels);
            expect(luma[pixel]).toBe(channels < 3 ? of[0] : lumaOf(of));
            expect(alpha?.[pixel]).toBe(channels % 2 === 0 ? of.at(-1) : undefined);
          }
        },
      ),
      { numRuns: 50 },
    );
  });
});
