import { deflateSync } from 'node:zlib';

/** A stream with its dictionary. */
export interface MadeStream {
  readonly dictionary: string;
  readonly stream: Uint8Array | string;
}

/** A page: its drawing operators, or a stream. */
export type MadePage = string | MadeStream;

/** The parts of a PDF besides its pages. */
export interface PdfParts {
  readonly font?: string;
  /** Added to the catalog. */
  readonly catalog?: string;
  /** Added to the resources of each page. */
  readonly resources?: string;
  /** Annotations of the first page, each a dictionary. */
  readonly annotations?: readonly string[];
  /** Objects that others refer to: the first is `4 0 R`. */
  readonly objects?: readonly MadeStream[];
}

/**
 * Returns the operators that show texts in the font /F1, one line below the other; bytes of the font's encoding are in
 * hex.
 */
export function shown(...lines: readonly (string | Buffer)[]): string {
  const rows = lines.map((line) => `<${Buffer.from(line).toString('hex')}> Tj T*`);
  return `BT /F1 12 Tf 14 TL 72 700 Td ${rows.join(' ')} ET`;
}

const helvetica = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>';

/** Returns a Japanese font in a predefined encoding that is not embedded in the file. */
export function japaneseFont(encoding: string): string {
  return `<< /Type /Font /Subtype /Type0 /BaseFont /Ryumin-Light /Encoding /${encoding} /DescendantFonts [<<
    /Type /Font /Subtype /CIDFontType0 /BaseFont /Ryumin-Light /DW 1000
    /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >>
    /FontDescriptor << /Type /FontDescriptor /FontName /Ryumin-Light /Flags 6 /FontBBox [0 0 1000 1000]
      /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >> >>] >>`;
}

/** Returns a PDF with these pages. */
export function madePdf(pages: readonly MadePage[], parts: PdfParts = {}): Buffer {
  const { font = helvetica, catalog = '', resources = '', annotations = [], objects: others = [] } = parts;
  const first = 4 + others.length;
  const kids = pages.map((_, index) => `${first + 2 * index} 0 R`).join(' ');
  const objects: Buffer[] = [
    Buffer.from(`<< /Type /Catalog /Pages 2 0 R ${catalog} >>`),
    Buffer.from(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`),
    Buffer.from(font),
    ...others.map(streamObject),
  ];
  for (const [index, page] of pages.entries()) {
    objects.push(
      Buffer.from(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${first + 1 + 2 * index} 0 R
          /Resources << /Font << /F1 3 0 R >> ${resources} >>
          /Annots [${index === 0 ? annotations.join(' ') : ''}] >>`,
      ),
      streamObject(
        typeof page === 'string' ? { dictionary: '/Filter /FlateDecode', stream: deflateSync(page) } : page,
      ),
    );
  }
  return written(objects);
}

function streamObject({ dictionary, stream }: MadeStream): Buffer {
  const bytes = Buffer.from(stream);
  return Buffer.concat([
    Buffer.from(`<< ${dictionary} /Length ${bytes.length} >>\nstream\n`),
    bytes,
    Buffer.from('\nendstream'),
  ]);
}

function written(objects: readonly Buffer[]): Buffer {
  const parts = [Buffer.from('%PDF-1.7\n%âãÏÓ\n', 'latin1')];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  for (const [index, object] of objects.entries()) {
    offsets.push(length);
    const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')]);
    parts.push(part);
    length += part.length;
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows.join('')}` +
        `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${length}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}
