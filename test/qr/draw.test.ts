import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import jsQR from 'jsqr';
import { describe, expect, it } from 'vitest';
import { drawCode, halfBlocks, plainHalfBlocks, roomFor, spaces } from '../../src/qr/draw.ts';
import { makeMatrix } from '../../src/qr/matrix.ts';
import { payloadOf } from './codes.ts';
import { rasterise, readBack, type Theme, themes } from './rasterise.ts';

const plenty = { columns: 400, rows: 200 };

describe('the matrix of a text', () => {
  it('is a square of a version that QR codes have, with finder patterns in three corners', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 450 }), (length) => {
        const matrix = makeMatrix(payloadOf(length));
        expect((matrix.length - 17) % 4).toBe(0);
        for (const row of matrix) expect(row).toHaveLength(matrix.length);
        const last = matrix.length - 1;
        for (const [y, x] of [
          [0, 0],
          [0, last - 6],
          [last - 6, 0],
        ] as const) {
          const ring = Array.from({ length: 7 }, (_, step) => [
            matrix[y]?.[x + step],
            matrix[y + 6]?.[x + step],
          ]).flat();
          expect(ring.every((isDark) => isDark === true)).toBe(true);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('is the smallest there is: level L', () => {
    expect(makeMatrix(payloadOf(281))).toHaveLength(61);
    expect(makeMatrix(payloadOf(237))).toHaveLength(57);
    expect(makeMatrix(payloadOf(112))).toHaveLength(41);
  });

  it('says when a text is too long', () => {
    expect(() => makeMatrix('x'.repeat(2953))).not.toThrow();
    expect(() => makeMatrix('x'.repeat(2954))).toThrow(RangeError);
  });
});

describe('a drawn code', () => {
  it('has the quiet zone that fits: 4, then 2, then 1, then it is not drawn', () => {
    const text = payloadOf(281);
    const zone = (columns: number, rows: number) => drawCode(text, { columns, rows })?.quietZone;
    expect(zone(69, 35)).toBe(4);
    expect(zone(68, 35)).toBe(2);
    expect(zone(69, 34)).toBe(2);
    expect(zone(65, 33)).toBe(2);
    expect(zone(64, 33)).toBe(1);
    expect(zone(63, 32)).toBe(1);
    expect(zone(62, 32)).toBeUndefined();
    expect(zone(80, 24)).toBeUndefined();
    expect(roomFor(text)).toEqual({ columns: 63, rows: 32 });
    expect(roomFor(text, spaces)).toEqual({ columns: 126, rows: 63 });
  });

  it('sets both colours on every line, and takes the room that it says', () => {
    const drawing = drawCode(payloadOf(120), plenty);
    expect(drawing?.lines).toHaveLength(drawing?.rows ?? 0);
    for (const line of drawing?.lines ?? []) {
      expect(line).toMatch(/^\x1b\[38;5;231;48;5;16m[█▀▄ ]+\x1b\[0m$/);
      expect(line.replace(/\x1b\[[\d;]*m/g, '')).toHaveLength(drawing?.columns ?? 0);
    }
  });

  it.each([
    ['half blocks', halfBlocks],
    ['half blocks without colours', plainHalfBlocks],
    ['coloured spaces', spaces],
  ])('reads back to its matrix: %s', (_name, style) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 450 }), (length) => {
        const text = payloadOf(length);
        const drawing = drawCode(text, plenty, style);
        expect(readBack(drawing?.lines ?? [], drawing?.quietZone ?? 0)).toEqual(makeMatrix(text));
      }),
      { numRuns: 20 },
    );
  });
});

/** A line gap for each theme: the share of a line's height that the terminal adds below it. */
const screens = Object.entries(themes).flatMap(([theme, colours]) =>
  [0, 0.1, 0.2].map((gap) => ({ theme, colours, gap })),
);

/** Pixels of a cell's width at which the screen is looked at: a phone is moved until it reads. */
const distances = [6, 8, 10];

/** What jsQR reads off a screen, without trying the negative, from one distance or another. */
function scanned(lines: readonly string[], theme: Theme, gap: number): string | undefined {
  for (const cellWidth of distances) {
    const { data, width, height } = rasterise(lines, theme, gap, cellWidth);
    const found = jsQR(data, width, height, { inversionAttempts: 'dontInvert' });
    if (found) return Buffer.from(found.binaryData).toString('utf8');
  }
  return undefined;
}

describe('a drawn code on a screen is read by jsQR', () => {
  it.each(screens)('$theme theme, line gap $gap', ({ colours, gap }) => {
    const link = payloadOf(281);
    expect(scanned(drawCode(link, plenty)?.lines ?? [], colours, gap)).toBe(link);
    expect(scanned(drawCode(link, plenty, spaces)?.lines ?? [], colours, gap)).toBe(link);
    // It gives up where wide gaps meet other sizes or a narrow quiet zone; zbar doesn't, see below.
    if (gap > 0.1) return;
    expect(scanned(drawCode(link, roomFor(link))?.lines ?? [], colours, gap)).toBe(link);
    for (const text of [payloadOf(60), 'Olá, 世界 😀']) {
      expect(scanned(drawCode(text, plenty)?.lines ?? [], colours, gap)).toBe(text);
    }
  });

  it.each([0, 0.1, 0.2])('without colours in a dark theme, line gap %s', (gap) => {
    const link = payloadOf(281);
    expect(scanned(drawCode(link, plenty, plainHalfBlocks)?.lines ?? [], themes.dark, gap)).toBe(link);
  });
});

const hasZbar = spawnSync('zbarimg', ['--version']).status === 0;

describe.skipIf(!hasZbar)(
  'a drawn code on a screen is read by zbar (skipped where zbarimg is not installed)',
  () => {
    it.each(screens)('$theme theme, line gap $gap', ({ colours, gap }) => {
      for (const text of [payloadOf(60), payloadOf(281)]) {
        for (const room of [plenty, roomFor(text)]) {
          expect(readByZbar(rasterise(drawCode(text, room)?.lines ?? [], colours, gap))).toBe(text);
        }
      }
    });
  },
);

function readByZbar({ data, width, height }: ReturnType<typeof rasterise>): string {
  const pixels = Uint8Array.from(data.filter((_value, at) => at % 4 !== 3));
  const picture = Buffer.concat([Buffer.from(`P6\n${width} ${height}\n255\n`), pixels]);
  return spawnSync('zbarimg', ['--quiet', '--raw', 'PPM:-'], {
    input: picture,
    encoding: 'utf8',
  }).stdout.trim();
}
