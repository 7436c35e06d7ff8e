import fc from 'fast-check';
import { anyCharacter } from './any-character.ts';

const plain = fc.constantFrom(..."az09-._~!$&'()*+,;=:@".split(''));
const segment = fc
  .array(fc.oneof({ weight: 8, arbitrary: plain }, anyCharacter.map(encodeURIComponent)), { maxLength: 6 })
  .map((characters) => characters.join(''));
const path = fc.array(segment, { maxLength: 4 }).map((segments) => segments.map((one) => `/${one}`).join(''));

/**
 * An http or https address with any path. fast-check's own `webUrl()` stores all characters in a map forever, which
 * takes a second and 100 MB in each process.
 */
export const anyUrl = fc
  .tuple(fc.constantFrom('http', 'https'), fc.domain(), path)
  .map(([scheme, host, rest]) => `${scheme}://${host}${rest}`);
