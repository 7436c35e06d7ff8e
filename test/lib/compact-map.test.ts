import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CompactMap } from '../../src/lib/compact-map.ts';
import { runs } from '../support/long.ts';

it('keeps for each key what was kept last, as a Map does, whatever the keys', () => {
  // Few keys come again; many make the table grow.
  const word = fc.oneof(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 2 ** 32 - 1 }));
  const entry = fc.tuple(word, word, fc.integer({ min: 0, max: 2 ** 32 - 2 }));
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 400 }), (entries) => {
      const [map, known] = [new CompactMap(2), new Map<string, number>()];
      for (const [high, low, value] of entries) {
        const key = Uint32Array.of(high, low);
        expect(map.get(key)).toBe(known.get(String(key)));
        map.set(key, value);
        known.set(String(key), value);
      }
      for (const [high, low] of entries)
        expect(map.get(Uint32Array.of(high, low))).toBe(known.get(`${high},${low}`));
      expect(map.get(Uint32Array.of(31, 31))).toBe(known.get('31,31'));
    }),
    { numRuns: runs(100) },
  );
});

it('finds each of 20,000 keys that follow each other, and no other one', () => {
  const map = new CompactMap(1);
  for (let key = 0; key < 20_000; key += 1) map.set(Uint32Array.of(key), key + 1);
  let wrong = 0;
  for (let key = 0; key < 20_000; key += 1) if (map.get(Uint32Array.of(key)) !== key + 1) wrong += 1;
  expect(wrong).toBe(0);
  expect(map.get(Uint32Array.of(20_000))).toBeUndefined();
});
