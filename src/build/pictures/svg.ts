import type { Cell } from './cells.ts';
import { theme } from './colours.ts';

/** Pixels of a cell. Whole ones, so that the modules of a code meet without seams. */
const cellSize = { width: 9, height: 18 } as const;

const half = cellSize.height / 2;
/** Three fifths of it are the width of a letter in nearly every monospaced font. */
const fontSize = 15;
const padding = 14;
const barHeight = 32;

/** Offset of the first cell. */
const origin = { x: padding, y: barHeight + padding } as const;

/**
 * Draws what a terminal shows as an SVG: a window with a title, and each cell in its place whatever the font
 * of the viewer. Blocks and backgrounds are rectangles, so a QR code on the screen scans from the picture.
 */
export function drawSvg(rows: readonly (readonly Cell[])[], title: string): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const width = columns * cellSize.width + 2 * padding;
  const height = rows.length * cellSize.height + 2 * padding + barHeight;
  const lights = ['#ff5f57', '#febc2e', '#28c840'].map(
    (colour, index) => `<circle cx="${20 + index * 20}" cy="16" r="6" fill="${colour}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${theme.background}"/>`,
    `<path d="M0 ${barHeight}V8a8 8 0 0 1 8-8H${width - 8}a8 8 0 0 1 8 8V${barHeight}z" fill="${theme.frame}"/>`,
    ...lights,
    `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="${fontSize}">`,
    `<text x="${width / 2}" y="21" text-anchor="middle" font-size="13" fill="${theme.title}">${escaped(title)}</text>`,
    ...drawAreas(areasOf(rows)),
    ...rows.flatMap((row, y) => wordsOf(row).map((word) => drawWord(word, y))),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/** A rectangle of one colour, in columns and half rows. */
interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  height: number;
  readonly colour: string;
}

/** Everything that is not of the background's colour, in as few rectangles as whole runs that repeat downwards need. */
function areasOf(rows: readonly (readonly Cell[])[]): readonly Area[] {
  const areas: Area[] = [];
  let above = new Map<string, Area>();
  rows
    .flatMap((row) => [row.map((cell) => halvesOf(cell)[0]), row.map((cell) => halvesOf(cell)[1])])
    .forEach((colours, y) => {
      const here = new Map<string, Area>();
      for (const run of runsOf(colours)) {
        const place = `${run.x} ${run.width} ${run.colour}`;
        const area = above.get(place) ?? { ...run, y, height: 0 };
        if (area.height === 0) areas.push(area);
        area.height += 1;
        here.set(place, area);
      }
      above = here;
    });
  return areas;
}

function runsOf(colours: readonly string[]): readonly Pick<Area, 'x' | 'width' | 'colour'>[] {
  const starts = colours.flatMap((colour, x) => (colour === colours[x - 1] ? [] : [{ x, colour }]));
  return starts
    .map(({ x, colour }, index) => ({ x, colour, width: (starts[index + 1]?.x ?? colours.length) - x }))
    .filter(({ colour }) => colour !== theme.background);
}

/** The colours of the upper and the lower half of a cell, apart from its letter. */
function halvesOf({ glyph, foreground, background }: Cell): readonly [string, string] {
  return [
    glyph === '█' || glyph === '▀' ? foreground : background,
    glyph === '█' || glyph === '▄' ? foreground : background,
  ];
}

/** One path for each colour, of rectangles: a code has a thousand of them. */
function drawAreas(areas: readonly Area[]): readonly string[] {
  const paths = new Map<string, string>();
  for (const { x, y, width, height, colour } of areas) {
    const [left, top] = [origin.x + x * cellSize.width, origin.y + y * half];
    const [across, down] = [width * cellSize.width, height * half];
    const rectangle = `M${left} ${top}h${across}v${down}h-${across}z`;
    paths.set(colour, (paths.get(colour) ?? '') + rectangle);
  }
  return [...paths].map(
    ([colour, path]) => `<path shape-rendering="crispEdges" fill="${colour}" d="${path}"/>`,
  );
}

/** Letters of one style beside each other. */
interface Word {
  readonly x: number;
  readonly cells: readonly [Cell, ...Cell[]];
}

/** Each word is drawn on its own: blanks would be as wide as the viewer's font has them. */
function wordsOf(row: readonly Cell[]): readonly Word[] {
  const words: { x: number; cells: [Cell, ...Cell[]] }[] = [];
  row.forEach((cell, x) => {
    if (hasNoLetter(cell)) return;
    const last = words.at(-1);
    const isNext = last && last.x + last.cells.length === x && look(last.cells[0]) === look(cell);
    if (isNext) last.cells.push(cell);
    else words.push({ x, cells: [cell] });
  });
  return words;
}

/** Blocks are drawn as areas. */
const hasNoLetter = ({ glyph }: Cell): boolean => /^[ █▀▄]$/u.test(glyph);

const look = ({ foreground, isBold, isDim }: Cell): string => `${foreground} ${isBold} ${isDim}`;

function drawWord({ x, cells }: Word, y: number): string {
  const [{ isBold, isDim, foreground }] = cells;
  const [left, base] = [origin.x + x * cellSize.width, origin.y + y * cellSize.height + 14];
  const bold = isBold ? ' font-weight="bold"' : '';
  const dim = isDim ? ' fill-opacity="0.65"' : '';
  // The length holds each letter in its column, in whatever font there is.
  return (
    `<text x="${left}" y="${base}" textLength="${cells.length * cellSize.width}" lengthAdjust="spacingAndGlyphs"` +
    `${bold}${dim} fill="${foreground}">${escaped(cells.map(({ glyph }) => glyph).join(''))}</text>`
  );
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
