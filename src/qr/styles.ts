import type { Matrix } from './matrix.ts';

/** Space on a screen, in character cells. */
export interface Room {
  readonly columns: number;
  readonly rows: number;
}

/** A style of drawing codes. */
export interface Style {
  /** Returns the cells of a square of the given size. */
  room(modules: number): Room;
  /**
   * Draws modules, with rows of equal length; positions beyond the last row and column are light.
   * @param isNegative swaps light and dark
   */
  lines(modules: Matrix, isNegative?: boolean): readonly string[];
}

/**
 * White and black of the 256 colours: themes change the first sixteen, but not these. Cameras read white glyphs on
 * black even if the terminal leaves gaps between its lines, but not black ones on white.
 */
const whiteOnBlack = '\x1b[38;5;231;48;5;16m';
const onWhite = '\x1b[48;5;231m';
const onBlack = '\x1b[48;5;16m';
const reset = '\x1b[0m';

/** Modules per cell, horizontally and vertically. */
type Block = Room;

const half: Block = { columns: 1, rows: 2 };
const sixth: Block = { columns: 2, rows: 3 };

/** Two modules per cell, one above the other. */
export const halfBlocks: Style = blocks(half, halfBlock, whiteOnBlack);

/** Six modules per cell, for terminals that draw the block sextants of Unicode 13. */
export const sextants: Style = blocks(sixth, sextant, whiteOnBlack);

/** Half blocks in the terminal's own colours, which must be light on dark; see `negative`. */
export const plainHalfBlocks: Style = blocks(half, halfBlock);

/** Sextants in the terminal's own colours. */
export const plainSextants: Style = blocks(sixth, sextant);

/** Two coloured spaces for each module, for terminals without Unicode. */
export const spaces: Style = {
  room: (modules) => ({ columns: modules * 2, rows: modules }),
  lines: (modules, isNegative = false) =>
    modules.map(
      (row) => row.map((isDark) => `${isDark !== isNegative ? onBlack : onWhite}  `).join('') + reset,
    ),
};

/** Returns a style with light and dark swapped, for terminals with dark text on light. */
export function negative(style: Style): Style {
  return { room: style.room, lines: (modules) => style.lines(modules, true) };
}

/**
 * Returns a style that draws with glyphs.
 * @param glyphOf returns the glyph of a block by its modules in reading order: true if a module has the text colour
 */
function blocks(block: Block, glyphOf: (inked: readonly boolean[]) => string, colours = ''): Style {
  return {
    room: (modules) => ({
      columns: Math.ceil(modules / block.columns),
      rows: Math.ceil(modules / block.rows),
    }),
    lines: (modules, isNegative = false) => {
      const glyphAt = (top: number, left: number): string =>
        glyphOf(modulesOf(modules, block, top, left).map((isDark) => isDark === isNegative));
      return every(modules.length, block.rows).map((top) => {
        const line = every(modules[0]?.length ?? 0, block.columns).map((left) => glyphAt(top, left));
        return colours === '' ? line.join('') : colours + line.join('') + reset;
      });
    },
  };
}

function modulesOf(modules: Matrix, { columns, rows }: Block, top: number, left: number): readonly boolean[] {
  return every(columns * rows, 1).map((at) => {
    const row = modules[top + Math.floor(at / columns)];
    return row?.[left + (at % columns)] === true;
  });
}

/** Returns the multiples of a step from 0 up to, but not including, an end. */
function every(end: number, step: number): readonly number[] {
  return Array.from({ length: Math.ceil(end / step) }, (_, at) => at * step);
}

function halfBlock([upper, lower]: readonly boolean[]): string {
  if (upper) return lower ? '█' : '▀';
  return lower ? '▄' : ' ';
}

/**
 * The glyphs of the sixty-four blocks of six modules, indexed by a sum in which the modules count 1, 2, 4 and so on in
 * reading order. Unicode orders its sextants in this way, from U+1FB00, except for four that it already had elsewhere.
 */
const sextantGlyphs: readonly string[] = every(64, 1).map((sum) => {
  const elsewhere: Readonly<Record<number, string>> = { 0: ' ', 21: '▌', 42: '▐', 63: '█' };
  const skipped = 1 + Number(sum > 21) + Number(sum > 42);
  return elsewhere[sum] ?? String.fromCodePoint(0x1fb00 + sum - skipped);
});

function sextant(inked: readonly boolean[]): string {
  const sum = inked.reduce((counted, isInked, at) => counted + (isInked ? 2 ** at : 0), 0);
  return sextantGlyphs[sum] ?? ' ';
}

/** The names of drawing styles; `auto` chooses by the terminal's capabilities. */
export const codeStyles = ['auto', 'half', 'sextant', 'spaces', 'plain'] as const;

/** The name of a drawing style. */
export type CodeStyle = (typeof codeStyles)[number];
