import stringWidth from 'string-width';
import { basicColour, defaultStyle, restyle, type Style } from './style.ts';

/** A character cell of a screen with its displayed colours: `0xRRGGBB`. */
export interface Cell {
  readonly glyph: string;
  readonly foreground: number;
  readonly background: number;
}

/** Rows of cells, from the top. A cell that was never written is missing. */
export type Screen = readonly (readonly (Cell | undefined)[])[];

/** Maximum window size; content beyond it scrolls off the top or is cut off at the right. */
const maxWindow = { columns: 500, rows: 250 } as const;

/** A cell that was never written. */
export const emptyCell: Cell = { glyph: ' ', foreground: basicColour(7), background: basicColour(0) };

/**
 * Returns the screen of a terminal after a text was sent to it. Interprets colours, cursor moves and erasing; ignores
 * other sequences. A line feed also returns to the left edge, as terminals do in their default mode, so that captured
 * screens and raw output give the same result. Text without colours is light on dark.
 */
export function readScreen(text: string): Screen {
  const window = new Window();
  for (const { 0: token, groups } of text.matchAll(tokens)) {
    if (groups?.final !== undefined) window.control(groups.final, groups.parameters ?? '');
    else if (!token.startsWith('\x1b')) window.write(token);
  }
  return window.rows;
}

/** ECMA-48: control sequences, control strings, other escape sequences; then single characters. */
const tokens =
  /\x1b\[(?<parameters>[0-?]*)[ -/]*(?<final>[@-~])|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?|[^\x1b]/gu;

class Window {
  readonly rows: (Cell | undefined)[][] = [];
  #row = 0;
  #column = 0;
  #style: Style = defaultStyle;

  write(character: string): void {
    if (character === '\n') this.#moveTo(this.#row + 1, 0);
    else if (character === '\r') this.#column = 0;
    else if (character === '\b') this.#column = Math.max(0, this.#column - 1);
    else if (character === '\t') this.#column = (Math.floor(this.#column / 8) + 1) * 8;
    else if (character >= ' ' && character !== '\x7f') this.#print(character);
  }

  control(final: string, parameters: string): void {
    const numbers = parameters.split(';').map((parameter) => Number.parseInt(parameter, 10));
    const [first = Number.NaN, second = Number.NaN] = numbers;
    const steps = Math.max(1, first || 1);
    if (final === 'm') this.#style = restyle(this.#style, parameters);
    else if (final === 'H' || final === 'f') this.#moveTo(steps - 1, Math.max(1, second || 1) - 1);
    else if (final === 'A') this.#moveTo(this.#row - steps, this.#column);
    else if (final === 'B') this.#moveTo(this.#row + steps, this.#column);
    else if (final === 'C') this.#moveTo(this.#row, this.#column + steps);
    else if (final === 'D') this.#moveTo(this.#row, this.#column - steps);
    else if (final === 'E') this.#moveTo(this.#row + steps, 0);
    else if (final === 'F') this.#moveTo(this.#row - steps, 0);
    else if (final === 'G') this.#moveTo(this.#row, steps - 1);
    else if (final === 'd') this.#moveTo(steps - 1, this.#column);
    else if (final === 'J') this.#eraseScreen(first || 0);
    else if (final === 'K') this.#eraseLine(first || 0);
    else if ((final === 'h' || final === 'l') && /^\?(47|1047|1049)$/.test(parameters)) this.#switchScreen();
  }

  #print(character: string): void {
    const columns = character >= ' ' && character <= '~' ? 1 : stringWidth(character);
    const { foreground, background } = this.#style.reversed
      ? { foreground: this.#style.background, background: this.#style.foreground }
      : this.#style;
    for (let index = 0; index < columns; index += 1) {
      if (this.#column < maxWindow.columns) {
        const row = this.#currentRow();
        row[this.#column] = { glyph: index === 0 ? character : ' ', foreground, background };
      }
      this.#column += 1;
    }
  }

  #currentRow(): (Cell | undefined)[] {
    while (this.rows.length <= this.#row) this.rows.push([]);
    return this.rows[this.#row] ?? [];
  }

  #moveTo(row: number, column: number): void {
    this.#column = Math.min(Math.max(0, column), maxWindow.columns);
    this.#row = Math.min(Math.max(0, row), maxWindow.rows - 1);
    if (row >= maxWindow.rows && this.rows.length >= maxWindow.rows) this.rows.shift();
  }

  #eraseLine(part: number): void {
    const row = this.#currentRow();
    if (part === 0) row.length = Math.min(row.length, this.#column);
    else row.fill(undefined, 0, part === 1 ? this.#column + 1 : row.length);
  }

  #eraseScreen(part: number): void {
    if (part === 0) this.rows.length = Math.min(this.rows.length, this.#row + 1);
    else if (part === 1) for (const row of this.rows.slice(0, this.#row)) row.length = 0;
    else this.rows.length = 0;
    if (part < 2) this.#eraseLine(part);
  }

  /** Switches to the alternate screen or back: either way, earlier content is no longer visible. */
  #switchScreen(): void {
    this.rows.length = 0;
    this.#moveTo(0, 0);
  }
}
