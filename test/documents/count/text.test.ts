import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CharacterCounter } from '../../../src/documents/count/characters.ts';
import { countText } from '../../../src/documents/count/text.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { inPieces } from './in-pieces.ts';

function charactersOf(text: string): number {
  const counter = new CharacterCounter();
  counter.add(text);
  return counter.count;
}

function utf16(text: string, endian: 'LE' | 'BE'): Buffer {
  const bytes = Buffer.from(text, 'utf16le');
  return endian === 'LE' ? bytes : bytes.swap16();
}

const sample = 'Olá, João! Überraschung: 30 € — “quoted”, 日本語, кириллица, 😀.\r\nSecond line.\r\n';
const latin = 'The quick brown fox jumps over the lazy dog.\nTwice.\n';

const byMark: readonly (readonly [string, Buffer])[] = [
  ['UTF-8', Buffer.from(`\ufeff${sample}`)],
  ['UTF-16LE', utf16(`\ufeff${sample}`, 'LE')],
  ['UTF-16BE', utf16(`\ufeff${sample}`, 'BE')],
];

describe('the encoding of a text', () => {
  it.each(byMark)('is %s by its byte order mark', async (encoding, bytes) => {
    expect(await countText(inPieces(bytes))).toEqual({
      chars: charactersOf(sample),
      encoding,
      guessed: false,
    });
  });

  it.each(['LE', 'BE'] as const)('is UTF-16%s by the positions of its NUL bytes', async (endian) => {
    const found = await countText(inPieces(utf16(latin, endian)));
    expect(found).toEqual({ chars: charactersOf(latin), encoding: `UTF-16${endian}`, guessed: false });
  });

  it('is UTF-8 if the whole text is valid', async () => {
    const found = await countText(inPieces(Buffer.from(sample)));
    expect(found).toEqual({ chars: charactersOf(sample), encoding: 'UTF-8', guessed: false });
  });

  const cyrillic = 'Быстрая коричневая лиса перепрыгивает через ленивую собаку. '.repeat(5);
  const single = (table: string): ((text: string) => Buffer) => {
    const decoder = new TextDecoder(table);
    const codes = new Map<string, number>();
    for (let byte = 0; byte < 256; byte += 1)
      codes.set(decoder.decode(Uint8Array.of(byte), { stream: true }), byte);
    return (text) => Buffer.from([...text].map((character) => codes.get(character) ?? 0x3f));
  };
  const western = 'Überraschung: ein Café, “quotes”, 30 €, naïve façade — déjà vu. '.repeat(4);

  it.each([
    ['windows-1251', single('windows-1251')(cyrillic), cyrillic],
    ['KOI8-R', single('koi8-r')(cyrillic), cyrillic],
    ['windows-1252', single('windows-1252')(western), western],
  ])('is guessed if it is a single-byte one: %s', async (_encoding, bytes, text) => {
    expect(await countText(inPieces(bytes))).toMatchObject({ chars: charactersOf(text), guessed: true });
  });

  it('is not UTF-8 if it ends in the middle of a character', async () => {
    const found = await countText(inPieces(Buffer.from('Ol\xe1', 'latin1')));
    expect(found).toMatchObject({ chars: 3, guessed: true });
    expect(found?.encoding).toBe('windows-1252');
  });

  it('is guessed for East Asian text with two bytes per character', async () => {
    // 日本語の文章です。 and 这是中文文本。, in Shift_JIS, EUC-JP and GB18030.
    const shiftJis = Buffer.from('93fa967b8cea82cc95b68fcd82c582b78142', 'hex');
    const eucJp = Buffer.from('c6fccbdcb8eca4cecab8beCFa4c7a4b9a1a3'.toLowerCase(), 'hex');
    const gb18030 = Buffer.from('d5e2cac7d6d0cec4cec4b1bea1a3', 'hex');
    const repeated = (bytes: Buffer): Buffer => Buffer.concat(Array.from({ length: 20 }, () => bytes));
    expect(await countText(inPieces(repeated(shiftJis)))).toEqual({
      chars: 180,
      encoding: 'Shift_JIS',
      guessed: true,
    });
    expect(await countText(inPieces(repeated(eucJp)))).toEqual({
      chars: 180,
      encoding: 'EUC-JP',
      guessed: true,
    });
    expect(await countText(inPieces(repeated(gb18030)))).toEqual({
      chars: 140,
      encoding: 'GB18030',
      guessed: true,
    });
  });

  it('is detected around the first byte that is not ASCII, however late it occurs', async () => {
    const bytes = Buffer.concat([Buffer.from('plain '.repeat(100_000)), single('windows-1251')(cyrillic)]);
    const found = await countText(inPieces(bytes, 65_536));
    expect(found).toMatchObject({
      chars: charactersOf(`${'plain '.repeat(100_000)}${cyrillic}`),
      guessed: true,
    });
  });

  it('counts invalid UTF-16 units as one replacement character each', async () => {
    expect((await countText(inPieces(Buffer.from('fffe610000d86200', 'hex'))))?.chars).toBe(3);
  });

  it.each([
    ['LE', 'fffe000061000000'],
    ['BE', '0000feff00000061'],
  ])('is refused if it is UTF-32%s', async (endian, bytes) => {
    const text = inPieces(Buffer.from(bytes, 'hex'));
    await expect(countText(text)).rejects.toMatchObject({ encoding: `UTF-32${endian}` });
  });

  it.each([
    ['UTF-16LE', utf16(`\ufeff${latin}`, 'LE')],
    ['UTF-16BE', utf16(`\ufeff${latin}`, 'BE')],
    ['UTF-16LE', utf16(latin, 'LE')],
  ])('of a text that ends within a character is refused: %s', async (encoding, bytes) => {
    const text = inPieces(Buffer.concat([bytes, Buffer.from('a')]));
    await expect(countText(text)).rejects.toMatchObject({
      ...{ reason: 'corrupt', says: `is ${encoding} cut off within a character` },
    });
  });
});

describe('a seven-bit text', () => {
  const japanese = Buffer.from('Tokyo: \x1b$BF|K\\8l\x1b(B and \x1b(I1\x1b(B\x1b$B\x1b(B.\n', 'latin1');
  const hz = Buffer.from('In ASCII.\nIn GB.~{<:Ky2;VpBz#,NpJ)6ZHK!#~}Bye.\n', 'latin1');

  it.each([
    ['HZ', hz],
    ['HZ', Buffer.concat([Buffer.from('x'.repeat(70_000)), hz])],
    ['ISO-2022-JP', japanese],
    ['ISO-2022-KR', Buffer.from('\x1b$)C\x0e0!0"\x0f and \x0e0#\x0f', 'latin1')],
    ['ISO-2022-CN', Buffer.from('\x1b$)A\x0e<:Ky\x0f and more', 'latin1')],
    ['ISO-2022-JP-2', Buffer.from('\x1b$BF|K\\8l\x1b(B, \x1b$(D0!\x1b(B', 'latin1')],
  ])('is refused by name if it is %s', async (encoding, bytes) => {
    for (const counting of [{}, { digested: true }])
      for (const size of [1, 65_536])
        await expect(countText(inPieces(bytes, size), counting)).rejects.toMatchObject({ encoding });
  });

  it.each([
    ['colours that tput set', '\x1b[31mred\x1b(B\x1b[m\n\x1b(0qqq\x1b(B'],
    ['directives of Lisp', '(format t "~{~a~^, ~}" list) (format t "~{[~a]~}" list)'],
    ['braces of TeX', 'see~{ABCD} and~{EF}, but~{ABCD~} {\\bf x}'],
    ['paths and sets', 'cp ~{alice,bob}/x /tmp; echo ~{a..z~}'],
  ])('is ASCII with %s', async (_, text) => {
    expect(await countText(inPieces(Buffer.from(text)))).toMatchObject({
      chars: charactersOf(text),
      encoding: 'UTF-8',
    });
  });
});

describe('binary data', () => {
  it.each([
    ['a NUL in a text', Buffer.from('some text\0and more')],
    ['an executable', Buffer.from('7f454c4602010100000000000000000003003e0001000000', 'hex')],
    ['many control bytes', Buffer.from('\x01\x02\x03text\x05\x06'.repeat(10))],
  ])('is not text: %s', async (_what, bytes) => {
    expect(await countText(inPieces(bytes))).toBeUndefined();
  });

  it('does not include a log with colours', async () => {
    expect(await countText(inPieces(Buffer.from('\x1b[31mred\x1b[0m\n'.repeat(10))))).toMatchObject({
      encoding: 'UTF-8',
    });
  });
});

describe('the chunk size', () => {
  const encoded = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 60 }),
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 30 }).map((text) => Buffer.from(text)),
    fc
      .tuple(fc.string({ unit: anyCharacter, maxLength: 30 }), fc.constantFrom('LE', 'BE'))
      .map(([text, endian]) => utf16(`\ufeff${text}`, endian)),
  );

  it('changes neither the count nor the hash of the text', async () => {
    const found = (bytes: Uint8Array, size?: number) =>
      countText(inPieces(bytes, size), { digested: true }).catch(String);
    await fc.assert(
      fc.asyncProperty(encoded, fc.integer({ min: 1, max: 7 }), async (bytes, size) => {
        expect(await found(bytes, size)).toEqual(await found(bytes));
      }),
      { numRuns: 500 },
    );
  });
});

describe('the hash of a text', () => {
  const digestOf = async (bytes: Uint8Array) =>
    (await countText(inPieces(bytes), { digested: true }))?.digest;

  it('is the same in another encoding, and with other white space', async () => {
    const text = 'Sopa de tomate 😀\r\n\r\n  e pão\n';
    const digest = await digestOf(Buffer.from(text));
    expect(digest).toMatch(/^[\da-f]{64}$/);
    expect(await digestOf(utf16(`\ufeff${text}`, 'BE'))).toBe(digest);
    expect(await digestOf(Buffer.from('\tSopa de\u00ad tomate 😀 e\npão'))).toBe(digest);
  });

  it('differs if a character differs, or if words are joined', async () => {
    const digest = await digestOf(Buffer.from('a b 😀'));
    for (const other of ['a c 😀', 'ab 😀', 'a b 😁'])
      expect(await digestOf(Buffer.from(other))).not.toBe(digest);
  });
});
