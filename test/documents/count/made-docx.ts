import { type MadeEntry, madeZip } from './made-zip.ts';

const officeDocument = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** Returns the relationships of a part, each type with its target. */
export function relationships(targets: Readonly<Record<string, string>>): string {
  const rows = Object.entries(targets).map(
    ([type, target], index) =>
      `<Relationship Id="r${index}" Type="${officeDocument}/${type}" Target="${target}"/>`,
  );
  return `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${rows.join('')}</Relationships>`;
}

/** Returns the main part of a Word document with this body. */
export function mainPart(body: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><w:body>${body}</w:body></w:document>`;
}

/** Returns the entry by which a reader finds the main part. */
export function packageRels(main = 'word/document.xml'): MadeEntry {
  return { name: '_rels/.rels', content: relationships({ officeDocument: main }) };
}

/** Returns a Word document whose body is this XML; `main` overrides the main part's entry. */
export function madeDocx(
  body: string,
  main: Partial<MadeEntry> = {},
  others: readonly MadeEntry[] = [],
): Buffer {
  return madeZip([packageRels(), { name: 'word/document.xml', content: mainPart(body), ...main }, ...others]);
}

/** Returns a paragraph of one run. */
export function paragraph(text: string): string {
  return `<w:p><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
}
