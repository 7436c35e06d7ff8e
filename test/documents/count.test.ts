import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { countCharacters } from '../../src/documents/count.ts';
import { Failure } from '../../src/lib/errors.ts';
import { temporaryDirectory } from '../support/botctl.ts';

const pdf = Buffer.from('%PDF-1.7\n%âãÏÓ\n1 0 obj', 'latin1');
const zip = Buffer.from('PK\x03\x04\x14\x00rest of an archive', 'latin1');
const ole = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(512)]);
const rtf = Buffer.from('{\\rtf1\\ansi Hello}');

function file(name: string, content: Uint8Array | string): string {
  const path = join(temporaryDirectory(), name);
  writeFileSync(path, content);
  return path;
}

async function refusal(path: string, name?: string): Promise<Failure> {
  try {
    await countCharacters(path, name);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error(`${path} was counted`);
}

describe('counting a file', () => {
  it.each(['handbook.txt', 'README.md', 'prices.csv', 'page.html', 'LICENSE', 'NOTES.TXT'])(
    'takes %s for text',
    async (name) => {
      const counted = await countCharacters(file(name, 'Olá,  mundo!\n'));
      expect(counted).toEqual({ kind: 'txt', chars: 11, encoding: 'UTF-8', guessed: false });
    },
  );

  it('streams a file that is larger than what is read at a time', async () => {
    const line = 'Grüße aus Köln — 日本 😀\n';
    const counted = await countCharacters(file('large.txt', line.repeat(100_000)));
    expect(counted.chars).toBe([...line].length * 100_000 - 1);
  });

  it.each([
    ['menu.pdf', pdf, 'a PDF'],
    ['menu.PDF', Buffer.concat([Buffer.alloc(900, 0x20), pdf]), 'a PDF'],
    ['letter.docx', zip, 'a Word document (.docx)'],
    ['letter.doc', ole, 'a Word document (.doc)'],
  ])('asks for --chars with %s, which it cannot count yet', async (name, content, called) => {
    const { kind, message, hint } = await refusal(file(name, content));
    expect(kind).toBe('invalidInput');
    expect(message).toBe(`"${name}" is ${called}: botctl can't count its characters yet.`);
    expect(hint).toContain('--chars <number>');
  });

  it.each([
    ['menu.txt', pdf, '"menu.txt" is a PDF by its content, not a text.'],
    ['menu', pdf, '"menu" is a PDF by its content, not a text.'],
    ['letter.odt', zip, '"letter.odt" is a zip archive by its content, not a text.'],
    ['letter.md', ole, '"letter.md" is an old Office document by its content, not a text.'],
    ['letter.rtf', rtf, '"letter.rtf" is an RTF document by its content, not a text.'],
    ['menu.pdf', 'a text', '"menu.pdf" is not a PDF by its content.'],
    ['letter.docx', ole, '"letter.docx" is not a Word document (.docx) by its content.'],
    ['letter.doc', '<html>', '"letter.doc" is not a Word document (.doc) by its content.'],
    ['letter.doc', rtf, '"letter.doc" is not a Word document (.doc) by its content.'],
    [
      'program.txt',
      Buffer.from('7f454c460201010000', 'hex'),
      '"program.txt" is not text: it holds binary data.',
    ],
    ['blank.txt', ' \n\t\n', '"blank.txt" has no characters but white space.'],
  ])('refuses %s where its name says something else than its content', async (name, content, message) => {
    const failure = await refusal(file(name, content));
    expect(failure).toMatchObject({ kind: 'invalidInput', message });
    expect(failure.hint).toContain('--chars <number>');
  });

  it('compares the content with the name that it is uploaded under', async () => {
    expect(await countCharacters(file('upload.pdf', 'a text'), 'notes.txt')).toMatchObject({
      kind: 'txt',
      chars: 6,
    });
  });

  it('says in one line why a file cannot be read', async () => {
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
    expect((await refusal(empty)).message).toBe(`${empty} is empty.`);
    expect((await refusal('/dev/null')).message).toBe('/dev/null is not a regular file.');
  });
});
