import { cellSize, origin } from '../../../src/build/pictures/svg.ts';
import type { Raster } from '../../qr/rasterise.ts';

/** What a picture shows, as a person who looks at it would tell. */
export interface Seen {
  readonly title: string;
  /** Its text, with every letter in its row and column. */
  readonly text: string;
  readonly width: number;
  readonly height: number;
}

/**
 * Reads a picture.
 * @throws Error where it is no well-formed XML, or letters lie beside the rows and columns
 */
export function look(svg: string): Seen {
  checkWellFormed(svg);
  const rows: string[][] = [];
  for (const [, x, y, length, text = ''] of svg.matchAll(
    /<text x="(\d+)" y="(\d+)" textLength="(\d+)"[^>]*>([^<]*)<\/text>/g,
  )) {
    const column = (Number(x) - origin.x) / cellSize.width;
    const row = Math.floor((Number(y) - origin.y) / cellSize.height);
    const letters = [...unescaped(text)];
    if (!Number.isInteger(column) || Number(length) % cellSize.width !== 0)
      throw new Error(`${text} is in no column`);
    rows[row] ??= [];
    letters.forEach((letter, at) => {
      (rows[row] ?? [])[column + at] = letter;
    });
  }
  const text = Array.from(rows, (row) => Array.from(row ?? [], (letter) => letter ?? ' ').join('')).join(
    '\n',
  );
  const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? [];
  const [, title = ''] = /<title>([^<]*)<\/title>/.exec(svg) ?? [];
  return { title: unescaped(title), text, width: Number(width), height: Number(height) };
}

/** Paints the rectangles of a picture, on what they leave in black. */
export function paint(svg: string): Raster {
  const { width, height } = look(svg);
  const data = new Uint8ClampedArray(width * height * 4);
  for (let at = 3; at < data.length; at += 4) data[at] = 255;
  for (const [, fill = '', path = ''] of svg.matchAll(/<path [^>]*fill="#([0-9a-f]{6})" d="([^"]*)"/g)) {
    const colour = [0, 2, 4].map((at) => Number.parseInt(fill.slice(at, at + 2), 16));
    for (const [, left, top, across, down] of path.matchAll(/M(\d+) (\d+)h(\d+)v(\d+)h-\3z/g)) {
      for (let y = Number(top); y < Number(top) + Number(down); y += 1) {
        for (let x = Number(left); x < Number(left) + Number(across); x += 1)
          data.set(colour, (y * width + x) * 4);
      }
    }
  }
  return { data, width, height };
}

function checkWellFormed(xml: string): void {
  const open: string[] = [];
  const rest = xml.replaceAll(
    /<(\/?)([a-z]+)((?: [a-zA-Z-]+="[^"<&]*")*)(\/?)>/g,
    (_, end: string, name: string, _attributes: string, empty: string) => {
      if (end !== '' && open.pop() !== name) throw new Error(`</${name}> ends what was not begun`);
      if (end === '' && empty === '') open.push(name);
      return '';
    },
  );
  if (open.length > 0) throw new Error(`<${open.join('>, <')}> is not ended`);
  if (/[<>]|&(?!(?:amp|lt|gt);)/.test(rest)) throw new Error('its text has what must be escaped');
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
