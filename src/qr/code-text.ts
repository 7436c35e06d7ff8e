import { maxBytes } from './matrix.ts';

/** Codes of messaging apps have 100 characters and more; what is shorter is a word such as `pending`. */
const minLength = 32;

/** What stands before a path, an address, or the words of an error: `/`, `C:`, `blob:`, `Error:`. Codes have `://` at most. */
const otherHead = /^(?:[/\\.]|[a-z][\w+.-]*:(?!\/\/)|(?:ftp|file|wss?):)/i;

/**
 * Returns the text of a code that a service gives in place of a picture, or undefined if it is something else: words, a
 * picture, markup, or the address or the path of a picture. A code is one word of printable ASCII, and has characters in it
 * that base64 lacks.
 */
export function codeTextIn(given: string): string | undefined {
  const text = given.trim();
  const isWord = text.length >= minLength && text.length <= maxBytes && /^[\x21-\x7e]+$/.test(text);
  if (!isWord || !/[@,#:]/.test(text) || /^[<{["]/.test(text) || otherHead.test(text)) return undefined;
  const isPage = /^https?:/i.test(text) && !text.includes('#');
  return isPage || /\.(png|jpe?g|gif|webp|svg)$/i.test(text) ? undefined : text;
}
