import { type FileHandle, open } from 'node:fs/promises';
import { extname } from 'node:path';
import { documentTypes } from '../contract/documents.ts';

/** The kind of a file. */
export interface DocumentKind {
  readonly type: (typeof documentTypes)[number];
  /** Without the dot, for the file's storage path. */
  readonly extension: string;
}

/** Bytes read from the start and from the end of a file. */
const sample = 64 * 1024;

/**
 * Returns the kind of a file, by its content: a PDF, a Word document of either format, or any text, which counts as
 * txt. Returns undefined for anything else.
 * @param name its extension is used for a text file; otherwise it has no influence
 */
export async function documentKind(path: string, name: string): Promise<DocumentKind | undefined> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const start = await readAt(file, 0);
    const end = size > sample ? await readAt(file, size - sample) : start;
    if (start.subarray(0, 1024).includes('%PDF-')) return { type: 'pdf', extension: 'pdf' };
    if (isWordArchive(start, end)) return { type: 'docx', extension: 'docx' };
    if (isOldWord(start, name)) return { type: 'doc', extension: 'doc' };
    if (isText(start)) return { type: 'txt', extension: textExtension(name) };
    return undefined;
  } finally {
    await file.close();
  }
}

async function readAt(file: FileHandle, position: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(sample), 0, sample, position);
  return buffer.subarray(0, bytesRead);
}

/** Returns true for a zip archive whose directory, at its end, lists the document part (ECMA-376). */
function isWordArchive(start: Buffer, end: Buffer): boolean {
  return start.subarray(0, 4).equals(Buffer.from('PK\x03\x04', 'latin1')) && end.includes('word/document');
}

/** Returns true for a Word compound file ([MS-CFB], 2.2). Its streams may be anywhere, so the file name may decide. */
function isOldWord(start: Buffer, name: string): boolean {
  const signature = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  const isCompound = start.subarray(0, signature.length).equals(signature);
  return (
    isCompound && (extensionOf(name) === 'doc' || start.includes(Buffer.from('WordDocument', 'utf16le')))
  );
}

/**
 * Returns true for text: it has no control characters except white space and ESC. UTF-16 has a byte order mark or, if
 * it contains mostly Latin letters, NULs at either the even or the odd positions.
 */
function isText(start: Buffer): boolean {
  if (start.length >= 2 && wideMarks.includes(start.readUInt16BE(0))) return true;
  const nuls = [0, 0];
  for (const [index, byte] of start.entries()) {
    if (byte === 0) nuls[index % 2] = (nuls[index % 2] ?? 0) + 1;
    else if (byte < 0x20 && !whiteSpaceOrEscape.has(byte)) return false;
  }
  return nuls.includes(0);
}

const wideMarks: readonly number[] = [0xfeff, 0xfffe];
const whiteSpaceOrEscape: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1b]);

function textExtension(name: string): string {
  const extension = extensionOf(name);
  const belongsToOther = documentTypes.some((type) => type !== 'txt' && type === extension);
  return /^[a-z0-9]{1,16}$/.test(extension) && !belongsToOther ? extension : 'txt';
}

function extensionOf(name: string): string {
  return extname(name).slice(1).toLowerCase();
}
