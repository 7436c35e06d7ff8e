import { OleFile } from './ole.ts';
import { type Reader, readWhole, type TextPiece, Unreadable } from './reader.ts';

/** Bytes decoded at a time; a character has one or two. */
const chunkSize = 64 * 1024;

/** Bytes at the start of the main stream that are read, as Word 97 wrote them ([MS-DOC], Fib). */
const fibLength = 0x1aa;

/**
 * Reads an old Word document (.doc, Word 97 to 2003): its body, footnotes, endnotes and text boxes, without deleted text and
 * field codes.
 *
 * It follows [MS-DOC] and does not use word-extractor, the only package for it: that one loops forever on circular sectors, treats
 * missing sectors as empty, so that a truncated file has a wrong count, and writes "undefined" for a soft hyphen.
 */
export const readDoc: Reader = async function* ({ path, maxUnpacked }) {
  const file = new OleFile(await readWhole(path));
  const main = file.stream('WordDocument');
  // An encrypted document of a newer format is stored like this.
  if (!main) throw new Unreadable(file.stream('EncryptedPackage') ? 'encrypted' : 'unsupported');
  const fib = bytesAt(main, 0, fibLength);
  checkVersion(fib);
  const flags = fib.readUInt16LE(0x0a);
  if (flags & 0x0100) throw new Unreadable('encrypted');
  const table = file.stream(flags & 0x0200 ? '1Table' : '0Table');
  if (!table) throw new Unreadable('corrupt');
  const pieces = piecesOf(fib, table);
  const stories = storiesOf(fib);
  for (const [from, to] of deletedRanges(fib, main, table)) main.subarray(from, to).fill(0);
  const text = { main, pieces, left: maxUnpacked };
  for (const story of stories) yield* storyText(text, story);
};

/** @throws Unreadable for a document of Word 6 or Word 95: those have the same streams in another format */
function checkVersion(fib: Buffer): void {
  const [mark, version] = [fib.readUInt16LE(0), fib.readUInt16LE(2)];
  if (mark === 0xa5ec && version >= 0xc1) return;
  if (mark !== 0xa5ec && mark !== 0xa5dc) throw new Unreadable('unsupported');
  const word = version < 0x67 ? 'Word 6' : 'Word 95';
  throw new Unreadable(
    'unsupported',
    `was saved by ${word}, which botctl can't read; newer versions of Word and LibreOffice can save it as .docx`,
  );
}

/** A range of characters, or of bytes in the main stream; the end is exclusive. */
type Range = readonly [start: number, end: number];

/** A contiguous piece of text. */
interface Piece {
  readonly characters: Range;
  readonly offset: number;
  /** Bytes for each character: 1 in Windows-1252, 2 in UTF-16. */
  readonly width: 1 | 2;
}

interface WordText {
  /** The main stream, with NUL in place of deleted text. */
  readonly main: Buffer;
  readonly pieces: readonly Piece[];
  /** Bytes that may still be read: a damaged file may have any number of pieces at the same place. */
  left: number;
}

/** The parts of the text to read. They follow each other in this order ([MS-DOC], FibRgLw97). */
function storiesOf(fib: Buffer): readonly Range[] {
  const lengths = [
    { at: 0x4c, wanted: true },
    { at: 0x50, wanted: true }, // Footnotes.
    { at: 0x54, wanted: false }, // Headers.
    { at: 0x5c, wanted: false }, // Comments.
    { at: 0x60, wanted: true }, // Endnotes.
    { at: 0x64, wanted: true }, // Text boxes.
  ];
  const stories: Range[] = [];
  let start = 0;
  for (const { at, wanted } of lengths) {
    const end = start + fib.readUInt32LE(at);
    if (wanted && end > start) stories.push([start, end]);
    start = end;
  }
  return stories;
}

/** The table of pieces follows changes of formatting, which are skipped ([MS-DOC], Clx). */
function piecesOf(fib: Buffer, table: Buffer): readonly Piece[] {
  const clx = bytesAt(table, fib.readUInt32LE(0x1a2), fib.readUInt32LE(0x1a6));
  let at = 0;
  while (byteAt(clx, at) === 1 && at + 3 <= clx.length) at += 3 + clx.readUInt16LE(at + 1);
  if (byteAt(clx, at) !== 2 || at + 5 > clx.length) throw new Unreadable('corrupt');
  const size = clx.readUInt32LE(at + 1);
  const plc = clx.subarray(at + 5, at + 5 + size);
  const count = (size - 4) / 12;
  if (plc.length < size || !Number.isInteger(count) || count < 1) throw new Unreadable('corrupt');
  return Array.from({ length: count }, (_, index) => {
    const characters: Range = [plc.readUInt32LE(4 * index), plc.readUInt32LE(4 * index + 4)];
    if (characters[1] < characters[0]) throw new Unreadable('corrupt');
    const place = plc.readUInt32LE(4 * (count + 1) + 8 * index + 2);
    const isNarrow = (place & 0x40000000) !== 0;
    const offset = place & 0x3fffffff;
    return isNarrow ? { characters, offset: offset / 2, width: 1 } : { characters, offset, width: 2 };
  });
}

/** Returns the ranges of text that was deleted while changes were tracked ([MS-DOC], PlcBteChpx and ChpxFkp). */
function deletedRanges(fib: Buffer, main: Buffer, table: Buffer): readonly Range[] {
  const plc = bytesAt(table, fib.readUInt32LE(0xfa), fib.readUInt32LE(0xfe));
  const count = Math.floor((plc.length - 4) / 8);
  const ranges: Range[] = [];
  for (let index = 0; index < count; index += 1) {
    const page = plc.readUInt32LE(4 * (count + 1) + 4 * index) & 0x3fffff;
    const fkp = bytesAt(main, page * 512, 512);
    const runs = byteAt(fkp, 511);
    if (runs * 5 + 4 > 511) throw new Unreadable('corrupt');
    for (let run = 0; run < runs; run += 1) {
      const at = 2 * byteAt(fkp, 4 * (runs + 1) + run);
      const changes = fkp.subarray(at + 1, Math.min(at + 1 + byteAt(fkp, at), 511));
      if (at > 0 && isDeletion(changes))
        ranges.push([fkp.readUInt32LE(4 * run), fkp.readUInt32LE(4 * run + 4)]);
    }
  }
  return ranges;
}

/** Bytes of the operand of a change, by the three highest bits of its name; the sixth kind contains its length ([MS-DOC], Sprm). */
const operandLengths = [1, 1, 2, 4, 2, 2, undefined, 3];

/** sprmCFRMarkDel. */
const deletion = 0x0800;

function isDeletion(changes: Buffer): boolean {
  let at = 0;
  while (at + 2 < changes.length) {
    const name = changes.readUInt16LE(at);
    if (name === deletion) return byteAt(changes, at + 2) === 1;
    at += 2 + (operandLengths[name >> 13] ?? 1 + byteAt(changes, at + 2));
  }
  return false;
}

/** The maximum depth of nested fields, which no real document reaches. */
const maxFields = 1024;

/** Text between the start of a field and its separator is its code. Fields may be nested. */
class Fields {
  readonly #areCode: boolean[] = [];
  #codes = 0;

  get isCode(): boolean {
    return this.#codes > 0;
  }

  /** Handles a mark of a field. */
  mark(code: number): void {
    if (code === 0x13) {
      if (this.#areCode.length === maxFields) throw new Unreadable('corrupt');
      this.#areCode.push(true);
      this.#codes += 1;
      return;
    }
    if (this.#areCode.pop()) this.#codes -= 1;
    // Its result follows.
    if (code === 0x14) this.#areCode.push(false);
  }
}

function* storyText(text: WordText, [start, end]: Range): Generator<TextPiece> {
  const fields = new Fields();
  let reached = start;
  for (const piece of text.pieces) {
    const [from, to] = piece.characters;
    if (to <= reached || from >= end) continue;
    // Pieces are contiguous from the first character on.
    if (from > reached) break;
    const upTo = Math.min(to, end);
    const step = chunkSize / piece.width;
    for (; reached < upTo; reached += step) {
      const length = (Math.min(reached + step, upTo) - reached) * piece.width;
      const offset = piece.offset + (reached - from) * piece.width;
      yield { text: chunkText(text, piece, offset, length, fields) };
    }
    reached = upTo;
  }
  if (reached < end) throw new Unreadable('corrupt');
}

function chunkText(text: WordText, { width }: Piece, offset: number, length: number, fields: Fields): string {
  text.left -= length;
  if (text.left < 0) throw new Unreadable('bomb');
  const bytes = bytesAt(text.main, offset, length);
  return readable(width === 2 ? bytes.toString('utf16le') : windows1252(bytes), fields);
}

/** Characters with a special meaning in Word ([MS-DOC], Document Text). Others have no text. */
const meanings: Readonly<Record<number, string>> = {
  7: '\n', // End of a cell.
  9: '\t',
  10: '\n',
  11: '\n', // Line break.
  12: '\n', // Page break.
  13: '\n', // End of a paragraph.
  14: '\n', // Column break.
  30: '\u2011', // Non-breaking hyphen.
};

function readable(raw: string, fields: Fields): string {
  let text = '';
  let at = 0;
  for (const { index } of raw.matchAll(/[\0-\x1f]/g)) {
    const code = raw.charCodeAt(index);
    if (!fields.isCode) text += raw.slice(at, index) + (meanings[code] ?? '');
    if (code >= 0x13 && code <= 0x15) fields.mark(code);
    at = index + 1;
  }
  return fields.isCode ? text : text + raw.slice(at);
}

function windows1252(bytes: Uint8Array): string {
  const decoder = new TextDecoder('windows-1252');
  // Without `stream`, Node 20 decodes it as Latin-1: its quotes become control characters.
  return decoder.decode(bytes, { stream: true });
}

/** @throws Unreadable `corrupt` if there are fewer bytes */
function bytesAt(stream: Buffer, offset: number, length: number): Buffer {
  if (offset + length > stream.length) throw new Unreadable('corrupt');
  return stream.subarray(offset, offset + length);
}

/** Returns a byte, or 0 after the last one. */
function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}
