import { describe, expect, it } from 'vitest';
import { readDocx } from '../../../src/documents/count/readers/docx.ts';
import { madeDocx, mainPart, packageRels, paragraph, relationships } from './made-docx.ts';
import { type MadeEntry, madeZip } from './made-zip.ts';
import { type Outcome, readDocument } from './read-document.ts';

const read = (content: Uint8Array, maxUnpacked?: number): Promise<Outcome> =>
  readDocument(readDocx, content, maxUnpacked === undefined ? {} : { maxUnpacked });

const run = (xml: string): string => `<w:p><w:r>${xml}</w:r></w:p>`;

describe('the text of a Word document', () => {
  it.each([
    ['paragraphs', paragraph('One') + paragraph('two'), 'One\ntwo\n'],
    ['runs', '<w:p><w:r><w:t>Sp</w:t></w:r><w:r><w:t>lit</w:t></w:r></w:p>', 'Split\n'],
    ['characters of XML', paragraph('a &lt; b &amp; &#x65e5;&#26412;&#128512;'), 'a < b & 日本😀\n'],
    ['character data', run('<w:t><![CDATA[a < b]]></w:t>'), 'a < b\n'],
    ['breaks', run('<w:t>a</w:t><w:br/><w:t>b</w:t><w:cr/><w:t>c</w:t>'), 'a\nb\nc\n'],
    [
      'tabs, but no tab stops',
      `<w:p><w:pPr><w:tabs><w:tab w:pos="9"/></w:tabs></w:pPr><w:r><w:tab/><w:t>a</w:t></w:r></w:p>`,
      '\ta\n',
    ],
    ['hyphens', run('<w:t>a</w:t><w:noBreakHyphen/><w:t>b</w:t><w:softHyphen/><w:t>c</w:t>'), 'a\u2011bc\n'],
    ['a symbol as one character', run('<w:sym w:font="Wingdings" w:char="F04A"/>'), '\ufffc\n'],
    ['what was inserted', '<w:p><w:ins><w:r><w:t>in</w:t></w:r></w:ins></w:p>', 'in\n'],
    ['hidden text', run('<w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t>'), 'hidden\n'],
    ['formulas', '<w:p><m:oMath><m:r><m:t>x²</m:t></m:r></m:oMath></w:p>', 'x²\n'],
    ['content controls', `<w:sdt><w:sdtContent>${paragraph('in')}</w:sdtContent></w:sdt>`, 'in\n'],
    [
      'the result of a field, not its code',
      run('<w:fldChar/><w:instrText>PAGE</w:instrText><w:t>7</w:t>'),
      '7\n',
    ],
    [
      'nothing deleted',
      `<w:p><w:del><w:r><w:delText>out</w:delText><w:t>out</w:t></w:r></w:del></w:p>`,
      '\n',
    ],
    ['nothing moved away', `<w:p><w:moveFrom><w:r><w:t>out</w:t></w:r></w:moveFrom></w:p>`, '\n'],
    [
      'a text box once',
      `<mc:AlternateContent><mc:Choice>${paragraph('box')}</mc:Choice><mc:Fallback>${paragraph('box')}</mc:Fallback></mc:AlternateContent>`,
      'box\n',
    ],
  ])('has %s', async (_, body, text) => {
    expect(await read(madeDocx(body))).toMatchObject({ text });
  });

  it('has footnotes and endnotes, found by the relationships of the main part, wherever that is', async () => {
    const notes = (root: string, text: string) =>
      mainPart(paragraph(text)).replaceAll('w:document', `w:${root}`);
    const content = madeZip([
      packageRels('/other/main2.xml'),
      { name: 'other/main2.xml', content: mainPart(paragraph('body')) },
      {
        name: 'other/_rels/main2.xml.rels',
        content: relationships({ footnotes: 'f.xml', endnotes: '../e.xml' }),
      },
      { name: 'other/f.xml', content: notes('footnotes', 'foot') },
      { name: 'e.xml', content: notes('endnotes', 'end') },
      { name: 'word/header1.xml', content: mainPart(paragraph('header')) },
    ]);
    expect(await read(content)).toMatchObject({ text: 'body\nfoot\nend\n' });
  });

  it('is the same with the namespaces of Strict Open XML, and other prefixes', async () => {
    const content = `<document xmlns="http://purl.oclc.org/ooxml/wordprocessingml/main"><body><p><r><t>Strict</t><br/></r></p></body></document>`;
    const rels = relationships({ officeDocument: 'word/document.xml' }).replace(
      'http://schemas.openxmlformats.org/officeDocument/2006/relationships',
      'http://purl.oclc.org/ooxml/officeDocument/relationships',
    );
    const entries = [
      { name: '_rels/.rels', content: rels },
      { name: 'word/document.xml', content },
    ];
    expect(await read(madeZip(entries))).toMatchObject({ text: 'Strict\n\n' });
  });

  const greeting = mainPart(paragraph('Grüße, 日本 😀')).replace('UTF-8', 'UTF-16');
  it.each([
    ['UTF-16LE', Buffer.from(`\ufeff${greeting}`, 'utf16le')],
    ['UTF-16BE', Buffer.from(`\ufeff${greeting}`, 'utf16le').swap16()],
    ['UTF-16LE without a mark', Buffer.from(greeting, 'utf16le')],
    ['UTF-8 with a mark', `\ufeff${greeting.replace('UTF-16', 'UTF-8')}`],
  ])('is read from %s', async (_, content) => {
    expect(await read(madeDocx('', { content }))).toMatchObject({ text: 'Grüße, 日本 😀\n' });
  });

  it('has no character split at the end of a piece of the file', async () => {
    const content = madeDocx(paragraph('日本語😀'.repeat(50_000)), { stored: true });
    expect(await read(content)).toMatchObject({ chars: 200_000 });
  });

  it.each<[string, Partial<MadeEntry>]>([
    ['stored', { stored: true }],
    ['with sizes behind the content', { described: true }],
    ['under a name in other letters', { name: 'Word/Document.XML' }],
    ['under a name with backslashes', { name: 'word\\document.xml' }],
  ])('is read from a part that is %s', async (_, main) => {
    expect(await read(madeDocx(paragraph('text'), main))).toMatchObject({ chars: 4 });
  });

  it('is read from a ZIP64 archive', async () => {
    const main = { name: 'word/document.xml', content: mainPart(paragraph('text')) };
    expect(await read(madeZip([packageRels(), main], { zip64: true }))).toMatchObject({ chars: 4 });
  });

  it('is found among many other parts, which are not unpacked', async () => {
    const others = Array.from({ length: 300 }, (_, index) => ({
      name: `word/p${index}.xml`,
      content: 'x',
    }));
    const nested = { name: 'inner.docx', content: madeDocx(paragraph('nested')) };
    expect(await read(madeDocx(paragraph('text'), {}, [nested, ...others]))).toMatchObject({ chars: 4 });
  });
});

describe('a Word document is refused', () => {
  const entities = `<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>${mainPart(paragraph('&b;')).replace(/^.*\n/, '')}`;
  const other = (root: string): string => `<${root} xmlns="urn:x"><t>text</t></${root}>`;

  it.each<[string, string, Uint8Array]>([
    ['bomb', 'entities that are defined by others', madeDocx('', { content: entities })],
    ['bomb', 'elements inside each other without end', madeDocx('<w:p>'.repeat(10_000))],
    [
      'corrupt',
      'a document type',
      madeDocx('', { content: '<!DOCTYPE document SYSTEM "file:///etc/passwd"><document/>' }),
    ],
    ['corrupt', 'an entity that is not defined', madeDocx(paragraph('&nothing;'))],
    ['corrupt', 'XML that is cut short', madeDocx('', { content: mainPart(paragraph('text')).slice(0, -5) })],
    [
      'corrupt',
      'bytes that are no UTF-8',
      madeDocx('', { content: Buffer.from(mainPart(paragraph('é')), 'latin1') }),
    ],
    ['corrupt', 'a size that is not the real one', madeDocx(paragraph('text'.repeat(9)), { saidSize: 20 })],
    ['corrupt', 'a larger size than the real one', madeDocx(paragraph('text'), { saidSize: 9999 })],
    ['corrupt', 'a wrong sum', madeDocx(paragraph('text'), { saidSum: 1 })],
    [
      'corrupt',
      'two main parts',
      madeDocx(paragraph('a'), {}, [{ name: 'WORD/document.xml', content: mainPart('') }]),
    ],
    ['corrupt', 'no main part where one is named', madeZip([packageRels()])],
    ['encrypted', 'an encrypted main part', madeDocx(paragraph('text'), { encrypted: true })],
    ['unsupported', 'a way of packing that nobody uses', madeDocx(paragraph('text'), { method: 12 })],
    ['unsupported', 'an archive without relationships', madeZip([{ name: 'content.xml', content: '<x/>' }])],
    [
      'unsupported',
      'relationships to no main part',
      madeZip([{ name: '_rels/.rels', content: relationships({}) }]),
    ],
    ['unsupported', 'a workbook', madeDocx('', { content: other('workbook') })],
    ['unsupported', 'a presentation', madeDocx('', { content: other('presentation') })],
    ['unsupported', 'an empty archive', madeZip([])],
  ])('as %s: %s', async (reason, _, content) => {
    expect(await read(content)).toBe(reason);
  });

  const large = paragraph('a'.repeat(1000)).repeat(3000);

  it('as a bomb if it declares a size above the limit', async () => {
    expect(await read(madeDocx(large), 1_000_000)).toBe('bomb');
  });

  it('as a bomb if only the sum of its parts exceeds the limit', async () => {
    const notes = { name: 'word/f.xml', content: mainPart(large).replaceAll('w:document', 'w:footnotes') };
    const rels = { name: 'word/_rels/document.xml.rels', content: relationships({ footnotes: 'f.xml' }) };
    const content = madeDocx(large, {}, [rels, notes]);
    expect(await read(content, 4_000_000)).toBe('bomb');
    expect(await read(content, 8_000_000)).toMatchObject({ chars: 6_005_999 });
  });

  it('wherever it is truncated', async () => {
    const content = madeDocx(paragraph('text'));
    for (let length = 0; length < content.length; length += 7)
      expect(await read(content.subarray(0, length))).toBe('corrupt');
  });
});

it('a missing Word document is an error of the file system', async () => {
  await expect(readDocument(readDocx, '/nowhere/gone.docx')).rejects.toMatchObject({ code: 'ENOENT' });
});
