import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { Extractor } from '../../src/documents/count/extract.ts';
import { Unreadable } from '../../src/documents/count/readers/reader.ts';
import type { BinaryKind } from '../../src/documents/kind.ts';
import { madeDoc } from '../documents/count/made-doc.ts';
import { madeDocx, paragraph, relationships } from '../documents/count/made-docx.ts';
import { madePdf, shown } from '../documents/count/made-pdf.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const extractor = new Extractor();
afterAll(() => extractor.close());

const never = new AbortController().signal;

/** Returns the number of characters, or the reason of a refusal. Rethrows any other error. */
async function outcome(kind: BinaryKind, path: string, content: Uint8Array): Promise<number | string> {
  writeFileSync(path, content);
  try {
    return (await extractor.extract({ path, kind }, never)).chars;
  } catch (error) {
    if (error instanceof Unreadable) return error.reason;
    throw error;
  }
}

const samples: readonly (readonly [BinaryKind, Buffer])[] = [
  [
    'docx',
    madeDocx(paragraph('One') + paragraph('two'), {}, [
      { name: 'word/_rels/document.xml.rels', content: relationships({ footnotes: 'f.xml' }), stored: true },
    ]),
  ],
  ['pdf', madePdf([shown('One'), shown('two')])],
  [
    'doc',
    madeDoc({
      pieces: [
        ['One\r', 'latin1'],
        ['two', 'utf16le'],
      ],
    }),
  ],
];

describe.each(samples)('a %s', (kind, sample) => {
  const expected = expect.toBeOneOf([
    expect.any(Number),
    'corrupt',
    'encrypted',
    'unsupported',
    'bomb',
    'too-large',
  ]);

  it('is counted by the process that reads documents', async () => {
    const path = join(temporaryDirectory('damaged'), 'document');
    expect(await outcome(kind, path, sample)).toBe(7);
  });

  it('with some changed bytes has a count or a reason', async () => {
    const path = join(temporaryDirectory('damaged'), 'document');
    const change = fc.tuple(fc.nat(sample.length - 1), fc.integer({ min: 0, max: 255 }));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
        const changed = Buffer.from(sample);
        for (const [at, byte] of changes) changed[at] = byte;
        expect(await outcome(kind, path, changed)).toEqual(expected);
      }),
    );
  });

  it('of random bytes after its first ones has a reason', async () => {
    const path = join(temporaryDirectory('damaged'), 'document');
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 5000 }), async (bytes) => {
        const content = Buffer.concat([sample.subarray(0, 8), bytes]);
        expect(await outcome(kind, path, content)).toEqual(expected);
      }),
    );
  });
});
