import { maxBytes } from './matrix.ts';
import { UnreadablePicture } from './unreadable-picture.ts';

/**
 * Far more than `decodePng` reads: a picture that can't be read can still be saved, and opened in another program.
 */
export const maxPictureBytes = 16 * 1024 * 1024;

/** Room for the media type. */
const maxHeadLength = 256;

/** The encoded form of the largest picture. */
const maxUrlLength = Math.ceil(maxPictureBytes / 3) * 4 + maxHeadLength;

/** Any media type is accepted: the bytes tell their format. */
const head = /^data:[\w.+-]+\/[\w.+-]+(?:;[\w-]+=[\w.+-]+)*;base64,/i;

/** The beginnings of a PNG, a JPEG, a GIF and a WebP in base64. */
const bareHead = /^(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR)/;

/**
 * Returns the bytes of a base64 data URL (RFC 2397; alphabet of RFC 4648, section 4), or of a picture in base64 without
 * what stands before it in one. Node's own decoder takes anything, so the text is checked before.
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
  // Looking for all that is allowed, `^[A-Za-z0-9+/]+$`, may run out of stack at 4 MB: V8 remembers each step of it once a
  // process has made many regular expressions.
  if (/[^A-Za-z0-9+/]/.test(digits) || !isWhole) {
    throw new UnreadablePicture('notDataUrl', 'is not valid base64');
  }
  return Buffer.from(digits, 'base64');
}

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
