import { own } from '../own.ts';

/** Letters that services fold like an accent although Unicode doesn't take them apart. */
const unfoldedLetters: Readonly<Record<string, string>> = {
  Ø: 'O',
  Ł: 'L',
  Đ: 'D',
  Ħ: 'H',
  Ŧ: 'T',
  Æ: 'AE',
  Œ: 'OE',
};

const ascii = /^[\x00-\x7f]*$/;

/**
 * Returns text without case, accents and width, for comparing what people type. Upper case, because only that makes
 * one letter of `ß` and `ss`, of `ς` and `σ`, of `ı` and `i`.
 */
export function fold(text: string): string {
  // The same, without the tables of Unicode: they take a millisecond to look up.
  if (ascii.test(text))
    return text
      .toUpperCase()
      .replace(/[\t-\r ]+/g, ' ')
      .trim();
  return text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    .toUpperCase()
    .replace(/[ØŁĐĦŦÆŒ]/g, (letter) => own(unfoldedLetters, letter) ?? letter)
    .replace(/\p{White_Space}+/gu, ' ')
    .trim();
}
