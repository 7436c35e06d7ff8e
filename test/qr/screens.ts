import { roomForModules } from '../../src/qr/draw.ts';
import { makeMatrix } from '../../src/qr/matrix.ts';
import { halfBlocks, type Style } from '../../src/qr/styles.ts';
import { themes } from './rasterise.ts';

/** Room for every code. */
export const plenty = { columns: 400, rows: 200 };

/** Returns the smallest screen for a code. */
export const roomFor = (text: string, style: Style = halfBlocks) =>
  roomForModules(makeMatrix(text).length, style);

/** A line gap for each theme: the share of a line's height that the terminal adds below it. */
export const screens = Object.entries(themes).flatMap(([theme, colours]) =>
  [0, 0.1, 0.2].map((gap) => ({ theme, colours, gap })),
);
