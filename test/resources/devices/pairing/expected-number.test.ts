import { describe, expect, it } from 'vitest';
import { compareNumbers, comparison } from '../../../../src/resources/devices/pairing/expected-number.ts';

describe('comparing the paired number', () => {
  it.each([
    ['5511912345678', '+5511912345678', 'same'],
    ['14155550100', '+14155550100', 'same'],
    ['14155550100', '14155550100:52@s.example', 'same'],
    ['14155550100', '+14155550101', 'other'],
    ['14155550100', undefined, 'unknown'],
    ['14155550100', '', 'unknown'],
    ['5511987654321', '+551187654321', 'sameInOtherForm'],
    ['551187654321', '+5511987654321', 'sameInOtherForm'],
    ['5215512345678', '+525512345678', 'sameInOtherForm'],
    ['525512345678', '5215512345678:52@s.example', 'sameInOtherForm'],
    ['5491123456789', '+541123456789', 'sameInOtherForm'],
    ['541123456789', '+5491123456788', 'other'],
    ['5215512345678', '+541112345678', 'other'],
    ['5511912345678', '+551112345678', 'other'],
    ['551132345678', '+5511932345678', 'other'],
    ['5511987654321', '+552187654321', 'other'],
    ['351987654321', '+3587654321', 'other'],
  ])('%s against %s is %s', (expected, shown, match) => {
    expect(compareNumbers(expected, shown)).toBe(match);
  });

  it('is in the row, and null if there is nothing to compare', () => {
    expect(comparison('14155550100', '+14155550100')).toEqual({ expected: '+14155550100', matches: true });
    expect(comparison('14155550100', '+14155550101')).toMatchObject({ matches: false });
    expect(comparison('14155550100', undefined)).toMatchObject({ matches: null });
  });
});
