import { cachedDataVersionTag } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { withWasmBudget } from '../../src/lib/v8-flags.ts';

describe('a budget for what is made', () => {
  // The tag is of V8's version and flags.
  it('holds for that, and the flags are what they were afterwards', () => {
    const before = cachedDataVersionTag();
    expect(withWasmBudget(800_000_000, cachedDataVersionTag)).not.toBe(before);
    expect(cachedDataVersionTag()).toBe(before);
  });

  it('holds no longer where making it fails', () => {
    const before = cachedDataVersionTag();
    const fail = (): never => {
      throw new Error('no memory');
    };
    expect(() => withWasmBudget(800_000_000, fail)).toThrow('no memory');
    expect(cachedDataVersionTag()).toBe(before);
  });
});
