import { extname } from 'node:path';
import { Failure } from '../lib/errors.ts';

/** The kinds of file that the API knows (specification, Documents). Any text counts as `txt`. */
export type DocumentKind = 'pdf' | 'txt' | 'docx' | 'doc';

/** The kinds that are no text. */
export type BinaryKind = Exclude<DocumentKind, 'txt'>;

/** Bytes from the start of a file that `contentOf` needs. */
export const headLength = 1024;

/** The format of a file by its first bytes. `other` is text or unknown binary data. */
type Content = 'pdf' | 'zip' | 'ole' | 'rtf' | 'other';

const zipMark = Buffer.from('PK\x03\x04', 'latin1');
const oleMark = Buffer.from('d0cf11e0a1b11ae1', 'hex');

function contentOf(head: Uint8Array): Content {
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, headLength));
  // A reader of PDF looks for the header anywhere in the first 1024 bytes (PDF 1.7, appendix H.3.4.1).
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

/**
 * Returns the kind of a file. Its content decides, and its name has to agree.
 *
 * @param name file name, whose extension is compared
 * @param head its first bytes, `headLength` of them or all
 * @returns `txt` for anything that may be text; decoding shows if it is
 * @throws Failure `invalidInput` if name and content disagree, or if no kind fits
 */
export function documentKind(name: string, head: Uint8Array): DocumentKind {
  const content = contentOf(head);
  const kind = kindByName(name);
  if (kind !== 'txt') {
    if (content === binaryKinds[kind].content) return kind;
    throw refusal(`"${name}" is not ${binaryKinds[kind].name} by its content.`);
  }
  if (content === 'other') return 'txt';
  throw refusal(`"${name}" is ${contentNames[content]} by its content, not a text.`);
}

function refusal(message: string): Failure {
  return new Failure('invalidInput', message, {
    hint: 'Give the file the extension that fits it, or upload it as it is with --chars <number>.',
  });
}

function kindByName(name: string): DocumentKind {
  const extension = extname(name).slice(1).toLowerCase();
  return extension === 'pdf' || extension === 'docx' || extension === 'doc' ? extension : 'txt';
}

/**
 * True if a file is one by its name that may be sent without a second look: a text, a PDF or a Word document. `*.sh` or
 * `.env` may be text too, and can't be taken back.
 */
export function isDocumentName(name: string): boolean {
  return /\.(txt|md|pdf|docx|doc)$/i.test(name);
}

const mediaTypes: Readonly<Record<DocumentKind, string>> = {
  pdf: 'application/pdf',
  txt: 'text/plain',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  doc: 'application/msword',
};

/** The media type of a file, by its name. */
export function mediaType(name: string): string {
  return mediaTypes[kindByName(name)];
}
