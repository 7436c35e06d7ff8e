import { expect, it } from 'vitest';
import { capitalised } from '../../../src/lib/text/sentence.ts';

it('makes the first letter a capital and leaves the rest', () => {
  expect(capitalised('the API key')).toBe('The API key');
  expect(capitalised('économie')).toBe('Économie');
  expect(capitalised('')).toBe('');
});
