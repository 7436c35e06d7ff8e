import { Terminal } from '@xterm/headless';
import { describe, expect, it } from 'vitest';
import { cellsOf, textOf } from '../../../src/build/pictures/cells.ts';
import { theme } from '../../../src/build/pictures/colours.ts';
import { cellSize, drawSvg, origin } from '../../../src/build/pictures/svg.ts';
import { look, paint } from './support.ts';

async function screenOf(text: string, columns = 12, rows = 3) {
  const terminal = new Terminal({ cols: columns, rows, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(text, resolve));
  const cells = cellsOf(terminal);
  terminal.dispose();
  return cells;
}

describe('a picture of a terminal', () => {
  it('has every letter in its place, whatever it means in XML', async () => {
    const svg = drawSvg(await screenOf('a  <b> & c\r\n\r\n  "end"'), 'x < y');
    expect(look(svg)).toMatchObject({ title: 'x < y', text: 'a  <b> & c\n\n  "end"' });
  });

  it('is as large as the screen, with its frame', async () => {
    const { width, height } = look(drawSvg(await screenOf(''), ''));
    expect(width).toBe(12 * cellSize.width + 2 * origin.x);
    expect(height).toBe(3 * cellSize.height + origin.y + origin.x);
  });

  it('has the colours, the weight and the faintness of each word', async () => {
    const svg = drawSvg(
      await screenOf('\x1b[1mhead\x1b[22m \x1b[38;5;196mred\x1b[39m \x1b[2mdim\x1b[0m'),
      '',
    );
    expect(svg).toMatch(/<text [^>]*font-weight="bold" fill="#d4d7dd">head</);
    expect(svg).toMatch(/<text [^>]*fill="#ff0000">red</);
    expect(svg).toMatch(/<text [^>]*fill-opacity="0.65" fill="#d4d7dd">dim</);
  });

  it('has true colours, and exchanges them where they are exchanged', async () => {
    const svg = drawSvg(await screenOf('\x1b[38;2;1;2;3;48;2;250;251;252;7mab\x1b[0m'), '');
    expect(svg).toContain('fill="#fafbfc">ab<');
    expect(svg).toContain(
      `fill="#010203" d="M${origin.x} ${origin.y}h${2 * cellSize.width}v${cellSize.height}h-${2 * cellSize.width}z"`,
    );
  });

  it('paints half blocks and backgrounds as rectangles, and no letters', async () => {
    const svg = drawSvg(await screenOf('\x1b[38;5;231;48;5;16m▀▄█ \x1b[0m', 4, 1), '');
    const { data, width } = paint(svg);
    const half = cellSize.height / 2;
    const at = (column: number, row: number): string => {
      const [x, y] = [origin.x + (column + 0.5) * cellSize.width, origin.y + (row + 0.5) * half];
      return data[(Math.floor(y) * width + Math.floor(x)) * 4] === 255 ? '#' : '.';
    };
    expect([0, 1].map((row) => [0, 1, 2, 3].map((column) => at(column, row)).join(''))).toEqual([
      '#.#.',
      '.##.',
    ]);
    expect(look(svg).text).toBe('');
  });

  it('gives a wide character the room of two', async () => {
    const cells = await screenOf('茶 x');
    expect(textOf(cells)).toBe('茶 x\n\n');
    expect(drawSvg(cells, '')).toContain(
      `textLength="${2 * cellSize.width}" lengthAdjust="spacingAndGlyphs" fill="${theme.foreground}">茶<`,
    );
  });
});
