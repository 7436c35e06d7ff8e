import { describe, expect, it } from 'vitest';
import { ShownSizes } from '../../../src/documents/upload/shown-size.ts';

const row = (size: unknown, chars: unknown) => ({ id: '1', size, chars });
const sent = (size: number, chars = 7) => ({ size, chars });

describe('the size that a service shows', () => {
  it('is in bytes as long as that fits, and in no other unit until one is known', () => {
    const sizes = new ShownSizes();
    expect(sizes.compare(row(1500, 7), sent(1500))).toBe('same');
    expect(sizes.compare(row('1500', '7'), sent(1500))).toBe('same');
    expect(sizes.compare(row(1501, 7), sent(1500))).toBe('other');
    expect(sizes.compare(row(1500, 8), sent(1500))).toBe('other');
    expect(sizes.compare(row(2, 7), sent(1500))).toBe('maybe');
    expect(sizes.compare(row(2, 8), sent(1500))).toBe('other');
  });

  it('is not compared if it is missing, and proves nothing if the characters are missing', () => {
    const sizes = new ShownSizes();
    for (const none of [undefined, null, '', '12 kB'])
      expect(sizes.compare(row(none, 7), sent(1500))).toBe('same');
    expect(sizes.compare(row(undefined, 8), sent(1500))).toBe('other');
    expect(sizes.compare(row(1500, undefined), sent(1500))).toBe('maybe');
    expect(sizes.compare(row(undefined, undefined), sent(1500))).toBe('maybe');
    expect(sizes.compare(row(1, undefined), sent(1_500_000_000))).toBe('other');
  });

  it.each([
    ['bytes', [[82, 82]], [1500, 1500], [1500, 1499]],
    [
      'kB, rounded up',
      [
        [4, 1],
        [2001, 3],
      ],
      [9001, 10],
      [9001, 9],
    ],
    [
      'kB, rounded down',
      [
        [1999, 1],
        [999, 0],
      ],
      [9999, 9],
      [9999, 10],
    ],
    [
      'KiB to the nearest',
      [
        [1400, 1],
        [1600, 2],
        [100_000, 98],
      ],
      [2000, 2],
      [2000, 1],
    ],
    [
      'MB with two decimals',
      [
        [1_234_567, 1.23],
        [5_555_555, 5.56],
      ],
      [2_345_678, 2.35],
      [2_345_678, 2.34],
    ],
    [
      'MiB, rounded up',
      [
        [1, 1],
        [1_048_577, 2],
        [5_500_000, 6],
      ],
      [3_000_000, 3],
      [3_000_000, 4],
    ],
  ] as const)('is learned from responses, in any unit: %s', (_, answers, same, other) => {
    const sizes = new ShownSizes();
    for (const [bytes, shown] of answers) sizes.learn(bytes, shown);
    expect(sizes.compare(row(same[1], 7), sent(same[0]))).toBe('same');
    expect(sizes.compare(row(other[1], 7), sent(other[0]))).toBe('other');
    // The stored samples give the same result.
    const again = new ShownSizes(sizes.samples);
    expect(again.compare(row(same[1], 7), sent(same[0]))).toBe('same');
    expect(again.samples).toEqual(sizes.samples);
  });

  it('is uncertain if the samples fit several units that differ', () => {
    const sizes = new ShownSizes([[4, 1]]);
    expect(sizes.compare(row(1, 7), sent(900))).toBe('same');
    expect(sizes.compare(row(3, 7), sent(2500))).toBe('maybe');
    expect(sizes.compare(row(5, 7), sent(2500))).toBe('other');
  });

  it('is learned again once the service shows it in another unit', () => {
    const sizes = new ShownSizes([[82_000, 82]]);
    sizes.learn(1500, 1500);
    expect(sizes.samples).toEqual([[1500, 1500]]);
    sizes.learn(2000, 2000);
    expect(sizes.samples).toEqual([[1500, 1500]]);
  });

  it('is not learned from samples that fit no unit, before or after others', () => {
    const sizes = new ShownSizes();
    sizes.learn(1500, 7777);
    expect(sizes.samples).toEqual([]);
    expect(sizes.compare(row(1500, 7), sent(1500))).toBe('same');
    expect(sizes.compare(row(2, 7), sent(1500))).toBe('maybe');
    sizes.learn(82_500, 82);
    const learnt = sizes.samples;
    sizes.learn(1500, 7777);
    expect(sizes.samples).toEqual(learnt);
    expect(sizes.compare(row(2, 7), sent(2999))).toBe('same');
  });

  it('is learned from existing documents if one unit fits at least three files, each with one document', () => {
    const files = [4100, 82_500, 1700].map((size) => ({
      sent: sent(size),
      rows: [row(Math.floor(size / 1000), 7), row(1, 8)],
    }));
    const compared = (known: typeof files) => {
      const sizes = new ShownSizes();
      sizes.learnAlike(known);
      return sizes.compare(row(4, 7), sent(4100));
    };
    expect(compared(files)).toBe('same');
    expect(compared(files.slice(1))).toBe('maybe');
    expect(compared([...files, { sent: sent(9000), rows: [row(7, 7)] }])).toBe('maybe');
    expect(compared(files.map((file) => ({ ...file, rows: [...file.rows, row(9, 7)] })))).toBe('maybe');
  });
});
