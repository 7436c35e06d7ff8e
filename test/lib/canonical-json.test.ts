import { expect, it } from 'vitest';
import { canonicalJson } from '../../src/lib/canonical-json.ts';

it('canonicalJson tells apart integers that a number can not hold', () => {
  const ids = [9007199254740992n, 9007199254740993n];
  expect(new Set(ids.map((id) => canonicalJson({ b: [id], a: 1 }))).size).toBe(2);
  expect(canonicalJson({ b: ids, a: 1 })).toBe(canonicalJson({ a: 1, b: ids }));
});
