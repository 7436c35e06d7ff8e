import { basename, extname, parse } from 'node:path';
import { shellWord } from '../lib/text/quote.ts';
import type { ByteSource } from './count/bytes.ts';
import { NotCounted } from './count/not-counted.ts';

/** The kinds of file that the API knows (specification, Documents). Any text counts as `txt`. */
export type DocumentKind = 'pdf' | 'txt' | 'docx' | 'doc';

/** The kinds that are not text. */
export type BinaryKind = Exclude<DocumentKind, 'txt'>;

/** The number of bytes from the start of a file that `contentOf` needs. */
export const headLength = 1024;

/** The format of a file by its first bytes. `other` is text or unknown binary data. */
type Content = 'pdf' | 'zip' | 'ole' | 'rtf' | 'other';

const zipMark = Buffer.from('PK\x03\x04', 'latin1');
const oleMark = Buffer.from('d0cf11e0a1b11ae1', 'hex');

function contentOf(head: Uint8Array): Content {
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, headLength));
  // PDF readers look for the header anywhere in the first 1024 bytes (PDF 1.7, appendix H.3.4.1).
  if (bytes.includes('%PDF-')) return 'pdf';
  if (bytes.subarray(0, zipMark.length).equals(zipMark)) return 'zip';
  if (bytes.subarray(0, oleMark.length).equals(oleMark)) return 'ole';
  if (bytes.subarray(0, 5).equals(Buffer.from('{\\rtf'))) return 'rtf';
  return 'other';
}

const contentNames: Readonly<Record<Exclude<Content, 'other'>, string>> = {
  pdf: 'a PDF',
  zip: 'a zip archive',
  ole: 'an old Office document',
  rtf: 'an RTF document',
};

/** The kinds that are not text: the content of each, and its name in messages. */
export const binaryKinds = {
  pdf: { content: 'pdf', name: 'a PDF' },
  docx: { content: 'zip', name: 'a Word document (.docx)' },
  doc: { content: 'ole', name: 'a Word document (.doc)' },
} as const satisfies Readonly<Record<string, { content: Content; name: string }>>;

/** The name of the stream with an encrypted Office document in its old container (MS-OFFCRYPTO, 2.3.4.4). */
const encryptedStream = Buffer.from('encryptedpackage', 'utf16le').toString('latin1');

/**
 * Returns the kind of a file. Its content decides, and its name must agree.
 *
 * @param name file name, whose extension is compared
 * @param head its first bytes, `headLength` of them or all
 * @param source all of them
 * @returns `txt` for anything that may be text; decoding shows if it is
 * @throws NotCounted if name and content disagree, or if no kind fits
 */
export async function documentKind(
  name: string,
  head: Uint8Array,
  source: ByteSource,
): Promise<DocumentKind> {
  const content = contentOf(head);
  const kind = kindByName(name);
  if (kind === 'txt') {
    if (content === 'other') return 'txt';
    const says = `contains ${contentNames[content]}, not text`;
    throw new NotCounted(
      /\.(txt|md)$/i.test(name) || content === 'pdf' ? 'mismatch' : 'unsupported',
      name,
      says,
    );
  }
  const { content: wanted, name: called } = binaryKinds[kind];
  if (content === wanted) return kind;
  if (kind === 'docx' && content === 'ole' && (await holds(source, encryptedStream)))
    throw new NotCounted('encrypted', name);
  const reason = content === 'rtf' ? 'unsupported' : 'mismatch';
  throw new NotCounted(reason, name, `does not contain ${called}`);
}

/** @param sought each byte as a character, in lower case; those of the source may be capitals */
async function holds(source: ByteSource, sought: string): Promise<boolean> {
  let last = '';
  for await (const bytes of source()) {
    last += Buffer.from(bytes).toString('latin1').toLowerCase();
    if (last.includes(sought)) return true;
    last = last.slice(1 - sought.length);
  }
  return false;
}

/** Returns the kind by the extension of a name. */
export function kindByName(name: string): DocumentKind {
  const extension = extname(name).slice(1).toLowerCase();
  return extension === 'pdf' || extension === 'docx' || extension === 'doc' ? extension : 'txt';
}

/**
 * Returns whether a file has the name of a text, a PDF or a Word document, so that it may be sent without confirmation. `*.sh` or
 * `.env` may be text too, and an upload can't be undone.
 */
function hasDocumentName(name: string): boolean {
  return /\.(txt|md|pdf|docx|doc)$/i.test(name);
}

/**
 * Returns whether a file may be sent, by its name.
 * @param asText patterns for the names of files that are text despite their extension
 */
export function isDocumentName(name: string, asText: readonly string[]): boolean {
  const fits = (pattern: string): boolean => fitsGlob(name, pattern) || fitsGlob(basename(name), pattern);
  return hasDocumentName(name) || asText.some(fits);
}

/**
 * Checks that a file may be sent.
 * @param asText patterns for the names of files that are text despite their extension
 * @throws NotCounted `unsupported`
 */
export function checkDocumentName(name: string, asText: readonly string[]): void {
  if (isDocumentName(name, asText)) return;
  const { ext, base } = parse(name);
  throw new NotCounted(
    'unsupported',
    name,
    'is not accepted: the name must end in .txt, .md, .pdf, .docx or .doc',
    `To treat it as text, add: --as-text ${shellWord(ext === '' ? base : `*${ext}`)}`,
  );
}

const mediaTypes: Readonly<Record<DocumentKind, string>> = {
  pdf: 'application/pdf',
  txt: 'text/plain',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  doc: 'application/msword',
};

/** Returns the media type of a file, by its name. */
export function mediaType(name: string): string {
  return mediaTypes[kindByName(name)];
}

/** Returns whether a name matches a shell pattern: `*` stands for any characters, `?` for one. */
export function fitsGlob(name: string, pattern: string): boolean {
  const parts = pattern.split(/([*?])/).map((part) => {
    if (part === '*') return '.*';
    return part === '?' ? '.' : part.replace(/[\\^$.|+()[\]{}]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`, 'su').test(name);
}
