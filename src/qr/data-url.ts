import { Unreadable } from './unreadable.ts';

/**
 * Largest picture that is taken, in bytes. It is far more than `decodePng` looks at: what can't be read can
 * still be saved, and opened in something else.
 */
export const largestPicture = 16 * 1024 * 1024;

/** The encoded form of the largest picture, with room for the media type. */
const longestUrl = Math.ceil(largestPicture / 3) * 4 + 256;

/** The media type is not insisted on: what the bytes are is told by the bytes. */
const head = /^data:[\w.+-]+\/[\w.+-]+(?:;[\w-]+=[\w.+-]+)*;base64,/i;

/**
 * The bytes of a base64 data URL (RFC 2397; alphabet of RFC 4648, section 4). Node's own decoder takes
 * anything, so the text is checked before.
 * @throws Unreadable `notDataUrl` or `tooLarge`
 */
export function readDataUrl(url: string): Buffer {
  if (url.length > longestUrl) {
    throw new Unreadable('tooLarge', `has more than ${largestPicture / 1024 / 1024} MB`);
  }
  const start = head.exec(url)?.[0].length;
  if (start === undefined) throw new Unreadable('notDataUrl', 'is no base64 data URL');
  const encoded = url.slice(start);
  if (encoded === '') throw new Unreadable('notDataUrl', 'is empty');
  const digits = encoded.replace(/={1,2}$/, '');
  const isPadded = digits.length !== encoded.length;
  const isWhole = isPadded ? encoded.length % 4 === 0 : digits.length % 4 !== 1;
  if (!/^[A-Za-z0-9+/]+$/.test(digits) || !isWhole) {
    throw new Unreadable('notDataUrl', 'is not valid base64');
  }
  return Buffer.from(digits, 'base64');
}
