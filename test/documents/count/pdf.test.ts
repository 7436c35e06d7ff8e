import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { readPdf } from '../../../src/documents/count/readers/pdf.ts';
import { japaneseFont, madePdf, shown } from './made-pdf.ts';
import { type Outcome, readDocument } from './read-document.ts';

const read = (content: Uint8Array, maxUnpacked?: number): Promise<Outcome> =>
  readDocument(readPdf, content, maxUnpacked === undefined ? {} : { maxUnpacked });

describe('the text of a PDF', () => {
  it('has the lines of each page', async () => {
    const content = madePdf([shown('One', 'two'), shown('Page two')]);
    expect(await read(content)).toEqual({ text: 'One\ntwo\nPage two\n', chars: 16, pages: [7, 8] });
  });

  it('includes pages without text, by their numbers', async () => {
    expect(await read(madePdf(['', shown('text'), '1 0 0 RG 0 0 9 9 re S']))).toMatchObject({
      chars: 4,
      pages: [0, 4, 0],
    });
  });

  it.each([
    ['90ms-RKSJ-H', Buffer.from('93fa967b8cea', 'hex')],
    ['EUC-H', Buffer.from('c6fccbdcb8ec', 'hex')],
    ['UniJIS-UTF16-H', Buffer.from('日本語', 'utf16le').swap16()],
  ])('is decoded with the predefined CMap %s if the font is not in the file', async (encoding, bytes) => {
    const content = madePdf([shown(bytes)], { font: japaneseFont(encoding) });
    expect(await read(content)).toMatchObject({ text: '日本語\n' });
  });

  it('is found if white space or a few bytes follow the end', async () => {
    const content = madePdf([shown('text')]);
    for (const more of ['\n'.repeat(5000), '\0'.repeat(5000), '<!-- served by a web server -->'])
      expect(await read(Buffer.concat([content, Buffer.from(more)]))).toMatchObject({ chars: 4 });
  });

  it('is found if the end marker is missing or far from the end', async () => {
    const content = madePdf([shown('text')]);
    const page = `<html>${'<p>Please wait</p>'.repeat(200)}</html>`;
    expect(await read(Buffer.concat([content, Buffer.from(page)]))).toMatchObject({ chars: 4 });
    const whole = content.subarray(0, content.indexOf('%%EOF'));
    for (const before of ['', 'HTTP/1.1 200 OK\r\n\r\n'])
      expect(await read(Buffer.concat([Buffer.from(before), whole]))).toMatchObject({ chars: 4 });
  });

  it('is what remains of a stream that was truncated inside the file', async () => {
    const stream = deflateSync(Buffer.from(shown('text'))).subarray(0, -6);
    const outcome = await read(madePdf([{ dictionary: '/Filter /FlateDecode', stream }]));
    expect(outcome).toMatchObject({ pages: [expect.toBeOneOf([0, 4])] });
  });
});

/** Returns the operators that show each text at its position. */
function placed(...texts: readonly (readonly [text: string, x: number, y: number])[]): string {
  return `BT /F1 10 Tf ${texts.map(([text, x, y]) => `1 0 0 1 ${x} ${y} Tm (${text}) Tj`).join(' ')} ET`;
}

describe('the words of a PDF', () => {
  it('are separate if the cells of a table are drawn in any order', async () => {
    const words = fc.array(fc.stringMatching(/^[A-Za-z0-9,.]{1,8}$/), { minLength: 2, maxLength: 20 });
    const shuffled = words
      .map((row) => row.map((word, index) => [word, 72 + 100 * (index % 5), 700 - 12 * (index % 4)] as const))
      .chain((cells) => fc.shuffledSubarray(cells, { minLength: cells.length }));
    await fc.assert(
      fc.asyncProperty(shuffled, async (cells) => {
        const outcome = await read(madePdf([placed(...cells)]));
        if (typeof outcome === 'string') throw new Error(outcome);
        expect(outcome.text.trim().split(/\s+/).toSorted()).toEqual(cells.map(([word]) => word).toSorted());
      }),
      { numRuns: 40 },
    );
  });

  it('are separate from those of a form that is drawn elsewhere', async () => {
    const content = madePdf([`${placed(['Page', 72, 700])} /X1 Do ${placed(['end', 300, 400])}`], {
      resources: '/XObject << /X1 4 0 R >>',
      objects: [
        {
          dictionary:
            '/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >>',
          stream: placed(['form', 72, 500]),
        },
      ],
    });
    expect(await read(content)).toMatchObject({ text: expect.stringMatching(/^Page\sform\send\s$/) });
  });

  it('are separate if the text of one runs into the next', async () => {
    expect(await read(madePdf([placed(['A long description', 72, 700], ['37.00', 120, 700])]))).toMatchObject(
      {
        text: expect.stringMatching(/description\s37/),
      },
    );
  });

  const hebrew = `<< /Type /Font /Subtype /Type1 /BaseFont /Some /FirstChar 65 /LastChar 67 /Widths [600 600 600]
    /Encoding << /Differences [65 /afii57664 /afii57665 /afii57666] >> >>`;

  it.each([
    ['each letter is kerned', 'BT /F1 10 Tf 72 700 Td [(W) 90 (A) 120 (V) -60 (E)] TJ ET', 'WAVE', {}],
    ['a part of it is raised', placed(['x', 72, 700], ['2', 77, 704], ['y', 82.5, 700]), 'x2y', {}],
    ['an accent is drawn over a letter', placed(['cafe', 72, 700], ['\xb4', 88, 701]), 'cafe\xb4', {}],
    [
      'letters are drawn from right to left',
      placed(['A', 90, 700], ['B', 84, 700], ['C', 78, 700], ['A', 69, 700]),
      'אבג א',
      { font: hebrew },
    ],
    [
      'letters stand below each other',
      'BT /F1 10 Tf 300 700 Td <65e5> Tj /F1 9 Tf <672c8a9e> Tj ET',
      '日本語',
      { font: japaneseFont('UniJIS-UTF16-V') },
    ],
  ])('are whole if %s', async (_, operators, text, parts) => {
    const content = madePdf([{ dictionary: '', stream: Buffer.from(operators, 'latin1') }], parts);
    expect(await read(content)).toMatchObject({ text: `${text}\n` });
  });
});

describe('the annotations of a PDF', () => {
  const place = '/Rect [72 500 300 520] /F 4';
  const field = `<< /Type /Annot /Subtype /Widget ${place} /T (name)`;
  const appearance = {
    dictionary: '/Type /XObject /Subtype /Form /BBox [0 0 228 20] /Resources << /Font << /F1 3 0 R >> >>',
    stream: 'BT /F1 10 Tf 2 5 Td (1,250.00) Tj ET',
  };
  const options = '/Opt [[(DE) (Germany)] [(FR) (France)]]';

  it.each([
    ['the value of a text field', `${field} /FT /Tx /V (Ana) >>`, 'Ana'],
    ['a value as its appearance has it', `${field} /FT /Tx /V (1250) /AP << /N 4 0 R >> >>`, '1,250.00'],
    ['letters in boxes', `${field} /FT /Tx /Ff 16777216 /MaxLen 9 /V (Ana) /AP << /N 4 0 R >> >>`, 'Ana'],
    ['a choice by the word that is shown', `${field} /FT /Ch /Ff 131072 /V (FR) ${options} >>`, 'France'],
    ['a text box', `<< /Type /Annot /Subtype /FreeText ${place} /AP << /N 4 0 R >> >>`, '1,250.00'],
    [
      'a text box that a viewer draws',
      `<< /Type /Annot /Subtype /FreeText ${place} /Contents (Ana) >>`,
      'Ana',
    ],
  ])('count: %s', async (_, annotation, text) => {
    const outcome = await read(
      madePdf([shown('Page'), ''], { annotations: [annotation], objects: [appearance] }),
    );
    expect(outcome).toMatchObject({ text: `Page\n${text}\n\n`, pages: [5 + text.length, 0] });
  });

  it.each([
    ['an empty field', `${field} /FT /Tx >>`],
    ['a hidden field', `${field} /FT /Tx /V (Ana) >>`.replace('/F 4', '/F 2')],
    ['a hidden text box', `<< /Type /Annot /Subtype /FreeText /Rect [1 1 9 9] /F 2 /Contents (Ana) >>`],
    ['a field that is only printed', `${field} /FT /Tx /V (Ana) >>`.replace('/F 4', '/F 36')],
    ['a password', `${field} /FT /Tx /Ff 8192 /V (Ana) >>`],
    ['a check box', `${field} /FT /Btn /V /Yes /AS /Yes /AP << /N << /Yes 4 0 R >> >> >>`],
    ['a push button', `${field} /FT /Btn /Ff 65536 /MK << /CA (Send) >> /AP << /N 4 0 R >> >>`],
    ['a comment', `<< /Type /Annot /Subtype /Text ${place} /Contents (Ana) >>`],
  ])('don’t count: %s', async (_, annotation) => {
    const outcome = await read(
      madePdf([shown('Page')], { annotations: [annotation], objects: [appearance] }),
    );
    expect(outcome).toMatchObject({ text: 'Page\n' });
  });
});

it('nothing in a PDF is printed, fetched or run', async () => {
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
  it('as corrupt wherever it is truncated', async () => {
    const content = madePdf([shown('text'), shown('more')]);
    for (let length = content.indexOf('\n%%EOF') - 1; length > 0; length -= 61)
      expect(await read(content.subarray(0, length))).toBe('corrupt');
  });

  it('as corrupt if a newer version of it was truncated', async () => {
    const update = `\n5 0 obj\n<< /Length 2000 >>\nstream\n${'BT '.repeat(500)}`;
    expect(await read(Buffer.concat([madePdf([shown('text')]), Buffer.from(update)]))).toBe('corrupt');
  });

  it('as corrupt if a page that it declares is missing', async () => {
    const content = madePdf([shown('text')])
      .toString('latin1')
      .replace('/Kids [4 0 R]', '/Kids [99 0 R]');
    expect(await read(Buffer.from(content, 'latin1'))).toBe('corrupt');
  });

  it('as encrypted if pdf.js does not support the encryption', async () => {
    const content = madePdf([shown('text')])
      .toString('latin1')
      .replace('/Root 1 0 R', '/Root 1 0 R /ID [<00> <00>] /Encrypt << /Filter /Adobe.PubSec /V 4 >>');
    expect(await read(Buffer.from(content, 'latin1'))).toBe('encrypted');
  });
});

it('the global DecompressionStream is restored after a PDF and after a bomb', async () => {
  const before = globalThis.DecompressionStream;
  await read(madePdf([shown('text')]));
  await read(madePdf([shown('text')]), 1);
  expect(globalThis.DecompressionStream).toBe(before);
});
