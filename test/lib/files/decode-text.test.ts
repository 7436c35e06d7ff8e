import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/lib/errors.ts';
import {
  decodeSendableText,
  decodeText,
  fileSource,
  stdinSource,
} from '../../../src/lib/files/decode-text.ts';

const source = fileSource('notes/my menu.txt');

function refusal(bytes: Buffer, from = source): string {
  try {
    return `taken: ${decodeSendableText(bytes, from)}`;
  } catch (error) {
    if (error instanceof Failure) return `${error.message} ${error.hint}`;
    throw error;
  }
}

const utf16 = (text: string) => Buffer.from(text, 'utf16le');

describe('an external text', () => {
  it('is the same in each encoding, without its byte order mark', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const marked = `\ufeff${text}`;
        for (const bytes of [Buffer.from(marked), utf16(marked), utf16(marked).swap16()])
          expect(decodeText(bytes, source)).toBe(text);
      }),
    );
  });

  it.each<[Buffer, string]>([
    [
      Buffer.from('a\nOl\xe1', 'latin1'),
      'my menu.txt is not UTF-8 at line 2, byte 5; it looks like WINDOWS-1252.',
    ],
    [Buffer.from('\xef\xbb\xbfOl\xe1', 'latin1'), 'is not UTF-8 at line 1, byte 6'],
    [Buffer.from('é\ufffd\xff', 'latin1'), 'is not UTF-8 at line 1, byte 1'],
    [Buffer.concat([Buffer.from('é\ufffd'), Buffer.from([0xff])]), 'is not UTF-8 at line 1, byte 6'],
    [Buffer.from('\x83\x81', 'latin1'), 'is not UTF-8 at line 1, byte 1. Save it as UTF-8 text.'],
    [utf16('Hello'), 'has a NUL character at line 1, byte 2; it looks like UTF-16LE.'],
    [utf16('Hello').swap16(), 'has a NUL character at line 1, byte 1; it looks like UTF-16BE.'],
    [Buffer.from([0xff, 0xfe, 0, 0, 0x41, 0, 0, 0]), 'it looks like UTF-32LE.'],
    [utf16('\ufeffa\n\ud83db'), 'is not UTF-16 at line 2, byte 7'],
    [utf16('\ufeffab').subarray(0, -1), 'is not UTF-16 at line 1, byte 5'],
    [Buffer.from(`${'a'.repeat(30)}\n\0`), 'has a NUL character at line 2, byte 32. Remove it.'],
    [Buffer.from('a\n\ufeffb'), 'has a byte order mark (U+FEFF) at line 2, byte 3. Remove it'],
    [
      Buffer.from('é\ufffd'),
      'has U+FFFD, which marks a character that was lost at line 1, byte 3. Replace it',
    ],
  ])('is refused with its position: %j', (bytes, says) => {
    expect(refusal(bytes)).toContain(says);
  });

  it('is refused with the command that converts it', () => {
    const latin1 = Buffer.from('Ol\xe1', 'latin1');
    expect(refusal(latin1)).toContain(
      ': iconv -f WINDOWS-1252 -t UTF-8 "notes/my menu.txt" > "notes/my menu.utf-8.txt"',
    );
    expect(refusal(latin1, stdinSource)).toContain('Convert it first: iconv -f WINDOWS-1252 -t UTF-8');
  });
});
