import { describe, expect, it } from 'vitest';
import { readDoc } from '../../../src/documents/count/readers/doc.ts';
import { docStreams, madeDoc } from './made-doc.ts';
import { madeOle } from './made-ole.ts';
import { type Outcome, readDocument } from './read-document.ts';

const read = (content: Uint8Array, maxUnpacked?: number): Promise<Outcome> =>
  readDocument(readDoc, content, maxUnpacked === undefined ? {} : { maxUnpacked });

const narrow = (text: string): Buffer => madeDoc({ pieces: [[text, 'latin1']] });

describe('the text of an old Word document', () => {
  it.each([
    ['paragraphs, lines and pages', 'a\rb\x0bc\x0cd', 'a\nb\nc\nd'],
    ['cells', 'a\x07b\x07\x07', 'a\nb\n\n'],
    ['quotes and dashes of Windows', '\x93a\x94 \x96 \x80', '“a” – €'],
    ['hyphens', 'a\x1eb\x1fc', 'a\u2011bc'],
    ['no marks of notes, pictures and comments', '\x01a\x02b\x05c\x08', 'abc'],
    ['the result of a field, not its code', 'p\x13 PAGE \x147\x15.', 'p7.'],
    ['nothing of a field that has no result', 'p\x13 TC "x" \x15.', 'p.'],
    ['fields inside fields', '\x13 IF \x13 PAGE \x147\x15 \x14yes\x15', 'yes'],
  ])('has %s', async (_, raw, text) => {
    expect(await read(narrow(raw))).toMatchObject({ text });
  });

  it('is assembled from pieces of both encodings, with a field across them', async () => {
    const content = madeDoc({
      pieces: [
        ['one \x13 CO', 'latin1'],
        ['DE \x14日本語😀', 'utf16le'],
        ['\x15 two', 'latin1'],
      ],
    });
    expect(await read(content)).toMatchObject({ text: 'one 日本語😀 two' });
  });

  it('has notes and text boxes, but neither headers nor comments', async () => {
    const content = madeDoc({
      pieces: [['body.foot.head.comment.end.box.', 'latin1']],
      parts: [5, 5, 5, 0, 8, 4, 4],
    });
    expect(await read(content)).toMatchObject({ text: 'body.foot.end.box.' });
  });

  it('has no deleted text', async () => {
    expect(await read(madeDoc({ pieces: [['keep gone keep', 'latin1']], deleted: [5, 10] }))).toMatchObject({
      text: 'keep keep',
    });
  });

  it('is found if the names of its streams are in another case', async () => {
    const { WordDocument, '0Table': table } = docStreams({ pieces: [['text', 'latin1']] });
    const content = madeOle({ WORDDOCUMENT: WordDocument, '0TABLE': table });
    expect(await read(content)).toMatchObject({ text: 'text' });
  });

  it('has no character split at the end of a piece of the file', async () => {
    expect(await read(madeDoc({ pieces: [['😀x'.repeat(9_000), 'utf16le']] }))).toMatchObject({
      chars: 18_000,
    });
  });
});

describe('an old Office document is refused', () => {
  const one = { pieces: [['text', 'latin1']] } as const;

  it.each<[string, string, Uint8Array]>([
    ['encrypted', 'with a password', madeDoc({ ...one, flags: 0x0100 })],
    [
      'encrypted',
      'a newer document with a password',
      madeOle({ EncryptionInfo: Buffer.alloc(9), EncryptedPackage: Buffer.alloc(9) }),
    ],
    ['unsupported', 'a workbook', madeOle({ Workbook: Buffer.alloc(9) })],
    ['unsupported', 'a presentation', madeOle({ 'PowerPoint Document': Buffer.alloc(9) })],
    ['unsupported', 'a message', madeOle({ '__properties_version1.0': Buffer.alloc(9) })],
    ['unsupported', 'Word 95', madeDoc({ ...one, mark: 0xa5dc, version: 0x68 })],
    ['corrupt', 'no table', madeDoc({ ...one, flags: 0x0200 })],
    ['corrupt', 'more characters than there are', madeDoc({ ...one, parts: [9] })],
    ['corrupt', 'another file', Buffer.alloc(9000)],
    ['corrupt', 'fields inside each other without end', narrow('\x13'.repeat(5000))],
  ])('as %s: %s', async (reason, _, content) => {
    expect(await read(content)).toBe(reason);
  });

  it('as corrupt if its sectors form a cycle', async () => {
    const content = madeDoc(one);
    content.writeUInt32LE(3, 512 + 4 * 4);
    expect(await read(content)).toBe('corrupt');
  });

  it('as a bomb if the same text is referenced again and again', async () => {
    const text = 'x'.repeat(10_000);
    const pieces = Array.from({ length: 100 }, () => [text, 'latin1'] as const);
    const streams = docStreams({ pieces });
    const table = streams['0Table'];
    // All pieces refer to the same text as the first one.
    for (let index = 1; index < 100; index += 1) table.copy(table, 10 + 404 + 8 * index, 10 + 404, 10 + 412);
    const content = madeOle({ WordDocument: streams.WordDocument.subarray(0, 12_100), '0Table': table });
    expect(await read(content, 100_000)).toBe('bomb');
    expect(await read(content)).toMatchObject({ chars: 1_000_000 });
  });

  it('wherever it is truncated', async () => {
    const content = narrow('text'.repeat(2000));
    for (let length = 0; length < content.length; length += 127) {
      const outcome = await read(content.subarray(0, length));
      expect(outcome).toEqual(expect.toBeOneOf(['corrupt', expect.objectContaining({ chars: 8000 })]));
    }
  });
});
