import fc from 'fast-check';
import { anyCharacter } from './any-character.ts';

const plain = fc.constantFrom(..."az09-._~!$&'()*+,;=:@".split(''));
const segment = fc
  .array(fc.oneof({ weight: 8, arbitrary: plain }, anyCharacter.map(encodeURIComponent)), { maxLength: 6 })
  .map((characters) => characters.join(''));
const path = fc.array(segment, { maxLength: 4 }).map((segments) => segments.map((one) => `/${one}`).join(''));

/**
 * An http or https address with a path of any kind. fast-check's own `webUrl()` keeps all characters in a map for good, which
 * takes a second and a hundred megabytes of each process.
 */
export const anyUrl = fc
  .tuple(fc.constantFrom('http', 'https'), fc.domain(), path)
  .map(([scheme, host, rest]) => `${scheme}://${host}${rest}`);
