import type { Raster } from '../qr/rasterise.ts';

/** Returns the title and the texts of a picture. */
export function wordsOf(svg: string): string {
  const texts = [...svg.matchAll(/<(?:title|text)[^>]*>([^<]*)</g)].map(([, text = '']) => text);
  return texts.join(' ').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** Paints the rectangles of a picture on black. */
export function paint(svg: string): Raster {
  const [width = 0, height = 0] = (/viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? []).slice(1).map(Number);
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
