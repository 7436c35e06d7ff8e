import type { IBufferCell, Terminal } from '@xterm/headless';
import { paletteColour, theme, trueColour } from './colours.ts';

/** A character on the screen, with the colours in which it shows. */
export interface Cell {
  /** A space if nothing was written. Empty in the second half of a wide character. */
  readonly glyph: string;
  readonly foreground: string;
  readonly background: string;
  readonly isBold: boolean;
  readonly isDim: boolean;
}

/** The cells of a terminal, row by row from its top. */
export function cellsOf(terminal: Terminal): readonly (readonly Cell[])[] {
  const buffer = terminal.buffer.active;
  return Array.from({ length: terminal.rows }, (_row, y) => {
    const line = buffer.getLine(buffer.viewportY + y);
    return Array.from({ length: terminal.cols }, (_cell, x) => cellOf(line?.getCell(x)));
  });
}

/** The text of rows, without the blanks at their ends. */
export function textOf(rows: readonly (readonly Cell[])[]): string {
  const lines = rows.map((row) => row.map(({ glyph }) => glyph).join(''));
  return lines.map((line) => line.trimEnd()).join('\n');
}

function cellOf(cell: IBufferCell | undefined): Cell {
  const foreground = cell?.isFgPalette()
    ? paletteColour(cell.getFgColor())
    : cell?.isFgRGB()
      ? trueColour(cell.getFgColor())
      : theme.foreground;
  const background = cell?.isBgPalette()
    ? paletteColour(cell.getBgColor())
    : cell?.isBgRGB()
      ? trueColour(cell.getBgColor())
      : theme.background;
  const isInverse = (cell?.isInverse() ?? 0) > 0;
  return {
    glyph: cell?.getWidth() === 0 ? '' : cell?.getChars() || ' ',
    foreground: isInverse ? background : foreground,
    background: isInverse ? foreground : background,
    isBold: (cell?.isBold() ?? 0) > 0,
    isDim: (cell?.isDim() ?? 0) > 0,
  };
}
