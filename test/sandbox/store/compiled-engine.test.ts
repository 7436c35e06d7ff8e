import { expect, it } from 'vitest';
import { compiledEngine } from '../../../src/sandbox/store/compiled-engine.ts';

it('is one for all threads of the process', () => {
  expect(compiledEngine()).toBe(compiledEngine());
});
