import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Utf8Check } from '../../src/campaigns/utf8-check.ts';

it('takes pieces for UTF-8 exactly where they are together, wherever they are cut', () => {
  const characters = fc
    .string({ unit: fc.constantFrom('a', 'é', '€', '\u{1F600}') })
    .map((text) => Buffer.from(text));
  const bytes = fc.uint8Array({ maxLength: 3 }).map((any) => Buffer.from(any));
  fc.assert(
    fc.property(fc.array(fc.oneof(characters, bytes)), fc.integer({ min: 1, max: 5 }), (parts, size) => {
      const whole = Buffer.concat(parts);
      const check = new Utf8Check();
      for (let at = 0; at < whole.length; at += size) check.add(whole.subarray(at, at + size));
      expect(check.isUtf8()).toBe(isUtf8(whole));
    }),
    { numRuns: 200 },
  );
});
