import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecentIds } from '../../src/client/recent-ids.ts';

describe('recent ids', () => {
  it('know an id among the last thousand, and forget one after two thousand others', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 0, max: 3000 }), (before, between) => {
        const ids = new RecentIds();
        for (let at = 0; at < before; at += 1) ids.add(`before-${at}`);
        expect(ids.add('the one')).toBe(true);
        const taken = Array.from({ length: between }, (_, at) => ids.add(`between-${at}`));
        expect(taken).not.toContain(false);
        if (between < 1000) expect(ids.add('the one')).toBe(false);
        if (between >= 2000) expect(ids.add('the one')).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});
