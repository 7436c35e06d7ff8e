import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CharacterCount, type CountOptions, FileCounter } from '../../../src/documents/count/count.ts';
import { type Extracted, Extractor, type FileToRead } from '../../../src/documents/count/extract.ts';
import type { RefusalReason } from '../../../src/documents/count/not-counted.ts';
import { Unreadable } from '../../../src/documents/count/readers/reader.ts';
import { Failure } from '../../../src/lib/errors.ts';
import { temporaryDirectory } from '../../support/botctl.ts';

const pdf = Buffer.from('%PDF-1.7\n%âãÏÓ\n1 0 obj', 'latin1');
const zip = Buffer.from('PK\x03\x04\x14\x00rest of an archive', 'latin1');
const ole = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(512)]);
/** A document with a password as Word writes it: its directory names the stream. */
const lockedOle = Buffer.concat([ole, Buffer.alloc(300_000), Buffer.from('EncryptedPackage', 'utf16le')]);
const lockedInCapitals = Buffer.concat([ole, Buffer.from('ENCRYPTEDPACKAGE', 'utf16le')]);
const rtf = Buffer.from('{\\rtf1\\ansi Hello}');

function file(name: string, content: Uint8Array | string): string {
  const path = join(temporaryDirectory(), name);
  writeFileSync(path, content);
  return path;
}

async function countCharacters(path: string, name?: string, options?: CountOptions): Promise<CharacterCount> {
  const counter = new FileCounter(options);
  try {
    return await counter.count(path, name);
  } finally {
    await counter.close();
  }
}

async function refusal(path: string, name?: string, options?: CountOptions): Promise<Failure> {
  try {
    await countCharacters(path, name, options);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error(`${path} was counted`);
}

describe('counting a file', () => {
  it.each(['handbook.txt', 'README.md', 'prices.csv', 'page.html', 'LICENSE', 'NOTES.TXT'])(
    'accepts %s as text',
    async (name) => {
      const path = file(name, 'Olá,  mundo!\n');
      expect(await countCharacters(path)).toEqual({
        ...{ kind: 'txt', chars: 11, encoding: 'UTF-8', guessed: false },
        ...{ size: 14, modified: expect.closeTo(statSync(path).mtimeMs, 2) },
      });
    },
  );

  it('streams a file that is larger than one read', async () => {
    const line = 'Grüße aus Köln — 日本 😀\n';
    const counted = await countCharacters(file('large.txt', line.repeat(100_000)));
    expect(counted.chars).toBe([...line].length * 100_000 - 1);
  });

  it('counts a run of white space as one character', async () => {
    const path = file('spaces.txt', '\ufeff  one \r\n\r\n two\n\n');
    expect(await countCharacters(path)).toMatchObject({ chars: 7 });
    // UTF-16 is decoded by other code.
    const wide = file('wide.txt', Buffer.from('\ufeff  one \r\n\r\n two\n\n', 'utf16le'));
    expect(await countCharacters(wide)).toMatchObject({ chars: 7 });
    expect(await refusal(file('blank.txt', ' \r\n '))).toMatchObject({
      reason: 'empty',
    });
  });

  it.each([
    ['menu.txt', pdf, 'mismatch'],
    ['menu', pdf, 'mismatch'],
    ['letter.odt', zip, 'unsupported'],
    ['letter.md', ole, 'mismatch'],
    ['letter.rtf', rtf, 'unsupported'],
    ['menu.pdf', 'a text', 'mismatch'],
    ['locked.docx', lockedOle, 'encrypted'],
    ['locked.docx', lockedInCapitals, 'encrypted'],
    ['letter.docx', ole, 'mismatch'],
    ['letter.doc', '<html>', 'mismatch'],
    ['letter.doc', rtf, 'unsupported'],
    ['program.txt', Buffer.from('7f454c4602010100000', 'hex'), 'not-text'],
    ['blank.txt', ' \n\t\n', 'empty'],
  ])('refuses %s if its name does not match its content', async (name, content, reason) => {
    const failure = await refusal(file(name, content));
    expect(failure).toMatchObject({ kind: 'invalidInput', reason });
    expect(failure.hint).toContain('--chars <number>');
  });

  it('names an unsupported encoding, and suggests how to convert the text', async () => {
    const path = file('mail.txt', '\x1b$)C\x0e0!0"\x0f');
    const failure = await refusal(path);
    expect(failure).toMatchObject({ reason: 'unsupported', message: expect.stringContaining('ISO-2022-KR') });
    expect(String(failure.hint)).toContain(`iconv -f ISO-2022-KR -t UTF-8 ${path}`);
  });

  it('refuses a UTF-16 text that is truncated', async () => {
    const cut = Buffer.from('\ufeffa text', 'utf16le').subarray(0, -1);
    expect(await refusal(file('cut.txt', cut))).toMatchObject({
      ...{ reason: 'corrupt', message: expect.stringContaining('is UTF-16LE cut off within a character.') },
    });
  });

  it('compares the content with the name that it is uploaded under', async () => {
    expect(await countCharacters(file('upload.pdf', 'a text'), 'notes.txt')).toMatchObject({
      kind: 'txt',
      chars: 6,
    });
  });

  it('prints in one line why a file cannot be read', async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, 'folder'));
    const missing = join(directory, 'missing.txt');
    expect(await refusal(missing)).toMatchObject({
      kind: 'invalidInput',
      message: `Can't read ${missing}: there is no such file.`,
    });
    expect((await refusal(join(directory, 'folder'))).message).toBe(
      `${join(directory, 'folder')} is a directory.`,
    );
    const empty = file('empty.txt', '');
    expect((await refusal(empty)).message).toBe(`"${empty}" is empty.`);
    expect((await refusal('/dev/null')).message).toBe('/dev/null is not a regular file.');
  });
});

describe('a file in another format', () => {
  /** Counts a file whose content comes from a function instead of the extractor process. */
  async function counted(
    extract: (request: FileToRead) => Extracted,
    options: CountOptions = {},
    name = 'menu.pdf',
  ): Promise<unknown> {
    class Scripted extends Extractor {
      override async extract(request: FileToRead): Promise<Extracted> {
        return extract(request);
      }
    }
    const content = name.endsWith('pdf') ? pdf : zip;
    const extractor = new Scripted();
    return countCharacters(file(name, content), name, { ...options, extractor }).catch(
      (error: unknown) => error,
    );
  }
  const refusing = (reason: RefusalReason) => (): never => {
    throw new Unreadable(reason);
  };

  it('has the characters in total and per page', async () => {
    expect(await counted(() => ({ chars: 9, pages: [4, 0, 4] }))).toEqual({
      kind: 'pdf',
      chars: 9,
      pages: [4, 0, 4],
      size: pdf.length,
      modified: expect.any(Number),
    });
  });

  it.each(['encrypted', 'no-text', 'unsupported', 'corrupt', 'bomb', 'too-large', 'timed-out'] as const)(
    'is refused as %s, with --chars as the way to send it',
    async (reason) => {
      expect(await counted(refusing(reason))).toMatchObject({
        ...{ kind: 'invalidInput', reason, message: expect.stringContaining('menu.pdf') },
        hint: expect.stringContaining('--chars <number>'),
      });
    },
  );

  it('is never counted as 0 characters: a PDF has no text, a Word document is empty', async () => {
    const nothing = (): Extracted => ({ chars: 0, pages: [0, 0] });
    expect(await counted(nothing)).toMatchObject({ reason: 'no-text' });
    expect(await counted(nothing, {}, 'letter.docx')).toMatchObject({ reason: 'empty' });
  });

  it('is read with its password, and refused with another', async () => {
    const opened = ({ password }: FileToRead): Extracted =>
      password === 'right' ? { chars: 5 } : refusing('encrypted')();
    expect(await counted(opened, { password: 'right' })).toMatchObject({ chars: 5 });
    expect(await counted(opened, { password: 'wrong' })).toMatchObject({ reason: 'encrypted' });
  });
});
