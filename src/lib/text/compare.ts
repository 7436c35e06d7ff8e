import { ownMember } from '../json-object.ts';

/**
 * Returns a text without what services tidy when they store it: blanks at its ends, repeated blanks and line ends, how accents
 * are composed, and case.
 */
export function normalizeForComparison(text: string): string {
  return normalizeSpaces(text).toLowerCase();
}

/** Returns a text without blanks at its ends and repeated ones, its accents composed. */
export function normalizeSpaces(text: string): string {
  return text
    .normalize('NFC')
    .replace(/\p{White_Space}+/gu, ' ')
    .trim();
}

/** Characters of a name from which on a shorter one may be the same, cut off. */
const minCut = 16;

/**
 * True if a service that was sent one name may have stored the other: it may drop or replace accents, punctuation and what is
 * not ASCII, escape characters, or cut a long name off.
 */
export function mayBeStoredAs(sent: string, stored: string): boolean {
  const [whole, part] = [lettersAndDigits(sent), lettersAndDigits(stored)];
  if (whole === part || asciiLettersAndDigits(sent) === asciiLettersAndDigits(stored)) return true;
  return part.length >= minCut && whole.startsWith(part);
}

const entity = /&(#\w+|\w+);/g;

/** The letters and digits of a text. */
function lettersAndDigits(text: string): string {
  return fold(text.replace(entity, '')).replace(/[^\p{L}\p{N}]/gu, '');
}

/** The letters and digits that any encoding leaves as they are. */
function asciiLettersAndDigits(text: string): string {
  return text
    .normalize('NFC')
    .replace(entity, '')
    .replace(/[^A-Za-z0-9]/g, '')
    .toLowerCase();
}

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
    .replace(/[ØŁĐĦŦÆŒ]/g, (letter) => ownMember(unfoldedLetters, letter) ?? letter)
    .replace(/\p{White_Space}+/gu, ' ')
    .trim();
}

/** Returns in a sentence why two names differ although they look the same, or undefined if they look different. */
export function lookAlikeReason(one: string, other: string): string | undefined {
  if (one === other || visualForm(one) !== visualForm(other)) return undefined;
  return one.normalize('NFC') === other.normalize('NFC')
    ? 'They look the same, but their accents are encoded differently (Unicode NFC and NFD).'
    : 'They look the same, but one has other blanks or invisible characters.';
}

function visualForm(text: string): string {
  return normalizeSpaces(text.normalize('NFC').replace(/\p{Default_Ignorable_Code_Point}/gu, ''));
}

/** The characters that services take for patterns in a text. */
const patternCharacters = /[%_\\]/;

/** False if a service that is asked for a text may find others than those that hold it: it may take it for a pattern. */
export function isSafeSearchText(text: string): boolean {
  return !patternCharacters.test(text);
}
