import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codePayload, codePrefix } from '../../src/sandbox/pairing-codes.ts';

describe('the text of a code', () => {
  const secret = Buffer.alloc(32, 7);
  const name = fc.record({
    deviceId: fc.uuid(),
    connection: fc.integer({ min: 1, max: 1_000_000 }),
    number: fc.integer({ min: 1, max: 6 }),
  });

  it('has the length of real ones, and an address that does not exist', () => {
    fc.assert(
      fc.property(name, (code) => {
        const payload = codePayload(secret, code);
        expect(payload).toHaveLength(281);
        expect(payload.startsWith(codePrefix)).toBe(true);
        expect(new URL(payload).hostname).toBe('sandbox.invalid');
      }),
    );
  });

  it('differs for each code and secret, and is stable', () => {
    fc.assert(
      fc.property(name, name, (one, other) => {
        expect(codePayload(secret, one)).toBe(codePayload(secret, { ...one }));
        expect(codePayload(Buffer.alloc(32, 8), one)).not.toBe(codePayload(secret, one));
        const same = JSON.stringify(one) === JSON.stringify(other);
        expect(codePayload(secret, one) === codePayload(secret, other)).toBe(same);
      }),
    );
  });
});
