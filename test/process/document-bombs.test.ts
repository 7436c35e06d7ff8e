import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { Extractor } from '../../src/documents/count/extract.ts';
import { Unreadable } from '../../src/documents/count/readers/reader.ts';
import type { BinaryKind } from '../../src/documents/kind.ts';
import { docStreams } from '../documents/count/made-doc.ts';
import { madeDocx, mainPart, paragraph } from '../documents/count/made-docx.ts';
import { madeOle } from '../documents/count/made-ole.ts';
import { madePdf, shown } from '../documents/count/made-pdf.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const mebibyte = 1024 * 1024;

/** Less than the bombs unpack to, so that each is found in time, and enough for a reader without a bomb. */
const extractor = new Extractor({ limits: { memory: 224 * mebibyte, unpacked: 32 * mebibyte } });
afterAll(() => extractor.close());

/** Returns the number of characters, or the reason of a refusal. */
async function outcome(kind: BinaryKind, content: Uint8Array): Promise<number | string> {
  const path = join(temporaryDirectory('bomb'), 'document');
  writeFileSync(path, content);
  try {
    return (await extractor.extract({ path, kind }, new AbortController().signal)).chars;
  } catch (error) {
    if (error instanceof Unreadable) return error.reason;
    throw error;
  }
}

const size = 256 * mebibyte;
const packed = (content: Uint8Array): Buffer => deflateSync(content, { level: 1 });
const large = packed(Buffer.alloc(size, ' '));

function largePart(): Buffer {
  const [start = '', end = ''] = mainPart(paragraph('x')).split('</w:body>');
  return Buffer.concat([Buffer.from(start), Buffer.alloc(size, ' '), Buffer.from(`</w:body>${end}`)]);
}

/** Returns a document that refers to the same text two thousand times. */
function repeatedDoc(): Buffer {
  const pieces = Array.from({ length: 2000 }, () => ['x'.repeat(30_000), 'latin1'] as const);
  const { WordDocument, '0Table': table } = docStreams({ pieces });
  for (let index = 1; index < 2000; index += 1)
    table.copy(table, 10 + 8004 + 8 * index, 10 + 8004, 10 + 8012);
  return madeOle({ WordDocument: WordDocument.subarray(0, 32_048), '0Table': table });
}

/** Returns a file whose structural objects are in a stream that pdf.js unpacks by itself. */
function objectStreamBomb(): Buffer {
  const content = madePdf([shown('text')]).toString('latin1');
  const stream = packed(
    Buffer.concat([Buffer.from('1 0 << /Type /Catalog /Pages 2 0 R >>'), Buffer.alloc(size, ' ')]),
  );
  const head = `9 0 obj\n<< /Type /ObjStm /N 1 /First 4 /Filter /FlateDecode /Length ${stream.length} >>\nstream\n`;
  const at = content.indexOf('xref\n');
  const objects = Buffer.concat([
    Buffer.from(content.slice(0, at), 'latin1'),
    Buffer.from(head),
    stream,
    Buffer.from('\nendstream\nendobj\n'),
  ]);
  // A table that places the catalog in that stream.
  const rows = [
    [0, 0, 255],
    [2, 9, 0],
  ];
  for (let number = 2; number <= 5; number += 1) rows.push([1, content.indexOf(`\n${number} 0 obj`) + 1, 0]);
  for (let number = 6; number <= 8; number += 1) rows.push([0, 0, 255]);
  rows.push([1, at, 0], [1, objects.length, 0]);
  const table = Buffer.from(
    rows.flatMap(([type = 0, place = 0, last = 0]) => [
      type,
      place >> 16,
      (place >> 8) & 255,
      place & 255,
      last,
    ]),
  );
  return Buffer.concat([
    objects,
    Buffer.from(
      `10 0 obj\n<< /Type /XRef /Size 11 /W [1 3 1] /Root 1 0 R /Length ${table.length} >>\nstream\n`,
    ),
    table,
    Buffer.from(`\nendstream\nendobj\nstartxref\n${objects.length}\n%%EOF\n`),
  ]);
}

describe('a document that unpacks to 256 MiB is refused, with less memory than that', () => {
  const bombs: readonly (readonly [string, BinaryKind, string, () => Uint8Array])[] = [
    ['an archive', 'docx', 'bomb', () => madeDocx('', { content: largePart() })],
    [
      'an archive whose directory lies',
      'docx',
      'corrupt',
      () => madeDocx('', { content: largePart(), saidSize: 1000 }),
    ],
    [
      'a page of a PDF',
      'pdf',
      'too-large',
      () => madePdf([{ dictionary: '/Filter /FlateDecode', stream: large }]),
    ],
    [
      'a page that is packed twice',
      'pdf',
      'too-large',
      () => madePdf([{ dictionary: '/Filter [/FlateDecode /FlateDecode]', stream: deflateSync(large) }]),
    ],
    [
      'a page with a wrong checksum',
      'pdf',
      'too-large',
      () =>
        madePdf([
          { dictionary: '/Filter /FlateDecode', stream: Buffer.from(large).fill(0, large.length - 4) },
        ]),
    ],
    ['the structure of a PDF', 'pdf', 'too-large', objectStreamBomb],
    ['a Word document that repeats itself', 'doc', 'bomb', repeatedDoc],
  ];
  // Creating a bomb takes as long as detecting it.
  it.each(bombs)('%s', async (_, kind, reason, content) => {
    expect(await outcome(kind, content())).toBe(reason);
    // The extractor still reads the next document.
    expect(await outcome('docx', madeDocx(paragraph('next')))).toBe(4);
  });
});
