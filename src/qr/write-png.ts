import { encode } from 'fast-png';
import { type Matrix, makeMatrix } from './matrix.ts';

/** Light modules around the code, as ISO/IEC 18004 requires. */
const quietZone = 4;

/** Pixels per side of a module. With one bit per pixel, a module is one byte of a row. */
const scale = 8;

/**
 * Draws the code of a text as a PNG, black on white, one bit a pixel.
 * @throws RangeError if the text is too long for any code
 */
export function writeCodePng(text: string): Buffer {
  const matrix = makeMatrix(text);
  const modules = matrix.length + 2 * quietZone;
  const side = modules * scale;
  const rows = Array.from({ length: side }, (_, y) =>
    rowOf(matrix, Math.floor(y / scale) - quietZone, modules),
  );
  const picture = encode({ width: side, height: side, channels: 1, depth: 1, data: Buffer.concat(rows) });
  return Buffer.from(picture);
}

function rowOf(matrix: Matrix, y: number, modules: number): Buffer {
  const isDark = (x: number): boolean => matrix[y]?.[x - quietZone] === true;
  return Buffer.from(Array.from({ length: modules }, (_, x) => (isDark(x) ? 0 : 0xff)));
}
