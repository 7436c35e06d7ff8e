import { cachedDataVersionTag } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { delayWasmCompiler, ownWasmBudget, withWasmBudget } from '../../src/lib/v8-flags.ts';

// As the client does, on every version of Node here: what holds afterwards is this, and not V8's own.
delayWasmCompiler(360_000_000);

describe.skipIf(ownWasmBudget === undefined)('a budget for what is made', () => {
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
