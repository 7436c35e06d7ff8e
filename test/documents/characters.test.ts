import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CharacterCounter } from '../../src/documents/characters.ts';
import { countUtf8 } from '../../src/documents/utf8.ts';
import { anyCharacter } from '../support/any-character.ts';
import { inPieces } from './in-pieces.ts';

/** The definition of `chars`, word by word, on the code points of a whole text. */
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

/** Any code units, with those that the definition names far more often than chance has them. */
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

  it('are those of the definition for long texts that are ASCII, or nearly, in several pieces', () => {
    const ascii = fc.string({
      unit: fc.oneof(fc.constantFrom(...' \n\t\0\u007f'), fc.constant('x')),
      maxLength: 9,
    });
    const long = fc
      .tuple(
        ascii,
        ascii,
        fc.integer({ min: 60, max: 120 }),
        fc.constantFrom('', '', 'é', '\u00a0', '\ud83d'),
      )
      .map(([first, other, times, end]) => first + (other + first).repeat(times) + end);
    fc.assert(
      fc.property(fc.array(fc.oneof(long, ascii), { maxLength: 4 }), (pieces) => {
        expect(count(...pieces)).toBe(reference(pieces.join('')));
      }),
      { numRuns: 400 },
    );
  });

  it('knows the white space and control characters of Unicode, all of them', () => {
    for (let unit = 0; unit <= 0xffff; unit += 1) {
      const text = `a${String.fromCharCode(unit)}b`;
      if (count(text) !== reference(text)) expect.fail(`U+${unit.toString(16)}`);
    }
  });

  it('do not depend on where the text is cut', () => {
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

describe('the characters of UTF-8 by its bytes', () => {
  /** What the definition gives of bytes that are UTF-8 and have no control characters; undefined for others. */
  function expected(bytes: Uint8Array): number | undefined {
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      return /(?![\t-\r])[\0-\x1f\x7f]/.test(text) ? undefined : reference(text);
    } catch {
      return undefined;
    }
  }

  /** Words make up most of a text, and are read in another way. */
  const anyBytes = fc
    .array(
      fc.oneof(
        { weight: 4, arbitrary: fc.stringMatching(/^[ -~\n]{0,12}$/).map((text) => Buffer.from(text)) },
        { weight: 4, arbitrary: anyText.map((text) => Buffer.from(text)) },
        { weight: 1, arbitrary: fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes)) },
      ),
      { maxLength: 8 },
    )
    .map((parts) => Buffer.concat(parts));

  it('are those of the definition, for any bytes in pieces of any size', async () => {
    await fc.assert(
      fc.asyncProperty(anyBytes, fc.integer({ min: 1, max: 9 }), async (bytes, size) => {
        expect(await countUtf8(inPieces(bytes, size))).toBe(expected(bytes));
      }),
      { numRuns: 1000 },
    );
  });

  it('are those of the definition for each character of one byte, wherever it stands among others', async () => {
    for (let byte = 0; byte < 0x80; byte += 1)
      for (const text of ['a?bc de', 'ab? de', 'ab ?? e', 'a \n ?']) {
        const bytes = Buffer.from(text.replaceAll('?', String.fromCharCode(byte)));
        if ((await countUtf8(inPieces(bytes))) !== expected(bytes)) expect.fail(`${byte} in ${text}`);
      }
  });

  it('are those of the definition for all that begin alike', async () => {
    for (let first = 0x80; first < 0x10000; first += 0x40) {
      const units = Array.from({ length: 0x40 }, (_, index) => `ab${String.fromCharCode(first + index)}`);
      const bytes = Buffer.from(units.join(''));
      if ((await countUtf8(inPieces(bytes))) !== expected(bytes)) expect.fail(`U+${first.toString(16)}`);
    }
  });

  it('are looked for no further than to what is no text in UTF-8', async () => {
    for (const wrong of [Buffer.from([0xff]), Buffer.from([0xe3, 0x80]), Buffer.from('\0')]) {
      let asked = 0;
      const found = await countUtf8(async function* () {
        for (const piece of [Buffer.from('plain '), wrong, ...Array(5).fill(Buffer.from('more '))]) {
          asked += 1;
          yield piece;
        }
      });
      expect([found, asked <= 3]).toEqual([undefined, true]);
    }
  });
});
