import { describe, expect, it } from 'vitest';
import { canonicalForm, differingDigit } from '../../src/phone-numbers/number-forms.ts';

describe('the canonical form of a number', () => {
  it.each([
    ['Brazil', '5511988887777', '551188887777', 'the ninth digit of Brazil'],
    ['Mexico', '5215512345678', '525512345678', 'the 1 of Mexico'],
    ['Argentina', '5491123456789', '541123456789', 'the 9 of Argentina'],
  ])('is one for both notations of %s', (_, one, other, digit) => {
    expect(canonicalForm(one)).toBe(canonicalForm(other));
    expect(differingDigit(one, other)).toBe(digit);
    expect(differingDigit(one, one)).toBeUndefined();
  });

  it.each([
    ['55011988887777', '5511988887777'],
    ['5501188887777', '5511988887777'],
    ['4402079460018', '442079460018'],
    ['6208121234567', '628121234567'],
    ['39612345678', '390612345678'],
    ['52015512345678', '5215512345678'],
    ['520445512345678', '525512345678'],
    ['54111512345678', '5491112345678'],
    ['54351151234567', '5493511234567'],
    ['54296615123456', '5492966123456'],
    ['3530861234567', '353861234567'],
  ])('is one for %s too, as it was stored with its national prefix', (stored, number) => {
    expect(canonicalForm(stored)).toBe(canonicalForm(number));
  });

  it('keeps other numbers: a landline, another country, zeros further on', () => {
    for (const digits of [
      '551133334444',
      '351912345678',
      '12125550123',
      '52155123456',
      '551000001111',
      '41791000000',
    ])
      expect(canonicalForm(digits)).toBe(digits);
  });
});
