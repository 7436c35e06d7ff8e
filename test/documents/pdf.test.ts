import { deflateSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { readPdf } from '../../src/documents/readers/pdf.ts';
import { japaneseFont, madePdf, shown } from './made-pdf.ts';
import { type Outcome, readDocument } from './read-document.ts';

const read = (content: Uint8Array, maxUnpacked?: number): Promise<Outcome> =>
  readDocument(readPdf, content, maxUnpacked === undefined ? {} : { maxUnpacked });

describe('the text of a PDF', () => {
  it('has the lines of each page', async () => {
    const content = madePdf([shown('One', 'two'), shown('Page two')]);
    expect(await read(content)).toEqual({ text: 'One\ntwo\nPage two\n', chars: 16, pages: [7, 8] });
  });

  it('has pages without any, by their numbers', async () => {
    expect(await read(madePdf(['', shown('text'), '1 0 0 RG 0 0 9 9 re S']))).toMatchObject({
      chars: 4,
      pages: [0, 4, 0],
    });
  });

  it.each([
    ['90ms-RKSJ-H', Buffer.from('93fa967b8cea', 'hex')],
    ['EUC-H', Buffer.from('c6fccbdcb8ec', 'hex')],
    ['UniJIS-UTF16-H', Buffer.from('日本語', 'utf16le').swap16()],
  ])('is known by the predefined CMap %s where the font is not in the file', async (encoding, bytes) => {
    const content = madePdf([shown(bytes)], { font: japaneseFont(encoding) });
    expect(await read(content)).toMatchObject({ text: '日本語\n' });
  });

  it('is there where white space or a few bytes follow the end', async () => {
    const content = madePdf([shown('text')]);
    for (const more of ['\n'.repeat(5000), '\0'.repeat(5000), '<!-- served by a web server -->'])
      expect(await read(Buffer.concat([content, Buffer.from(more)]))).toMatchObject({ chars: 4 });
  });

  it('is what is there of a stream that was cut short inside the file', async () => {
    const stream = deflateSync(Buffer.from(shown('text'))).subarray(0, -6);
    const outcome = await read(madePdf([{ dictionary: '/Filter /FlateDecode', stream }]));
    expect(outcome).toMatchObject({ pages: [expect.toBeOneOf([0, 4])] });
  });
});

it('a PDF has nothing printed, fetched or run, whatever is in it', async () => {
  const printed = vi.spyOn(process.stdout, 'write');
  const warned = vi.spyOn(process.stderr, 'write');
  const fetched = vi.spyOn(globalThis, 'fetch');
  const catalog =
    '/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >> /URI << /Base (http://127.0.0.1:9/) >>';
  const content = madePdf([`${shown('text')} /Nothing gs /None Do (broken`], {
    catalog,
    font: japaneseFont('No-Such-H'),
  });
  try {
    expect(await read(content)).toMatchObject({ pages: [expect.any(Number)] });
    expect(await read(Buffer.from('%PDF-1.7\n%%EOF'))).toBe('corrupt');
    expect([printed.mock.calls, warned.mock.calls, fetched.mock.calls]).toEqual([[], [], []]);
  } finally {
    vi.restoreAllMocks();
  }
});

describe('a PDF is refused', () => {
  const large = deflateSync(Buffer.alloc(8_000_000, ' '));
  const flate = { dictionary: '/Filter /FlateDecode', stream: large };

  it('as a bomb where a page unpacks to more than it may, and where all pages together do', async () => {
    expect(await read(madePdf([flate]), 1_000_000)).toBe('bomb');
    expect(await read(madePdf([flate, flate, shown('text')]), 12_000_000)).toBe('bomb');
    expect(await read(madePdf([flate, shown('text')]), 12_000_000)).toMatchObject({ pages: [0, 4] });
  });

  it('as a bomb where it is packed several times over', async () => {
    const filter = '/Filter [/FlateDecode /FlateDecode /FlateDecode]';
    const stream = deflateSync(deflateSync(large));
    expect(stream.length).toBeLessThan(1000);
    expect(await read(madePdf([{ dictionary: filter, stream }]), 1_000_000)).toBe('bomb');
  });

  it('as a bomb where its sum is wrong as well', async () => {
    const stream = Buffer.from(large);
    stream.fill(0, stream.length - 4);
    expect(await read(madePdf([{ ...flate, stream }]), 1_000_000)).toBe('bomb');
  });

  it('as corrupt wherever it is cut short', async () => {
    const content = madePdf([shown('text'), shown('more')]);
    for (let length = content.indexOf('%%EOF'); length > 0; length -= 61)
      expect(await read(content.subarray(0, length))).toBe('corrupt');
  });

  it('as corrupt where a page is missing that it says it has', async () => {
    const content = madePdf([shown('text')])
      .toString('latin1')
      .replace('/Kids [4 0 R]', '/Kids [99 0 R]');
    expect(await read(Buffer.from(content, 'latin1'))).toBe('corrupt');
  });

  it('as encrypted where it is so in a way that pdf.js does not know', async () => {
    const content = madePdf([shown('text')])
      .toString('latin1')
      .replace('/Root 1 0 R', '/Root 1 0 R /ID [<00> <00>] /Encrypt << /Filter /Adobe.PubSec /V 4 >>');
    expect(await read(Buffer.from(content, 'latin1'))).toBe('encrypted');
  });
});

it('what unpacks for the rest of the program is what it was, after a PDF and after a bomb', async () => {
  const before = globalThis.DecompressionStream;
  await read(madePdf([shown('text')]));
  await read(madePdf([shown('text')]), 1);
  expect(globalThis.DecompressionStream).toBe(before);
});
