import { maxBytes } from './matrix.ts';
import { UnreadablePicture } from './unreadable-picture.ts';

/**
 * Much larger than the limit of `decodePng`: a picture that can't be decoded can still be saved and opened in another
 * program.
 */
export const maxPictureBytes = 16 * 1024 * 1024;

/** Maximum length of the part before the data, including the media type. */
const maxHeadLength = 256;

/** The length of the largest picture in base64. */
const maxUrlLength = Math.ceil(maxPictureBytes / 3) * 4 + maxHeadLength;

/** Accepts any media type: the bytes show their format. */
const head = /^data:[\w.+-]+\/[\w.+-]+(?:;[\w-]+=[\w.+-]+)*;base64,/i;

/** The beginnings of a PNG, a JPEG, a GIF and a WebP in base64. */
const bareHead = /^(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR)/;

/**
 * Returns the bytes of a base64 data URL (RFC 2397; alphabet of RFC 4648, section 4), or of a picture in bare base64.
 * Node's own decoder accepts any text, so it is validated first.
 * @throws UnreadablePicture `notDataUrl` or `tooLarge`
 */
export function readDataUrl(url: string): Buffer {
  if (url.length > maxUrlLength) {
    throw new UnreadablePicture('tooLarge', `has more than ${maxPictureBytes / 1024 / 1024} MB`);
  }
  const start = bareHead.test(url) ? 0 : head.exec(url.slice(0, maxHeadLength))?.[0].length;
  if (start === undefined) throw new UnreadablePicture('notDataUrl', 'is not a base64 data URL');
  const encoded = url.slice(start);
  if (encoded === '') throw new UnreadablePicture('notDataUrl', 'is empty');
  const digits = encoded.replace(/={1,2}$/, '');
  const isPadded = digits.length !== encoded.length;
  const isWhole = isPadded ? encoded.length % 4 === 0 : digits.length % 4 !== 1;
  // Matching all allowed characters with `^[A-Za-z0-9+/]+$` may overflow the stack at 4 MB: V8 records each step of it
  // once a process has created many regular expressions.
  if (/[^A-Za-z0-9+/]/.test(digits) || !isWhole) {
    throw new UnreadablePicture('notDataUrl', 'is not valid base64');
  }
  return Buffer.from(digits, 'base64');
}

/** Codes of messaging apps have at least 100 characters; a shorter text is a word such as `pending`. */
const minLength = 32;

/**
 * Matches the start of a path, an address or an error message: `/`, `C:`, `blob:`, `Error:`. Codes start with `://`
 * schemes at most.
 */
const otherHead = /^(?:[/\\.]|[a-z][\w+.-]*:(?!\/\/)|(?:ftp|file|wss?):)/i;

/**
 * Returns the text of a code that a service sends instead of a picture, or undefined if it is something else: words, a
 * picture, markup, or the address or path of a picture. A code is one word of printable ASCII, and contains characters
 * that base64 lacks.
 */
export function codeTextIn(given: string): string | undefined {
  const text = given.trim();
  const isWord = text.length >= minLength && text.length <= maxBytes && /^[\x21-\x7e]+$/.test(text);
  if (!isWord || !/[@,#:]/.test(text) || /^[<{["]/.test(text) || otherHead.test(text)) return undefined;
  const isPage = /^https?:/i.test(text) && !text.includes('#');
  return isPage || /\.(png|jpe?g|gif|webp|svg)$/i.test(text) ? undefined : text;
}
