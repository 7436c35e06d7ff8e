import type { Drawing } from '../qr/draw.ts';
import type { Matrix } from '../qr/matrix.ts';
import { gap, minTextRows, roomsOn, windowFor } from '../qr/screen-rooms.ts';
import type { Room } from '../qr/styles.ts';
import type { Paint } from '../terminal/colour.ts';
import { sanitise } from '../terminal/sanitise.ts';
import { cut, flow, type Ruler, wrap } from '../terminal/width.ts';
import {
  type CopyableText,
  expectation,
  fallbackHint,
  isStale,
  owners,
  statusLines,
  steps,
  stepsSummary,
  type TextLine,
  title,
  type Waiting,
} from './pairing-text.ts';
import { drawInRooms, minRoom, type QrRenderer } from './qr-renderers.ts';

/** The tools that the waiting screen is drawn with. */
export interface WaitingScreenTools {
  readonly ruler: Ruler;
  readonly paint: Paint;
  /** The ways of drawing the code, the best first. */
  readonly renderers: readonly QrRenderer[];
  /** All those that a person may go through with a key, these among them. */
  readonly allRenderers: readonly QrRenderer[];
}

/** Lines of text that stand together. */
interface TextBlock<Line = TextLine> {
  readonly lines: readonly Line[];
  /** As few of them as will do. */
  readonly brief?: readonly Line[] | undefined;
  /** If there isn't room for all blocks, those with the highest rank go first. One without a rank stays. */
  readonly rank?: number;
  /** True if it belongs to the block before it, without an empty line between them. */
  readonly isJoined?: boolean;
}

/** Columns of a device's name that the steps follow on the same line. */
const maxNameColumns = 30;

/** Columns beyond which text is tiring to read. */
const maxTextColumns = 60;

const keyGap = '  ';

/**
 * Lays out the waiting screen: the code with the text beside it, or above and below it, whichever leaves it
 * the widest quiet zone. No text stands in the rows or columns of the code, and none of it moves the code, except
 * what has to be copied and so can't be broken: for that the quiet zone may become narrower, or the code go.
 * @param matrix the code that is there; undefined if there is none, or none that can be drawn
 */
export function drawWaiting(
  waiting: Waiting,
  matrix: Matrix | undefined,
  screen: Room,
  render: WaitingScreenTools,
): readonly string[] {
  return new WaitingScreen(waiting, screen, render).draw(matrix);
}

class WaitingScreen {
  readonly #isDimmed: boolean;
  readonly #messages: readonly TextLine[];
  /** Those texts to be copied that fit a line of the screen. */
  readonly #copyable: readonly CopyableText[];

  constructor(
    readonly waiting: Waiting,
    readonly screen: Room,
    readonly render: WaitingScreenTools,
  ) {
    const { code, now, message, copyable } = waiting;
    const [first] = copyable;
    this.#isDimmed = code !== undefined && isStale(code, now);
    this.#copyable = copyable.filter((one) => this.#labelled([one], screen.columns).length > 0);
    this.#messages = message ? [{ text: sanitise(message.text), tone: message.tone }] : [];
    if (first && !this.#copyable.includes(first)) {
      const text = `${first.label} it needs a window ${render.ruler.width(first.text)} columns wide.`;
      this.#messages = [...this.#messages, { text }];
    }
  }

  draw(matrix: Matrix | undefined): readonly string[] {
    const { code, pinnedKey } = this.waiting;
    const all = this.#copyable;
    if (!matrix) return this.#withoutCode(code ? this.#noCodeBlocks(matrix) : []);
    const main = all.filter(({ isOptional }) => !isOptional);
    for (const copyable of [all, ...main.map((_, left) => main.slice(0, main.length - left))]) {
      const drawn = copyable.length > 0 && this.#withCode(matrix, copyable);
      if (drawn) return drawn;
    }
    const codeAlone = this.#withCode(matrix, []);
    if (!codeAlone) return this.#withoutCode(this.#noCodeBlocks(matrix));
    if (pinnedKey === undefined || all.length === 0) return codeAlone;
    const text = `This window has no room for the code beside that: enlarge it, or press ${pinnedKey} to see the code.`;
    return this.#withoutCode([{ lines: [{ text }], rank: 1 }]);
  }

  /** Returns the code and the text, or undefined if there is no room for both the code and what is to be copied. */
  #withCode(matrix: Matrix, copyable: readonly CopyableText[]): readonly string[] | undefined {
    // Each row less makes the quiet zone narrower, until the code itself has no room.
    for (let less = 0; less < this.screen.rows; less += 1) {
      const rooms = roomsOn(this.screen).map((room) => ({ ...room, rows: room.rows - less }));
      const placed = drawInRooms(matrix, this.render.renderers, rooms);
      if (!placed) return undefined;
      const { drawing, roomIndex } = placed;
      const drawn = roomIndex === 0 ? this.#beside(drawing, copyable) : this.#around(drawing, copyable);
      if (drawn) return drawn;
    }
    return undefined;
  }

  /** The code on the left, the text on its right, and below both what is too wide to stand there. */
  #beside(drawing: Drawing, copyable: readonly CopyableText[]): readonly string[] | undefined {
    const columns = Math.min(this.screen.columns - drawing.columns - gap, maxTextColumns);
    const isWide = copyable.some(({ text }) => this.render.ruler.width(text) > columns);
    const below = isWide ? this.#labelled(copyable, this.screen.columns) : [];
    const rows = this.screen.rows - below.length;
    if (drawing.rows > rows) return undefined;
    const blocks = [{ lines: this.#steps(), rank: 3 }, this.#statusBlock()];
    const texts = this.#column(blocks, isWide ? [] : this.#labelled(copyable, columns), { columns, rows });
    const lines = Array.from({ length: Math.max(drawing.rows, texts.length) }, (_, row) => {
      const code = drawing.lines[row];
      const text = texts[row] ?? '';
      return text === '' ? (code ?? '') : (code ?? ' '.repeat(drawing.columns)) + ' '.repeat(gap) + text;
    });
    const isApart = below.length > 0 && lines.length < rows;
    return [...lines, ...(isApart ? [''] : []), ...below];
  }

  /**
   * The code on the left, as much text as there are rows left above and below it. What is above it depends on
   * the rows alone, so that the code stays where it is.
   */
  #around(drawing: Drawing, copyable: readonly CopyableText[]): readonly string[] | undefined {
    const { columns } = this.screen;
    const rows = this.screen.rows - drawing.rows;
    const isLow = rows < 4;
    const roomBelow = (head: readonly TextLine[]): number => (isLow ? 1 : rows - head.length - 2);
    const labelled = this.#labelled(copyable, columns);
    const usual = this.#headLines(rows);
    const head = labelled.length > roomBelow(usual) ? this.#headLines(0) : usual;
    const room = roomBelow(head);
    // An address says what it is by itself.
    const copied = labelled.length > room ? copyable.map(({ text }) => text) : labelled;
    if (copied.length > 0 && copied.length > room) return undefined;
    const wrapped = this.#wrapped(this.#messages, columns);
    const messages =
      wrapped.length + copied.length > room
        ? this.#cut(this.#messages.slice(0, room - copied.length), columns)
        : wrapped;
    const texts = [...messages, ...copied];
    // If there is no other row for what a key brought about, it stands in the place of the steps.
    const above = isLow && texts.length > 0 ? texts : this.#cut(head, columns);
    if (rows <= minTextRows) return [...above, ...drawing.lines, this.#statusAndKeys()];
    const keys = keyTexts(this.waiting).find((text) => text.length <= columns) ?? '';
    const status = this.#cut([this.#statusInOneLine(columns)], columns);
    const below = [...status, ...(isLow ? [] : texts), ...this.#cut([quiet(keys)], columns)];
    return [...above, ...drawing.lines, ...below];
  }

  /** Text alone. */
  #withoutCode(reasons: readonly TextBlock[]): readonly string[] {
    const { columns, rows } = this.screen;
    const room = { columns: Math.min(columns, maxTextColumns), rows };
    return this.#column([...reasons, this.#statusBlock()], this.#labelled(this.#copyable, columns), room);
  }

  /**
   * Text in a column. If it is too low for all of it, first the empty lines between blocks go, then what
   * can be dispensed with, then what can be said in fewer words. Status and keys stay to the last.
   * @param copied what is to be copied, in lines
   */
  #column(blocks: readonly TextBlock[], copied: readonly string[], room: Room): readonly string[] {
    const { columns, rows } = room;
    const { waiting } = this;
    const short = (lines: readonly TextLine[]): readonly string[] => this.#cut(lines, columns);
    const whole = (lines: readonly TextLine[]): readonly string[] => this.#wrapped(lines, columns);
    const all: readonly TextBlock<string>[] = [
      { lines: short([title(waiting)]) },
      { lines: whole(expectation(waiting)), isJoined: true },
      { lines: short(owners(waiting)), rank: 4, isJoined: true },
      ...blocks.map((block) => ({
        ...block,
        lines: whole(block.lines),
        brief: block.brief && whole(block.brief),
      })),
      { lines: [...whole(this.#messages), ...copied], brief: [...short(this.#messages), ...copied] },
      {
        lines: short(flow(this.render.ruler, keyLabels(waiting), columns, keyGap).map(quiet)),
        brief: short([quiet(keysSummary(waiting))]),
      },
    ];
    const upTo = (maxRank: number) => all.filter(({ rank = 0 }) => rank <= maxRank);
    const attempts = [
      spaced(all),
      ...[4, 3, 2, 1].map((maxRank) => upTo(maxRank).flatMap(({ lines }) => lines)),
      ...[1, 0].map((maxRank) => upTo(maxRank).flatMap(({ lines, brief = lines }) => brief)),
    ];
    const fitting = attempts.find((lines) => lines.length <= rows);
    if (fitting) return fitting;
    const [, ...left] = attempts.at(-1) ?? [];
    return [...left.slice(0, Math.max(rows - 1, 0)), ...left.slice(-1)].slice(0, rows);
  }

  /** Returns the lines above a code that leaves so many rows. */
  #headLines(rows: number): readonly TextLine[] {
    const { text, tone } = title(this.waiting);
    if (rows <= 4) {
      const name = cut(this.render.ruler, text, maxNameColumns, '...');
      const [who] = expectation(this.waiting);
      // Which phone it has to be counts for more than where to tap.
      return [{ text: who ? `${name} ${who.text}: ${stepsSummary}` : `${name}: ${stepsSummary}`, tone }];
    }
    const whose = owners(this.waiting).map((owner) => owner.text);
    const [who] = expectation(this.waiting);
    const named = { text: [who ? `${text} ${who.text}` : text, ...whose].join(', '), tone };
    const isLow = rows < 4 + steps.length;
    return [named, ...(isLow ? [{ text: `On the phone: ${stepsSummary}` }] : this.#steps())];
  }

  #steps(): readonly TextLine[] {
    return steps.map((text) => ({ text, tone: this.#isDimmed ? 'quiet' : undefined }));
  }

  /** True if what changes in the status is its end: the countdown to the next code. */
  get #countsDown(): boolean {
    return this.waiting.event?.kind === 'code' && !this.#isDimmed;
  }

  #statusBlock(): TextBlock {
    const lines = statusLines(this.waiting);
    return { lines, brief: this.#countsDown ? lines.slice(-1) : lines.slice(0, 1) };
  }

  /** Returns as much of the status as goes into one line: its beginning, or its end if that is what changes. */
  #statusInOneLine(columns: number): TextLine {
    const lines = statusLines(this.waiting);
    const attempts = lines.map((_, left) => {
      const kept = this.#countsDown ? lines.slice(left) : lines.slice(0, lines.length - left);
      return { ...kept[0], text: kept.map(({ text }) => text).join(' ') };
    });
    const fitting = attempts.find(({ text }) => this.render.ruler.width(text) <= columns);
    return fitting ?? attempts.at(-1) ?? { text: '' };
  }

  /** The only line below a code: the status, and the keys in as many words as there is room for. */
  #statusAndKeys(): string {
    const { ruler, paint } = this.render;
    const attempt = (keys: string) => {
      const room = this.screen.columns - keys.length - keyGap.length;
      return { keys, room, status: this.#statusInOneLine(room) };
    };
    const keysAlone = [...this.waiting.keys.keys()].join(' ');
    const fitting = [...keyTexts(this.waiting), keysAlone]
      .map(attempt)
      .find(({ status, room }) => ruler.width(status.text) <= room);
    const { keys, room, status } = fitting ?? attempt(keysAlone);
    const text = fitting ? status.text : (status.brief ?? status.text);
    return this.#cut([{ ...status, text }], room).join('') + keyGap + paint.tone('quiet', keys);
  }

  /** Returns what is said instead of a code that has no room, or can't be drawn: first what helps at once. */
  #noCodeBlocks(matrix: Matrix | undefined): readonly TextBlock[] {
    const { keys } = this.waiting;
    const needed = matrix && this.#minWindow(matrix, this.render.renderers);
    const isOther = needed !== undefined && keys.has('s');
    const joined = (rank: number, text: string): TextBlock => ({ lines: [{ text }], rank, isJoined: true });
    const hint = fallbackHint(this.waiting, { isReadable: matrix !== undefined, isOther });
    const blocks = (text: string, ...advice: readonly TextBlock[]): readonly TextBlock[] => [
      { lines: [{ text, tone: isOther ? 'heading' : 'bad' }], rank: 1 },
      // With an address or a path only the steps on the phone are left to be told.
      ...(this.#copyable.length > 0
        ? [...advice, { lines: this.#steps(), rank: 3 }]
        : [joined(2, hint), ...advice]),
    ];
    if (!matrix) return blocks('The code is too long to draw.');
    if (needed === undefined)
      return blocks("The code can't be drawn: this terminal shows neither colours nor UTF-8.");
    const has = sizeInWords(this.screen);
    if (isOther) {
      const size = `Or enlarge the window: it has ${has}, and ${needed} will do.`;
      return blocks('Press s for a smaller drawing of the code: it fits here.', joined(3, size));
    }
    const least = this.#minWindow(matrix, this.render.allRenderers);
    const smaller =
      least === undefined || least === needed ? '' : `, or of ${least} for its smallest drawing`;
    return blocks(
      `The code needs a window of ${needed}${smaller}; this one has ${has}.`,
      joined(3, 'Enlarge the window, or make its letters smaller.'),
    );
  }

  #minWindow(matrix: Matrix, renderers: readonly QrRenderer[]): string | undefined {
    const room = minRoom(matrix, renderers);
    return room && sizeInWords(windowFor(room, this.screen));
  }

  /** Returns what is to be copied with its label, in one line or one above the other. What is too wide is left out. */
  #labelled(copyable: readonly CopyableText[], columns: number): readonly string[] {
    const { ruler } = this.render;
    return copyable.flatMap(({ label, text }) => {
      const line = `${label} ${text}`;
      if (ruler.width(line) <= columns) return [line];
      return ruler.width(text) <= columns ? [...wrap(ruler, label, columns), text] : [];
    });
  }

  #wrapped(lines: readonly TextLine[], columns: number): readonly string[] {
    const { ruler } = this.render;
    return lines.flatMap((line) => wrap(ruler, line.text, columns).map((text) => this.#painted(line, text)));
  }

  #cut(lines: readonly TextLine[], columns: number): readonly string[] {
    return lines.map((line) => this.#painted(line, cut(this.render.ruler, line.text, columns, '...')));
  }

  #painted({ tone }: TextLine, text: string): string {
    const { paint } = this.render;
    if (tone === 'heading') return this.#isDimmed ? paint.tone('quiet', text) : paint.heading(text);
    return paint.tone(tone, text);
  }
}

function sizeInWords({ columns, rows }: Room): string {
  return `${columns} x ${rows}`;
}

function quiet(text: string): TextLine {
  return { text, tone: 'quiet' };
}

function keyLabels({ keys }: Waiting): readonly string[] {
  return [...keys].map(([key, label]) => `${key} ${label}`);
}

function keysSummary({ keys }: Waiting): string {
  return `Keys: ${[...keys.keys()].join(' ')}`;
}

/** The keys in one line, in more words and in fewer. */
function keyTexts(waiting: Waiting): readonly string[] {
  return [keyLabels(waiting).join(keyGap), keysSummary(waiting)];
}

/** Puts an empty line between blocks that don't belong together. */
function spaced(blocks: readonly TextBlock<string>[]): readonly string[] {
  return blocks
    .filter(({ lines }) => lines.length > 0)
    .flatMap(({ lines, isJoined }, index) => (index === 0 || isJoined ? lines : ['', ...lines]));
}
