import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ColumnWish, divideWidth, gap, widen } from '../../src/output/column-widths.ts';

const wish = (natural: number, importance: number, least = natural, enough = natural): ColumnWish => ({
  natural,
  enough,
  least,
  importance,
});

const anyWish = fc
  .tuple(
    fc.integer({ min: 1, max: 10_000 }),
    fc.integer({ min: 1, max: 40 }),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 9 }),
  )
  .map(([natural, enough, least, importance]) =>
    wish(natural, importance, Math.min(natural, enough, least), Math.min(natural, enough)),
  );

function taken(widths: readonly number[]): number {
  const shown = widths.filter((width) => width > 0);
  return shown.reduce((sum, width) => sum + width + gap, -gap);
}

describe('divideWidth', () => {
  test('gives every column its desired width if there is room', () => {
    expect(divideWidth([wish(36, 9), wish(20, 8)], 58)).toEqual([36, 20]);
    expect(divideWidth([wish(36, 9), wish(10_000, 8)], Number.POSITIVE_INFINITY)).toEqual([36, 10_000]);
  });

  test('does not let one long value displace the others', () => {
    expect(divideWidth([wish(10_000, 8, 10, 32), wish(10, 2)], 80)).toEqual([68, 10]);
  });

  test('truncates a single column rather than showing nothing', () => {
    expect(divideWidth([wish(36, 9, 8)], 5)).toEqual([5]);
    expect(divideWidth([wish(36, 9)], 0)).toEqual([1]);
    expect(divideWidth([], 80)).toEqual([]);
  });

  test('fits any terminal with any columns, and shows at least one', () => {
    fc.assert(
      fc.property(
        fc.array(anyWish, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 300 }),
        (wishes, available) => {
          const widths = divideWidth(wishes, available);
          expect(taken(widths)).toBeLessThanOrEqual(available);
          expect(widths.some((width) => width > 0)).toBe(true);
          for (const [index, width] of widths.entries()) {
            expect(width).toBeLessThanOrEqual(wishes[index]?.natural ?? 0);
          }
        },
      ),
    );
  });
});

test('later rows widen columns if there is room, and never narrow one', () => {
  expect(widen([8, 10, 0], [wish(20, 5), wish(12, 9), wish(30, 9)], 25)).toEqual([11, 12, 0]);
  expect(widen([20, 10], [wish(5, 5), wish(5, 5)], 80)).toEqual([20, 10]);
});

test('a number in a later row is never truncated: texts make room for it, the least important first', () => {
  const number = (natural: number): ColumnWish => ({ ...wish(natural, 5), uncut: true });
  expect(widen([40, 5], [wish(90, 9, 10), number(9)], 47)).toEqual([36, 9]);
  expect(widen([20, 20, 5], [wish(90, 9, 10), wish(90, 3, 18), number(9)], 49)).toEqual([18, 18, 9]);
  expect(widen([12, 5, 0], [wish(90, 9, 10), number(9), number(9)], 19)).toEqual([10, 7, 0]);
  expect(widen([40, 5], [wish(90, 9, 10), number(9)], 80)).toEqual([69, 9]);
});
