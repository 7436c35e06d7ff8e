import { getResolvedPDFJS } from 'unpdf';
import { cmap } from './cmaps.ts';
import { annotationTexts } from './pdf-annotations.ts';
import { ItemText, type TextItem } from './pdf-text.ts';
import { type Reader, readWhole, type TextPiece, Unreadable } from './reader.ts';

/**
 * Reads a PDF, page by page. A page without text is a piece of white space. Nothing is drawn: no picture is
 * unpacked, no font loaded, no script run and nothing fetched. pdf.js limits neither the bytes that it unpacks nor its
 * time: the process that runs this does (reader-process.ts, extract.ts).
 */
export const readPdf: Reader = async function* ({ path, password }) {
  const data = await contentOf(path);
  const { AnnotationType, getDocument } = await getResolvedPDFJS();
  const task = getDocument({
    data,
    ...(password !== undefined && { password }),
    verbosity: 0,
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: true,
    useWasm: false,
    useWorkerFetch: false,
    BinaryDataFactory: PackedCmaps,
  });
  try {
    const pdf = await task.promise;
    // All pages at once: for a single page, pdf.js also reads links and other annotations, which takes as long as the text.
    const kinds = new Set([AnnotationType.FREETEXT, AnnotationType.WIDGET]);
    const texts = annotationTexts((await pdf.getAnnotationsByType(kinds, new Set())) ?? []);
    for (let number = 1; number <= pdf.numPages; number += 1) {
      const page = await pdf.getPage(number);
      yield* pageText(page.streamTextContent().getReader(), number);
      for (const text of texts.get(number) ?? []) yield { text: `${text}\n`, page: number };
      page.cleanup();
    }
  } catch (error) {
    throw namedError(error);
  } finally {
    // The text does not depend on it.
    task.destroy().catch(() => undefined);
  }
};

/** @throws Unreadable for a truncated file: pdf.js would read the rest of it without an error */
async function contentOf(path: string): Promise<Uint8Array> {
  const bytes = await readWhole(path);
  if (!hasEndMark(bytes) && !isWhole(bytes)) throw new Unreadable('corrupt');
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Returns whether the end mark is in the last 1024 bytes, where every reader looks for it (PDF 1.7, appendix H.3.4.4). */
function hasEndMark(bytes: Buffer): boolean {
  let end = bytes.length;
  while (end > 0 && (bytes[end - 1] ?? 0) <= 0x20) end -= 1;
  return bytes.subarray(Math.max(end - 1024, 0), end).includes('%%EOF');
}

/**
 * Returns whether the last cross-reference is at its stated offset, and no object follows: the end mark may be
 * missing, or be followed by other data. An object would belong to a newer version of the document that was truncated.
 */
function isWhole(bytes: Buffer): boolean {
  const start = Math.max(bytes.lastIndexOf('startxref'), 0);
  const rest = bytes.toString('latin1', start, start + 64 * 1024);
  const [, offset] = /^startxref\s+(\d+)/.exec(rest) ?? [];
  if (offset === undefined || /\d\s+\d+\s+obj\b/.test(rest)) return false;
  // Offsets count from the header, which other bytes may precede.
  const at = bytes.indexOf('%PDF-') + Number(offset);
  return /^\s*(xref\b|\d+\s+\d+\s+obj\b)/.test(bytes.toString('latin1', at, at + 64));
}

/** The text of a page in pdf.js's output, among marks without text. */
interface TextContent {
  readonly items: readonly (TextItem | { readonly type: string })[];
}

/** The reader of a stream. */
interface PieceReader {
  read(): Promise<{ readonly value?: TextContent; readonly done: boolean }>;
}

async function* pageText(reader: PieceReader, page: number): AsyncGenerator<TextPiece> {
  const itemText = new ItemText();
  for (;;) {
    const { value } = await reader.read();
    if (value === undefined) break;
    const text = value.items.map((item) => ('str' in item ? itemText.add(item) : '')).join('');
    yield { text, page };
  }
  yield { text: '\n', page };
}

/** Gives pdf.js its CMaps, and no other resources. */
class PackedCmaps {
  async fetch({ kind, filename }: { readonly kind: string; readonly filename: string }): Promise<Uint8Array> {
    const found = kind === 'cMapUrl' ? cmap(filename.replace(/\.bcmap$/, '')) : undefined;
    if (found === undefined) throw new Error(`${filename} is not there`);
    return found;
  }
}

function namedError(error: unknown): Unreadable {
  const isEncrypted =
    error instanceof Error && (error.name === 'PasswordException' || /encrypt/i.test(error.message));
  return new Unreadable(isEncrypted ? 'encrypted' : 'corrupt');
}
