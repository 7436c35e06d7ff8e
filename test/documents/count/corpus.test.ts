import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CharacterCounter } from '../../../src/documents/count/characters.ts';
import { readDoc } from '../../../src/documents/count/readers/doc.ts';
import { readDocx } from '../../../src/documents/count/readers/docx.ts';
import { readPdf } from '../../../src/documents/count/readers/pdf.ts';
import { countText } from '../../../src/documents/count/text.ts';
import { packageRoot } from '../../../src/lib/package-root.ts';
import { encoded } from './encoded.ts';
import { readDocument } from './read-document.ts';

/** Documents that LibreOffice created from the texts beside them; see make.sh. */
const corpus = join(packageRoot(), 'test', 'documents', 'count', 'corpus');

const names = readdirSync(join(corpus, 'texts')).map((name) => name.replace('.txt', ''));
const textOf = (name: string): string => readFileSync(join(corpus, 'texts', `${name}.txt`), 'utf8');

function charactersOf(text: string): number {
  const counter = new CharacterCounter();
  counter.add(text);
  return counter.count;
}

describe('the same text has the same number of characters', () => {
  it.each(names)('as .docx: %s', async (name) => {
    const outcome = await readDocument(readDocx, join(corpus, 'docx', `${name}.docx`));
    expect(outcome).toMatchObject({ chars: charactersOf(textOf(name)) });
  });

  it.each(names)('as .doc: %s', async (name) => {
    const outcome = await readDocument(readDoc, join(corpus, 'doc', `${name}.doc`));
    expect(outcome).toMatchObject({ chars: charactersOf(textOf(name)) });
  });

  // A line break inside a Japanese sentence at the end of a page counts as one more space, because no reader can
  // distinguish it from the end of a paragraph.
  const brokenLines: Readonly<Record<string, number>> = { ja: 1 };
  it.each(['en', 'pt', 'de', 'ru', 'he', 'ko', 'ja', 'zh-CN', 'zh-TW'])('as PDF: %s', async (name) => {
    const outcome = await readDocument(readPdf, join(corpus, 'pdf', `${name}.pdf`));
    expect(outcome).toMatchObject({ chars: charactersOf(textOf(name)) + (brokenLines[name] ?? 0) });
  });

  const unicode = ['utf-8', 'utf-16le', 'utf-16be'];
  const encodings: Readonly<Record<string, readonly string[]>> = {
    en: ['windows-1252'],
    pt: ['windows-1252', 'iso-8859-15'],
    de: ['windows-1252'],
    ru: ['windows-1251'],
    ar: ['windows-1256'],
    he: ['windows-1255'],
    th: ['windows-874'],
    ja: ['shift_jis', 'euc-jp'],
    'zh-CN': ['gb18030'],
    'zh-TW': ['big5'],
    ko: ['euc-kr'],
  };
  it.each(
    names.flatMap((name) => [...unicode, ...(encodings[name] ?? [])].map((encoding) => [name, encoding])),
  )('as text: %s in %s', async (name = '', encoding = '') => {
    // Long enough to detect the encoding.
    const text = textOf(name).repeat(8);
    const bytes = encoded(text, encoding);
    async function* source(): AsyncGenerator<Uint8Array> {
      yield bytes;
    }
    expect(await countText(source)).toMatchObject({ chars: charactersOf(text) });
  });
});

describe('a document with every Writer feature', () => {
  const body = ['Body with notes.', 'One', 'two', 'three.', 'Before after, inserted.', 'A link on page 1.'];
  const rest = ['Commented.', 'Cell one', 'Cell two', 'Frame', 'End.', 'Footnote', 'Endnote', 'In the box'];

  it.each([
    ['docx', readDocx],
    ['doc', readDoc],
  ])('has its parts once as .%s: no header, comment or deleted text', async (kind, read) => {
    const outcome = await readDocument(read, join(corpus, kind, `features.${kind}`));
    if (typeof outcome === 'string') throw new Error(outcome);
    const lines = outcome.text.split(/[\n\t]+/).filter((line) => line !== '');
    expect(lines.toSorted()).toEqual([...body, ...rest].toSorted());
    expect(outcome.chars).toBe([...body, ...rest].join(' ').length);
  });

  it('has pages as PDF, with everything on them', async () => {
    const outcome = await readDocument(readPdf, join(corpus, 'pdf', 'features.pdf'));
    expect(outcome).toMatchObject({ pages: [158, 9], text: expect.stringContaining('HEADER') });
  });
});

describe('a PDF with a password', () => {
  const chars = charactersOf(textOf('en'));

  it.each(['encrypted-40', 'encrypted-128', 'encrypted-128-aes', 'encrypted-256'])(
    'is counted with the user or owner password, and refused without: %s',
    async (name) => {
      const path = join(corpus, 'pdf', `${name}.pdf`);
      expect(await readDocument(readPdf, path)).toBe('encrypted');
      expect(await readDocument(readPdf, path, { password: 'wrong' })).toBe('encrypted');
      expect(await readDocument(readPdf, path, { password: 'user' })).toMatchObject({ chars });
      expect(await readDocument(readPdf, path, { password: 'owner' })).toMatchObject({ chars });
    },
  );

  it.each(['owner', 'linearized'])(
    'that only restricts copying, or has no password, is counted: %s',
    async (name) => {
      expect(await readDocument(readPdf, join(corpus, 'pdf', `${name}.pdf`))).toMatchObject({ chars });
    },
  );
});
