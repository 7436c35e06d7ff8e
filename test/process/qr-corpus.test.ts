import { expect, it } from 'vitest';
import { corpus, outcomeOf, tallyOf } from '../qr/corpus.ts';

it('reads 98.8 % of the pictures of codes that services draw, and none incorrectly', () => {
  const { pictures, share, misread, report } = tallyOf(corpus(), outcomeOf);
  process.stdout.write(`${report}${(share * 100).toFixed(2)} % of ${pictures} pictures\n`);
  expect(pictures).toBe(1719);
  expect(misread).toEqual([]);
  expect(share).toBeGreaterThanOrEqual(0.988);
});
