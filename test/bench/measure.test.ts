import { describe, expect, it } from 'vitest';
import { compare, inTurns, misses, spread, table } from './measure.ts';

const same = (value: number): number => value;

describe('spread', () => {
  it('gives median, quartiles and ends, whatever the order', () => {
    expect(spread([5, 1, 4, 2, 3])).toEqual({ median: 3, min: 1, max: 5, quartiles: [2, 4] });
  });

  it('interpolates between two figures', () => {
    expect(spread([1, 2])).toEqual({ median: 1.5, min: 1, max: 2, quartiles: [1.25, 1.75] });
  });

  it('refuses nothing at all', () => {
    expect(() => spread([])).toThrow(RangeError);
  });
});

it('sides run in turns', async () => {
  const order: string[] = [];
  const side = (name: string) => async (): Promise<number> => order.push(name);
  expect(await inTurns(2, side('a'), side('b'))).toEqual([
    [1, 2],
    [3, 4],
  ]);
  expect(order).toEqual(['a', 'b', 'a', 'b']);
});

it('ratios are made of pairs, not of medians', () => {
  const pairs = [
    [10, 10],
    [100, 50],
    [1, 1],
  ] as const;
  expect(compare('t', 'u', pairs, same)).toMatchObject({
    ours: { median: 10 },
    ratio: { median: 1, max: 2 },
  });
});

describe('an aim', () => {
  const ratios = (...figures: number[]): ReturnType<typeof spread> => spread(figures);

  it.each([
    ['at least', 0.9, ratios(0.5, 0.8, 0.85, 0.88, 0.95), true],
    ['at least', 0.9, ratios(0.5, 0.8, 0.85, 0.92, 0.95), false],
    ['at most', 1.15, ratios(1.1, 1.2, 1.3, 1.4, 1.5), true],
    ['at most', 1.15, ratios(1, 1.1, 1.3, 1.4, 1.5), false],
  ] as const)('%s %d is missed only beyond the noise', (is, value, ratio, missed) => {
    expect(misses({ ratio, aim: { is, value } })).toBe(missed);
  });

  it('may be absent', () => {
    expect(misses({ ratio: ratios(0), aim: undefined })).toBe(false);
  });
});

it('the table lines up, with three digits that mean something', () => {
  const row = compare('a row', 'MiB/s', [[1234.5, 2000]], same, { is: 'at least', value: 0.9 });
  expect(table([row, compare('a longer row', 'ms', [[1, 3]], same)])).toBe(
    [
      '              first                   second                  ratio                aim',
      'a row         1235 [1235–1235] MiB/s  2000 [2000–2000] MiB/s  0.617 [0.617–0.617]  at least 0.9, missed',
      'a longer row  1.00 [1.00–1.00] ms     3.00 [3.00–3.00] ms     0.333 [0.333–0.333]',
      '',
    ].join('\n'),
  );
});
