import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CharacterCounter } from '../../../src/documents/count/characters.ts';
import { anyCharacter } from '../../support/any-character.ts';

/** Implements the definition of `chars` literally, on the code points of a whole text. */
function reference(text: string): number {
  const collapsed = [...text]
    .filter((point) => !/^(?:[\ufeff\u00ad]|(?!\p{White_Space})\p{Cc})$/u.test(point))
    .map((point) => (/^\p{White_Space}$/u.test(point) ? ' ' : point))
    .filter((point, index, all) => point !== ' ' || all[index - 1] !== ' ');
  return collapsed.filter((point, index) => point !== ' ' || (index > 0 && index < collapsed.length - 1))
    .length;
}

function count(...pieces: readonly string[]): number {
  const counter = new CharacterCounter();
  for (const piece of pieces) counter.add(piece);
  return counter.count;
}

/** Generates any code units, with those that the definition names far more often than by chance. */
const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 4 }),
      fc.constantFrom(
        ...' \t\n\v\f\u0085\u00a0\u1680\u2003\u2028\u2029\u202f\u205f\u3000\ufeff\u00ad',
        ...'\0\u001b\u007f\u009f\u200b\u180e\u2060',
        ...['\r\n', '😀', '👩‍👩‍👧', '\ud83d', '\ude00', 'é', 'e\u0301', '鄭', 'ﷺ'],
      ),
    ),
    { maxLength: 40 },
  )
  .map((pieces) => pieces.join(''));

describe('the characters of a text', () => {
  it.each([
    ['', 0],
    [' \n\t\u00a0\u3000 ', 0],
    ['hello', 5],
    ['  hello  world \r\n', 11],
    ['a\n\n\nb', 3],
    ['co\u00adoperate', 9],
    ['\ufeffbom', 3],
    ['a\u0000\u0007b', 2],
    ['a \u00ad b', 3],
    ['😀', 1],
    ['👩‍👩‍👧', 5],
    ['e\u0301', 2],
    ['\ud83d', 1],
    ['a\u200bb', 3],
  ])('of %j are %i', (text, expected) => {
    expect(count(text)).toBe(expected);
  });

  it('are those of the definition, for any text', () => {
    fc.assert(
      fc.property(anyText, (text) => count(text) === reference(text)),
      { numRuns: 1000 },
    );
  });

  it('includes every white space and control character of Unicode', () => {
    for (let unit = 0; unit <= 0xffff; unit += 1) {
      const text = `a${String.fromCharCode(unit)}b`;
      if (count(text) !== reference(text)) expect.fail(`U+${unit.toString(16)}`);
    }
  });

  it('do not depend on where the text is split', () => {
    fc.assert(
      fc.property(anyText, fc.array(fc.nat(200), { maxLength: 8 }), (text, cuts) => {
        const at = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
        const pieces = at.slice(1).map((end, index) => text.slice(at[index], end));
        return count(...pieces) === count(text);
      }),
      { numRuns: 1000 },
    );
  });
});
