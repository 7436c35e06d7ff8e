import { ownMember } from '../json-object.ts';

/**
 * Normalizes a text as services may when they store it: surrounding white space, repeated white space and line ends,
 * Unicode composition, and case.
 */
export function normalizeForComparison(text: string): string {
  return normalizeSpaces(text).toLowerCase();
}

/** Returns a text without surrounding and repeated white space, in Unicode NFC. */
export function normalizeSpaces(text: string): string {
  return text
    .normalize('NFC')
    .replace(/\p{White_Space}+/gu, ' ')
    .trim();
}

/** Minimum length of a name to count as a truncated form of a longer one. */
const minCut = 16;

/**
 * Returns true if a service that received one name may have stored the other: it may drop or replace accents,
 * punctuation and non-ASCII characters, escape characters, or truncate a long name.
 */
export function mayBeStoredAs(sent: string, stored: string): boolean {
  const [whole, part] = [lettersAndDigits(sent), lettersAndDigits(stored)];
  if (whole === part || asciiLettersAndDigits(sent) === asciiLettersAndDigits(stored)) return true;
  return part.length >= minCut && whole.startsWith(part);
}

const entity = /&(#\w+|\w+);/g;

/** Returns the letters and digits of a text. */
function lettersAndDigits(text: string): string {
  return fold(text.replace(entity, '')).replace(/[^\p{L}\p{N}]/gu, '');
}

/** Returns the letters and digits that every encoding leaves unchanged. */
function asciiLettersAndDigits(text: string): string {
  return text
    .normalize('NFC')
    .replace(entity, '')
    .replace(/[^A-Za-z0-9]/g, '')
    .toLowerCase();
}

/** Letters that services fold like accented ones although Unicode doesn't decompose them. */
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
 * Folds case, accents and width, for comparing typed text. Uses upper case, because only that unifies `ß` and `ss`, `ς`
 * and `σ`, `ı` and `i`.
 */
export function fold(text: string): string {
  // Gives the same result without the Unicode tables, whose lookup takes a millisecond.
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

/** Explains in a sentence how two names that look the same differ; undefined if they look different. */
export function lookAlikeReason(one: string, other: string): string | undefined {
  if (one === other || visualForm(one) !== visualForm(other)) return undefined;
  return one.normalize('NFC') === other.normalize('NFC')
    ? 'They look the same, but their accents are encoded differently (Unicode NFC and NFD).'
    : 'They look the same, but one has other blanks or invisible characters.';
}

function visualForm(text: string): string {
  return normalizeSpaces(text.normalize('NFC').replace(/\p{Default_Ignorable_Code_Point}/gu, ''));
}

/** Matches characters that services treat as patterns in a text. */
const patternCharacters = /[%_\\]/;

/** Returns false if a service may treat a search text as a pattern, and so return rows that don't contain it. */
export function isSafeSearchText(text: string): boolean {
  return !patternCharacters.test(text);
}
