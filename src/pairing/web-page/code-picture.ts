import type { Secret } from '../../secrets/secret.ts';
import { matrixOf } from '../code-drawing.ts';

/** A code as a vector drawing, in modules. */
export interface CodePicture {
  /** Modules a side, the quiet zone included. */
  readonly side: number;
  /** The dark modules, as an SVG path. */
  readonly path: string;
}

/** Light modules around the code that ISO/IEC 18004 asks for. */
const quietZone = 4;

/** Draws a code, or returns undefined if it is too long to draw. */
export function drawPicture(payload: Secret): CodePicture | undefined {
  const matrix = matrixOf(payload);
  if (!matrix) return undefined;
  const path = matrix.flatMap((row, y) => runs(row).map(([x, width]) => bar(x, y, width))).join('');
  return { side: matrix.length + 2 * quietZone, path };
}

/** The starts and lengths of the runs of dark modules in a row. */
function runs(row: readonly boolean[]): readonly (readonly [number, number])[] {
  const starts = row.flatMap((isDark, x) => (isDark && row[x - 1] !== true ? [x] : []));
  return starts.map((start) => {
    const end = row.indexOf(false, start);
    return [start, (end === -1 ? row.length : end) - start];
  });
}

function bar(x: number, y: number, width: number): string {
  return `M${x + quietZone} ${y + quietZone}h${width}v1h-${width}z`;
}
