import { expect, it } from 'vitest';
import { capitalised } from '../../../src/lib/text/sentence.ts';

it('capitalizes the first letter and keeps the rest', () => {
  expect(capitalised('the API key')).toBe('The API key');
  expect(capitalised('économie')).toBe('Économie');
  expect(capitalised('')).toBe('');
});
