import { fold } from './fold.ts';

/**
 * Returns a text without what services tidy when they store it: blanks at its ends, repeated blanks and line ends, how accents
 * are composed, and case.
 */
export function tidied(text: string): string {
  return withTidyBlanks(text).toLowerCase();
}

/** Returns a text without blanks at its ends and repeated ones, its accents composed. */
export function withTidyBlanks(text: string): string {
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
  const [whole, part] = [core(sent), core(stored)];
  if (whole === part || asciiOf(sent) === asciiOf(stored)) return true;
  return part.length >= minCut && whole.startsWith(part);
}

const entity = /&(#\w+|\w+);/g;

/** The letters and digits of a text. */
function core(text: string): string {
  return fold(text.replace(entity, '')).replace(/[^\p{L}\p{N}]/gu, '');
}

/** The letters and digits that any encoding leaves as they are. */
function asciiOf(text: string): string {
  return text
    .normalize('NFC')
    .replace(entity, '')
    .replace(/[^A-Za-z0-9]/g, '')
    .toLowerCase();
}
