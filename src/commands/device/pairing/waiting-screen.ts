import type { Drawing } from '../../../qr/draw.ts';
import type { Matrix } from '../../../qr/matrix.ts';
import type { Room } from '../../../qr/styles.ts';
import type { Paint } from '../../../terminal/colour.ts';
import { sanitise } from '../../../terminal/sanitise.ts';
import { cut, type Ruler, wrap } from '../../../terminal/width.ts';
import { drawIn, leastRoom, type Rung } from './drawing.ts';
import {
  inShort,
  isStale,
  owners,
  pictureWay,
  stateWords,
  steps,
  title,
  type Waiting,
  type Words,
} from './waiting-words.ts';

/** What the waiting screen is drawn with. */
export interface Pencil {
  readonly ruler: Ruler;
  readonly paint: Paint;
  /** The ways of drawing the code, the best first. */
  readonly ladder: readonly Rung[];
}

/** Columns that the words need beside a code, and the gap before them. */
const leastWords = 28;
const gap = 2;

/** Rows that the words need above and below a code. */
const leastAround = 2;

/** Columns of a name that what has to be done comes after. */
const mostOfName = 30;

/** Columns beyond which text is tiring to read. */
const mostWords = 60;

/** The rooms that a screen has for a code: with the words beside it, and with the words above and below it. */
export function roomsOn({ columns, rows }: Room): readonly [beside: Room, around: Room] {
  return [
    { columns: columns - gap - leastWords, rows },
    { columns, rows: rows - leastAround },
  ];
}

/**
 * Lays out the waiting screen: the code with the words beside it, or above and below it, whichever leaves it
 * the widest quiet zone. No words stand in the rows or columns of the code, and none of them moves it.
 * @param matrix the code that is there; undefined where there is none, or none that can be drawn
 */
export function drawWaiting(
  waiting: Waiting,
  matrix: Matrix | undefined,
  screen: Room,
  pencil: Pencil,
): readonly string[] {
  const { code, now } = waiting;
  const page: Page = { ...pencil, screen, waiting, isDimmed: code !== undefined && isStale(code, now) };
  const placed = matrix && drawIn(matrix, pencil.ladder, roomsOn(screen));
  if (!placed) return alone(page, code ? tooSmall(page, matrix) : []);
  return placed.place === 0 ? beside(page, placed.drawing) : around(page, placed.drawing);
}

interface Page extends Pencil {
  readonly screen: Room;
  readonly waiting: Waiting;
  readonly isDimmed: boolean;
}

/** The code on the left, the words on its right. */
function beside(page: Page, drawing: Drawing): readonly string[] {
  const { screen, waiting } = page;
  const width = Math.min(screen.columns - drawing.columns - gap, mostWords);
  const parts = [{ words: stepWords(page), isDispensable: true }, { words: stateWords(waiting) }];
  const words = column(page, parts, width);
  const blank = ' '.repeat(drawing.columns);
  return Array.from({ length: Math.max(drawing.rows, words.length) }, (_, row) => {
    const text = words[row] ?? '';
    const code = drawing.lines[row] ?? (text === '' ? '' : blank);
    return text === '' ? code : `${code}${' '.repeat(gap)}${text}`;
  });
}

/** No code, only words. */
function alone(page: Page, reasons: readonly Words[]): readonly string[] {
  const state = { words: stateWords(page.waiting), isDispensable: reasons.length > 0 };
  return column(page, [{ words: reasons }, state], Math.min(page.screen.columns, mostWords));
}

/** Words that stand together. */
interface Part {
  readonly words: readonly Words[];
  readonly isDispensable?: boolean;
}

/**
 * Words in a column. Where it is too low for all of them, first the empty lines between them go, then what
 * can be dispensed with, then the end.
 */
function column(page: Page, parts: readonly Part[], width: number): readonly string[] {
  const { waiting, screen, ruler } = page;
  const whole = ({ words }: Part): readonly string[] =>
    words.flatMap((line) => wrap(ruler, line.text, width).map((text) => painted(page, { ...line, text })));
  const short = (line: Words): string =>
    painted(page, { ...line, text: cut(ruler, line.text, width, '...') });
  const head = short(title(waiting));
  const whose = owners(waiting).map(short);
  const all = [...parts, { words: remarkWords(waiting) }];
  const needed = all.filter(({ isDispensable }) => !isDispensable).flatMap(whole);
  const keys = flow(keyWords(waiting), width).map((text) => short({ text, tone: 'quiet' }));
  const attempts = [
    spaced([[head, ...whose], ...all.map(whole), keys]),
    [head, ...whose, ...all.flatMap(whole), ...keys],
    [head, ...all.flatMap(whole), ...keys],
    [head, ...needed, ...keys],
  ];
  const fitting = attempts.find((lines) => lines.length <= screen.rows);
  return fitting ?? [head, ...needed].slice(0, screen.rows);
}

/**
 * The code on the left, as many words as there are rows left above and below it. What is above it depends on
 * the rows alone, so that it stays where it is.
 */
function around(page: Page, drawing: Drawing): readonly string[] {
  const { waiting, screen, ruler } = page;
  const rows = screen.rows - drawing.rows;
  const remarks = remarkWords(waiting);
  const above = headWords(page, rows, remarks);
  const keys = rows > leastAround ? [{ text: keyWords(waiting).join('  '), tone: 'quiet' as const }] : [];
  const left = rows - above.length - 1 - keys.length;
  const wrapped = remarks.flatMap((words) =>
    wrap(ruler, words.text, screen.columns).map((text) => ({ ...words, text })),
  );
  const shown = wrapped.length > left ? remarks.slice(0, left) : wrapped;
  const line = (words: Words): string =>
    painted(page, { ...words, text: cut(ruler, words.text, screen.columns, '...') });
  const below = [stateInOne(page), ...shown, ...keys];
  return [...above.map(line), ...drawing.lines, ...below.map(line)];
}

/** The words above a code that leaves so many rows. Where there is no other row for a remark, it is there. */
function headWords(page: Page, rows: number, remarks: readonly Words[]): readonly Words[] {
  const { text, tone } = title(page.waiting);
  const brief = { text: `${cut(page.ruler, text, mostOfName, '...')}: ${inShort}`, tone };
  if (rows < 4) return [remarks[0] ?? brief];
  if (rows === 4) return [brief];
  const whose = owners(page.waiting).map((owner) => owner.text);
  const named = { text: [text, ...whose].join(', '), tone };
  return rows < 4 + steps.length
    ? [named, { text: `On the phone: ${inShort}` }]
    : [named, ...stepWords(page)];
}

/** As much of the state as goes into one line: its beginning, or its end where that is what changes. */
function stateInOne({ waiting, ruler, screen, isDimmed }: Page): Words {
  const words = stateWords(waiting);
  const isEnd = waiting.event?.kind === 'code' && !isDimmed;
  const joined = words.map((_, left) => {
    const kept = isEnd ? words.slice(left) : words.slice(0, words.length - left);
    return { ...kept[0], text: kept.map(({ text }) => text).join(' ') };
  });
  return joined.find(({ text }) => ruler.width(text) <= screen.columns) ?? joined.at(-1) ?? { text: '' };
}

function stepWords({ isDimmed }: Page): readonly Words[] {
  return steps.map((text) => ({ text, tone: isDimmed ? 'quiet' : undefined }));
}

function remarkWords({ remark }: Waiting): readonly Words[] {
  if (!remark) return [];
  return remark.text.split('\n').map((text) => ({ text: sanitise(text), tone: remark.tone }));
}

function keyWords({ keys }: Waiting): readonly string[] {
  return [...keys].map(([key, does]) => `${key} ${does}`);
}

function tooSmall({ waiting, screen, ladder }: Page, matrix: Matrix | undefined): readonly Words[] {
  const { file, keys } = waiting;
  const wayOut = { text: pictureWay(file, keys, matrix !== undefined) };
  const needed = matrix && leastRoom(matrix, ladder);
  if (!matrix) return [{ text: 'The code says too much to be drawn.', tone: 'bad' }, wayOut];
  if (!needed) {
    return [
      { text: "The code can't be drawn: this terminal shows neither colours nor UTF-8.", tone: 'bad' },
      wayOut,
    ];
  }
  return [
    {
      text: `The code needs a window of ${needed.columns} x ${needed.rows + leastAround}; this one has ${screen.columns} x ${screen.rows}.`,
      tone: 'bad',
    },
    { text: 'Enlarge the window, or make its letters smaller.' },
    ...(keys.has('s') ? [{ text: 'Press s to draw it finer: newer terminals can show that.' }] : []),
    wayOut,
  ];
}

function painted({ paint, isDimmed }: Page, { text, tone }: Words): string {
  if (tone === 'heading') return isDimmed ? paint.tone('quiet', text) : paint.heading(text);
  return paint.tone(tone, text);
}

/** Puts an empty line between what belongs together. */
function spaced(parts: readonly (readonly string[])[]): readonly string[] {
  return parts
    .filter((part) => part.length > 0)
    .flatMap((part, index) => (index === 0 ? part : ['', ...part]));
}

/** Puts short pieces on as few lines as they need, without breaking one. */
function flow(pieces: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const piece of pieces) {
    const longer = `${lines.at(-1)}  ${piece}`;
    if (lines.length > 0 && longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(piece);
  }
  return lines;
}
