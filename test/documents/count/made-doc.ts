import { madeOle } from './made-ole.ts';

/** The content of a Word document for its reader. */
export interface MadeDoc {
  /** Texts with their encodings; each one is a separate piece. */
  readonly pieces: readonly (readonly [text: string, encoding: 'latin1' | 'utf16le'])[];
  /**
   * Characters of the parts: body, footnotes, headers, macros, comments, endnotes, text boxes. By default all are body.
   */
  readonly parts?: readonly number[];
  /** First and last byte of the deleted text, from the start of the text. */
  readonly deleted?: readonly [number, number];
  readonly flags?: number;
  readonly version?: number;
  /** The first two bytes, by which Word recognizes its documents. */
  readonly mark?: number;
}

const textStart = 2048;

/** Returns the streams of an old Word document. */
export function docStreams(made: MadeDoc): { WordDocument: Buffer; '0Table': Buffer } {
  const {
    pieces,
    parts = [pieces.map(([text]) => text).join('').length],
    deleted,
    flags = 0,
    version = 0xc1,
    mark = 0xa5ec,
  } = made;
  const texts = pieces.map(([text, encoding]) => Buffer.from(text, encoding));
  const main = Buffer.concat([Buffer.alloc(textStart), ...texts]);
  main.writeUInt16LE(mark, 0);
  main.writeUInt16LE(version, 2);
  main.writeUInt16LE(flags, 0x0a);
  for (const [index, length] of parts.entries()) main.writeUInt32LE(length, 0x4c + 4 * index);
  const plc = Buffer.alloc(4 + 12 * pieces.length);
  let characters = 0;
  let offset = textStart;
  for (const [index, [text, encoding]] of pieces.entries()) {
    characters += text.length;
    plc.writeUInt32LE(characters, 4 * (index + 1));
    const place = encoding === 'latin1' ? (2 * offset + 0x40000000) >>> 0 : offset;
    plc.writeUInt32LE(place, 4 * (pieces.length + 1) + 8 * index + 2);
    offset += texts[index]?.length ?? 0;
  }
  // A formatting change precedes the pieces.
  const clx = Buffer.concat([Buffer.from([1, 2, 0, 9, 9, 2]), Buffer.alloc(4), plc]);
  clx.writeUInt32LE(plc.length, 6);
  main.writeUInt32LE(0, 0x1a2);
  main.writeUInt32LE(clx.length, 0x1a6);
  const runs = Buffer.alloc(deleted ? 12 : 4);
  if (deleted) {
    // The page of 512 bytes before the text contains the formatting.
    const page = textStart / 512 - 1;
    runs.writeUInt32LE(page, 8);
    const at = page * 512;
    main.writeUInt32LE(textStart + deleted[0], at);
    main.writeUInt32LE(textStart + deleted[1], at + 4);
    main.writeUInt8(50, at + 8);
    // Bold, and deleted.
    Buffer.from([6, 0x35, 0x08, 1, 0x00, 0x08, 1]).copy(main, at + 100);
    main.writeUInt8(1, at + 511);
  }
  main.writeUInt32LE(clx.length, 0xfa);
  main.writeUInt32LE(runs.length, 0xfe);
  return { WordDocument: main, '0Table': Buffer.concat([clx, runs]) };
}

/** Returns an old Word document. */
export function madeDoc(made: MadeDoc): Buffer {
  return madeOle({ ...docStreams(made) });
}
