import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CharacterCount, type CountOptions, FileCounter } from '../../src/documents/count.ts';
import { Extractor } from '../../src/documents/extract.ts';
import { pagesText } from '../../src/documents/pages.ts';
import { Failure } from '../../src/lib/errors.ts';
import { temporaryDirectory } from '../support/botctl.ts';

const pdf = Buffer.from('%PDF-1.7\n%âãÏÓ\n1 0 obj', 'latin1');
const zip = Buffer.from('PK\x03\x04\x14\x00rest of an archive', 'latin1');
const ole = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(512)]);
/** As Word writes a document with a password: its directory names the stream. */
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
    'takes %s for text',
    async (name) => {
      const path = file(name, 'Olá,  mundo!\n');
      expect(await countCharacters(path)).toEqual({
        ...{ kind: 'txt', chars: 11, encoding: 'UTF-8', guessed: false },
        ...{ size: 14, modified: expect.closeTo(statSync(path).mtimeMs, 2) },
      });
    },
  );

  it('streams a file that is larger than what is read at a time', async () => {
    const line = 'Grüße aus Köln — 日本 😀\n';
    const counted = await countCharacters(file('large.txt', line.repeat(100_000)));
    expect(counted.chars).toBe([...line].length * 100_000 - 1);
  });

  it.each([
    ['collapsed', 7],
    ['raw', 14],
  ] as const)('counts %s', async (mode, chars) => {
    const path = file('spaces.txt', '\ufeff  one \r\n\r\n two\n\n');
    expect(await countCharacters(path, undefined, { mode })).toMatchObject({ chars });
    // As UTF-16, which takes another way.
    const wide = file('wide.txt', Buffer.from('\ufeff  one \r\n\r\n two\n\n', 'utf16le'));
    expect(await countCharacters(wide, undefined, { mode })).toMatchObject({ chars });
    expect(await refusal(file('blank.txt', ' \r\n '), undefined, { mode })).toMatchObject({
      reason: 'empty',
    });
  });

  it.each([
    ['menu.txt', pdf, '"menu.txt" is a PDF by its content, not a text.'],
    ['menu', pdf, '"menu" is a PDF by its content, not a text.'],
    ['letter.odt', zip, '"letter.odt" is a zip archive by its content, not a text.'],
    ['letter.md', ole, '"letter.md" is an old Office document by its content, not a text.'],
    ['letter.rtf', rtf, '"letter.rtf" is an RTF document by its content, not a text.'],
    ['menu.pdf', 'a text', '"menu.pdf" is not a PDF by its content.'],
    ['locked.docx', lockedOle, '"locked.docx" is encrypted.'],
    ['locked.docx', lockedInCapitals, '"locked.docx" is encrypted.'],
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

  it('names an encoding that it does not read, and says how to convert the text', async () => {
    const path = file('mail.txt', '\x1b$)C\x0e0!0"\x0f');
    const failure = await refusal(path);
    expect(failure).toMatchObject({ reason: 'unsupported', message: expect.stringContaining('ISO-2022-KR') });
    expect(String(failure.hint)).toContain(`iconv -f ISO-2022-KR -t UTF-8 ${path}`);
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
    expect((await refusal(empty)).message).toBe(`"${empty}" is empty.`);
    expect((await refusal('/dev/null')).message).toBe('/dev/null is not a regular file.');
  });
});

describe('a file in another format', () => {
  /** Answers a request as its code says, in the place of the process that reads documents. */
  async function counted(answer: string, options: CountOptions = {}, name = 'menu.pdf'): Promise<unknown> {
    const script = file(
      'process.cjs',
      `process.on('disconnect', () => process.exit());
      process.on('message', ({ id, password, mode }) => process.send({ id, ...(${answer}) }));`,
    );
    const extractor = new Extractor({ file: script });
    const content = name.endsWith('pdf') ? pdf : zip;
    return countCharacters(file(name, content), name, { ...options, extractor }).catch(
      (error: unknown) => error,
    );
  }

  it('has the characters of all and of each page', async () => {
    expect(await counted(`{ kind: 'counted', chars: 9, pages: [4, 0, 4] }`)).toEqual({
      kind: 'pdf',
      chars: 9,
      pages: [4, 0, 4],
      size: pdf.length,
      modified: expect.any(Number),
    });
  });

  const refused = [
    ['encrypted', 'is encrypted.', '--password-stdin'],
    ['no-text', 'has no text to count.', 'OCR'],
    ['unsupported', 'is not a PDF that botctl reads.', 'Export it as PDF'],
    ['corrupt', 'is damaged, or cut short.', 'save it anew'],
    ['bomb', 'unpacks to far more than a document has.', 'leave it alone'],
    ['too-large', 'takes more memory to read than a document gets.', 'Split it.'],
    ['timed-out', 'takes longer to read than a document gets.', 'Split it.'],
  ] as const;
  it.each(refused)('is refused as %s, with what can be done', async (reason, says, remedy) => {
    const failure = await counted(`{ kind: 'refused', reason: '${reason}' }`);
    expect(failure).toMatchObject({ kind: 'invalidInput', reason, message: `"menu.pdf" ${says}` });
    expect(failure).toMatchObject({ hint: expect.stringContaining(remedy) });
    expect(failure).toMatchObject({ hint: expect.stringContaining('--chars <number>') });
  });

  it('never counts nothing: a PDF has no text, a Word document is empty', async () => {
    const nothing = `{ kind: 'counted', chars: 0, pages: [0, 0] }`;
    expect(await counted(nothing)).toMatchObject({ reason: 'no-text' });
    expect(await counted(nothing, {}, 'letter.docx')).toMatchObject({
      reason: 'empty',
      message: '"letter.docx" has no characters but white space.',
    });
  });

  it('is read with the password, and says that it is another one', async () => {
    const answer = `password === 'right' ? { kind: 'counted', chars: 5 } : { kind: 'refused', reason: 'encrypted' }`;
    expect(await counted(answer, { password: 'right' })).toMatchObject({ chars: 5 });
    expect(await counted(answer, { password: 'wrong' })).toMatchObject({
      message: '"menu.pdf" is encrypted, and has another password.',
    });
  });
});

it.each([
  [[1], 'page 1'],
  [[2, 5, 6, 7, 9], 'pages 2, 5–7 and 9'],
  [[3, 4], 'pages 3–4'],
  [[1, 3, 5, 7, 9, 11, 13, 15, 17, 19], 'pages 1, 3, 5, 7, 9, 11, 13, 15 and 2 more'],
])('%j are written as %s', (numbers, text) => {
  expect(pagesText(numbers)).toBe(text);
});
