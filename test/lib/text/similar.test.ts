import { expect, test } from 'vitest';
import { mostSimilar } from '../../../src/lib/text/similar.ts';

const names = ['id', 'a', 'name', 'plan_name', 'created_at'];

test.each([
  ['nmae', 'name'],
  ['NAME', 'name'],
  ['planname', 'plan_name'],
  ['create_at', 'created_at'],
  ['ids', 'id'],
  ['phone', undefined],
  ['7', undefined],
  ['', undefined],
  ['x'.repeat(1000), undefined],
])('"%s" suggests %s', (word, meant) => {
  expect(mostSimilar(word, names)).toBe(meant);
});
