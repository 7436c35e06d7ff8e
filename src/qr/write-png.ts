import { crc32, deflateSync } from 'node:zlib';
import { type Matrix, makeMatrix } from './matrix.ts';

/** Light modules around the code that ISO/IEC 18004 asks for. */
const quietZone = 4;

/** Pixels of a module's side. */
const scale = 8;

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * Draws the code of a text as a PNG, black on white, one bit a pixel.
 * @throws RangeError if the text is too long for any code
 */
export function writeCodePng(text: string): Buffer {
  const matrix = makeMatrix(text);
  const modules = matrix.length + 2 * quietZone;
  const side = modules * scale;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = 1;
  const rows = Array.from({ length: modules }, (_, y) => rowOf(matrix, y - quietZone, modules));
  const pixels = Buffer.concat(rows.flatMap((row) => Array.from({ length: scale }, () => row)));
  const data = deflateSync(pixels);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Returns a row of pixels, after its filter type: none. A module is a byte, since it is eight pixels wide. */
function rowOf(matrix: Matrix, y: number, modules: number): Buffer {
  const isDark = (x: number): boolean => matrix[y]?.[x - quietZone] === true;
  return Buffer.from([0, ...Array.from({ length: modules }, (_, x) => (isDark(x) ? 0 : 0xff))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
