import type { Drawing } from '../../../qr/draw.ts';
import type { Matrix } from '../../../qr/matrix.ts';
import { gap, leastAround, roomsOn, windowFor } from '../../../qr/screen-rooms.ts';
import type { Room } from '../../../qr/styles.ts';
import type { Paint } from '../../../terminal/colour.ts';
import { sanitise } from '../../../terminal/sanitise.ts';
import { cut, type Ruler, wrap } from '../../../terminal/width.ts';
import { drawIn, leastRoom, type Rung } from './drawing.ts';
import {
  type Copy,
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
  /** All those that a person may go through with a key, these among them. */
  readonly others: readonly Rung[];
}

/** Columns of a name that what has to be done comes after. */
const mostOfName = 30;

/** Columns beyond which text is tiring to read. */
const mostWords = 60;

/**
 * Lays out the waiting screen: the code with the words beside it, or above and below it, whichever leaves it
 * the widest quiet zone. No words stand in the rows or columns of the code, and none of them moves it, but for
 * what has to be copied and so can't be broken: for that the quiet zone may become narrower, or the code go.
 * @param matrix the code that is there; undefined where there is none, or none that can be drawn
 */
export function drawWaiting(
  waiting: Waiting,
  matrix: Matrix | undefined,
  screen: Room,
  pencil: Pencil,
): readonly string[] {
  const { code, now } = waiting;
  const isDimmed = code !== undefined && isStale(code, now);
  const page = { ...pencil, screen, waiting, isDimmed, ...remarkOn(waiting, screen, pencil) };
  if (!matrix) return alone(page, code ? tooSmall(page, matrix) : []);
  const main = page.copies.filter(({ isExtra }) => !isExtra);
  for (const copies of [page.copies, ...main.map((_, left) => main.slice(0, main.length - left))]) {
    const drawn = copies.length > 0 && withCode({ ...page, copies }, matrix);
    if (drawn) return drawn;
  }
  const bare = withCode({ ...page, copies: [] }, matrix);
  const { insists } = waiting;
  const isCovered = bare !== undefined && insists !== undefined && page.copies.length > 0;
  if (isCovered) return alone(page, [{ words: [covered(insists)], rank: 1 }]);
  return bare ?? alone(page, tooSmall(page, matrix));
}

function covered(key: string): Words {
  return {
    text: `This window has no room for the code beside that: enlarge it, or press ${key} to see the code.`,
  };
}

interface Page extends Pencil {
  readonly screen: Room;
  readonly waiting: Waiting;
  readonly isDimmed: boolean;
  /** The words of the remark. */
  readonly remarks: readonly Words[];
  /** What is to be copied, and fits a line of the screen. */
  readonly copies: readonly Copy[];
}

/** The remark, and what is to be copied as far as the screen is wide enough for it. */
function remarkOn(
  { remark, copies }: Waiting,
  { columns }: Room,
  { ruler }: Pencil,
): Pick<Page, 'remarks' | 'copies'> {
  const [first] = copies;
  const fitting = copies.filter((copy) => copyLines(ruler, copy, columns).length > 0);
  const remarks = remark ? [{ text: sanitise(remark.text), tone: remark.tone }] : [];
  if (!first || fitting.includes(first)) return { remarks, copies: fitting };
  const narrow = { text: `${first.what} it needs a window ${ruler.width(first.text)} columns wide.` };
  return { remarks: [...remarks, narrow], copies: fitting };
}

/** The code and the words; undefined where there is no room for both the code and what is to be copied. */
function withCode(page: Page, matrix: Matrix): readonly string[] | undefined {
  const [besideRoom, aroundRoom] = roomsOn(page.screen);
  // Each row less makes the quiet zone narrower, until the code itself has no room.
  for (let less = 0; less < page.screen.rows; less += 1) {
    const rooms = [besideRoom, aroundRoom].map((room) => ({ ...room, rows: room.rows - less }));
    const placed = drawIn(matrix, page.ladder, rooms);
    if (!placed) return undefined;
    const drawn = placed.place === 0 ? beside(page, placed.drawing) : around(page, placed.drawing);
    if (drawn) return drawn;
  }
  return undefined;
}

/** The code on the left, the words on its right, and below both what is too wide to stand there. */
function beside(page: Page, drawing: Drawing): readonly string[] | undefined {
  const { screen, ruler, copies } = page;
  const width = Math.min(screen.columns - drawing.columns - gap, mostWords);
  const linesIn = (columns: number) => copies.flatMap((copy) => copyLines(ruler, copy, columns));
  const isWide = copies.some(({ text }) => ruler.width(text) > width);
  const below = isWide ? linesIn(screen.columns) : [];
  const rows = screen.rows - below.length;
  if (drawing.rows > rows) return undefined;
  const steps = { words: stepWords(page), rank: 3 };
  const words = column(page, [steps, stateOf(page)], isWide ? [] : linesIn(width), { columns: width, rows });
  const blank = ' '.repeat(drawing.columns);
  const lines = Array.from({ length: Math.max(drawing.rows, words.length) }, (_, row) => {
    const text = words[row] ?? '';
    const code = drawing.lines[row] ?? (text === '' ? '' : blank);
    return text === '' ? code : `${code}${' '.repeat(gap)}${text}`;
  });
  const isApart = below.length > 0 && lines.length < rows;
  return [...lines, ...(isApart ? [''] : []), ...below];
}

/** No code, only words. */
function alone(page: Page, reasons: readonly Part[]): readonly string[] {
  const { screen, ruler, copies } = page;
  const copied = copies.flatMap((copy) => copyLines(ruler, copy, screen.columns));
  const room = { columns: Math.min(screen.columns, mostWords), rows: screen.rows };
  return column(page, [...reasons, stateOf(page)], copied, room);
}

/** Words that stand together. */
interface Part {
  readonly words: readonly Words[];
  /** As few of them as will do. */
  readonly brief?: readonly Words[];
  /** Where there isn't room for all, those with the highest rank go first. What has none stays. */
  readonly rank?: number;
  /** Whether it belongs to the part before it, without an empty line between them. */
  readonly isJoined?: boolean;
}

function stateOf({ waiting, isDimmed }: Page): Part {
  const words = stateWords(waiting);
  const last = waiting.event?.kind === 'code' && !isDimmed ? words.at(-1) : words[0];
  return { words, brief: last ? [last] : [] };
}

/** The largest rank of a part. */
const lastRank = 4;

/**
 * Words in a column. Where it is too low for all of them, first the empty lines between them go, then what
 * can be dispensed with, then what can be said in fewer words. State and keys stay to the last.
 * @param copied what is to be copied, in lines
 */
function column(
  page: Page,
  parts: readonly Part[],
  copied: readonly string[],
  { columns, rows }: Room,
): readonly string[] {
  const { waiting, ruler, remarks } = page;
  const whole = (words: readonly Words[]): readonly string[] =>
    words.flatMap((line) => wrap(ruler, line.text, columns).map((text) => painted(page, { ...line, text })));
  const short = (words: readonly Words[]): readonly string[] =>
    words.map((line) => painted(page, { ...line, text: cut(ruler, line.text, columns, '...') }));
  const quiet = (texts: readonly string[]): readonly string[] =>
    short(texts.map((text) => ({ text, tone: 'quiet' })));
  const all = [
    { lines: short([title(waiting)]) },
    { lines: short(owners(waiting)), rank: lastRank, isJoined: true },
    ...parts.map((part) => ({ ...part, lines: whole(part.words), brief: whole(part.brief ?? part.words) })),
    { lines: [...whole(remarks), ...copied], brief: [...short(remarks), ...copied] },
    { lines: quiet(flow(keyWords(waiting), columns)), brief: quiet([keysInShort(waiting)]) },
  ];
  const upTo = (most: number) => all.filter(({ rank = 0 }) => rank <= most);
  const ranks = Array.from({ length: lastRank + 1 }, (_, index) => lastRank - index);
  const attempts = [
    spaced(all),
    ...ranks.filter((rank) => rank > 0).map((rank) => upTo(rank).flatMap(({ lines }) => lines)),
    ...[1, 0].map((rank) => upTo(rank).flatMap(({ lines, brief = lines }) => brief)),
  ];
  const fitting = attempts.find((lines) => lines.length <= rows);
  if (fitting) return fitting;
  const [, ...left] = attempts.at(-1) ?? [];
  return [...left.slice(0, Math.max(rows - 1, 0)), ...left.slice(-1)].slice(0, rows);
}

/** What is to be copied, and what it is: in one line, or one above the other. Empty where it is too wide. */
function copyLines(ruler: Ruler, { what, text }: Copy, columns: number): readonly string[] {
  const one = `${what} ${text}`;
  if (ruler.width(one) <= columns) return [one];
  return ruler.width(text) <= columns ? [...wrap(ruler, what, columns), text] : [];
}

/**
 * The code on the left, as many words as there are rows left above and below it. What is above it depends on
 * the rows alone, so that it stays where it is.
 */
function around(page: Page, drawing: Drawing): readonly string[] | undefined {
  const { waiting, screen, ruler, remarks, copies } = page;
  const { columns } = screen;
  const rows = screen.rows - drawing.rows;
  const labelled = copies.flatMap((copy) => copyLines(ruler, copy, columns));
  const isLow = rows < 4;
  const roomBelow = (words: readonly Words[]): number => (isLow ? 1 : rows - words.length - 2);
  const usual = headWords(page, rows);
  const above = labelled.length > roomBelow(usual) ? headWords(page, 0) : usual;
  const room = roomBelow(above);
  // An address says what it is by itself.
  const copied = labelled.length > room ? copies.map(({ text }) => text) : labelled;
  if (copied.length > 0 && copied.length > room) return undefined;
  const wrapped = remarks.flatMap((words) =>
    wrap(ruler, words.text, columns).map((text) => ({ ...words, text })),
  );
  const words = wrapped.length + copied.length > room ? remarks.slice(0, room - copied.length) : wrapped;
  const line = (one: Words): string => painted(page, { ...one, text: cut(ruler, one.text, columns, '...') });
  const told = [...words.map(line), ...copied];
  const [keys = ''] = [keyWords(waiting).join(keyGap), keysInShort(waiting)]
    .filter((text) => text.length <= columns)
    .map((text) => line({ text, tone: 'quiet' }));
  // Where there is no other row for what a key brought about, it stands in the place of what to do.
  const first = isLow && told.length > 0 ? told : above.map(line);
  const state =
    rows > leastAround
      ? [line(stateInOne(page, columns)), ...(isLow ? [] : told), keys]
      : [stateAndKeys(page)];
  return [...first, ...drawing.lines, ...state];
}

/** The words above a code that leaves so many rows. */
function headWords(page: Page, rows: number): readonly Words[] {
  const { text, tone } = title(page.waiting);
  if (rows <= 4) return [{ text: `${cut(page.ruler, text, mostOfName, '...')}: ${inShort}`, tone }];
  const whose = owners(page.waiting).map((owner) => owner.text);
  const named = { text: [text, ...whose].join(', '), tone };
  return rows < 4 + steps.length
    ? [named, { text: `On the phone: ${inShort}` }]
    : [named, ...stepWords(page)];
}

/** As much of the state as goes into one line: its beginning, or its end where that is what changes. */
function stateInOne({ waiting, ruler, isDimmed }: Page, columns: number): Words {
  const words = stateWords(waiting);
  const isEnd = waiting.event?.kind === 'code' && !isDimmed;
  const joined = words.map((_, left) => {
    const kept = isEnd ? words.slice(left) : words.slice(0, words.length - left);
    return { ...kept[0], text: kept.map(({ text }) => text).join(' ') };
  });
  return joined.find(({ text }) => ruler.width(text) <= columns) ?? joined.at(-1) ?? { text: '' };
}

/** The only line below a code: the state, and the keys in as many words as there is room for. */
function stateAndKeys(page: Page): string {
  const { waiting, ruler, screen, paint } = page;
  const keysAlone = [...waiting.keys.keys()].join(' ');
  const ways = [keyWords(waiting).join(keyGap), keysInShort(waiting), keysAlone].map((keys) => {
    const room = screen.columns - keys.length - keyGap.length;
    return { keys, room, state: stateInOne(page, room) };
  });
  const fitting = ways.find(({ state, room }) => ruler.width(state.text) <= room);
  const { keys, room, state } = fitting ??
    ways.at(-1) ?? { keys: '', room: screen.columns, state: { text: '' } };
  const text = fitting ? state.text : (state.brief ?? state.text);
  const told = painted(page, { ...state, text: cut(ruler, text, room, '...') });
  return `${told}${keyGap}${paint.tone('quiet', keys)}`;
}

function stepWords({ isDimmed }: Page): readonly Words[] {
  return steps.map((text) => ({ text, tone: isDimmed ? 'quiet' : undefined }));
}

const keyGap = '  ';

function keyWords({ keys }: Waiting): readonly string[] {
  return [...keys].map(([key, does]) => `${key} ${does}`);
}

function keysInShort({ keys }: Waiting): string {
  return `Keys: ${[...keys.keys()].join(' ')}`;
}

/** What can be said instead of a code that has no room, or can't be drawn: first what helps at once. */
function tooSmall(page: Page, matrix: Matrix | undefined): readonly Part[] {
  const { waiting, screen, ladder, others, copies } = page;
  const { file, keys } = waiting;
  const part = (rank: number, words: Words): Part => ({ words: [words], rank, isJoined: true });
  const because = (text: string): Part => ({ ...part(1, { text, tone: 'bad' }), isJoined: false });
  const way = (isOther: boolean): Part =>
    part(2, { text: pictureWay(file, keys, { isReadable: matrix !== undefined, isOther }) });
  /** Whoever has an address or a path needs to be told of the phone alone. */
  const ways = (isOther: boolean, ...more: readonly Part[]): readonly Part[] =>
    copies.length > 0 ? [...more, { words: stepWords(page), rank: 3 }] : [way(isOther), ...more];
  if (!matrix) return [because('The code says too much to be drawn.'), ...ways(false)];
  const needed = leastWindow(matrix, ladder, screen);
  if (needed === undefined) {
    const text = "The code can't be drawn: this terminal shows neither colours nor UTF-8.";
    return [because(text), ...ways(false)];
  }
  const has = `${screen.columns} x ${screen.rows}`;
  if (keys.has('s')) {
    const text = 'Press s for a smaller drawing of the code: it fits here.';
    const size = `Or enlarge the window: it has ${has}, and ${needed} will do.`;
    return [{ words: [{ text, tone: 'heading' }], rank: 1 }, ...ways(true, part(3, { text: size }))];
  }
  const least = leastWindow(matrix, others, screen);
  const smaller = least === undefined || least === needed ? '' : `, or of ${least} for its smallest drawing`;
  return [
    because(`The code needs a window of ${needed}${smaller}; this one has ${has}.`),
    ...ways(false, part(3, { text: 'Enlarge the window, or make its letters smaller.' })),
  ];
}

function leastWindow(matrix: Matrix, rungs: readonly Rung[], screen: Room): string | undefined {
  const room = leastRoom(matrix, rungs);
  if (!room) return undefined;
  const { columns, rows } = windowFor(room, screen);
  return `${columns} x ${rows}`;
}

function painted({ paint, isDimmed }: Page, { text, tone }: Words): string {
  if (tone === 'heading') return isDimmed ? paint.tone('quiet', text) : paint.heading(text);
  return paint.tone(tone, text);
}

/** Puts an empty line between what belongs together. */
function spaced(
  parts: readonly { readonly lines: readonly string[]; readonly isJoined?: boolean }[],
): readonly string[] {
  return parts
    .filter(({ lines }) => lines.length > 0)
    .flatMap(({ lines, isJoined }, index) => (index === 0 || isJoined ? lines : ['', ...lines]));
}

/** Puts short pieces on as few lines as they need, without breaking one. */
function flow(pieces: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const piece of pieces) {
    const longer = `${lines.at(-1)}${keyGap}${piece}`;
    if (lines.length > 0 && longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(piece);
  }
  return lines;
}
