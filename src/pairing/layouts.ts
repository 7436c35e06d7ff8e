import { gap, textRows } from '../qr/draw.ts';
import type { Room } from '../qr/styles.ts';
import type { Paint, Tone } from '../terminal/colour.ts';
import { cut, flow, type Ruler, wrap } from '../terminal/width.ts';
import type { PlacedCode } from './code-drawing.ts';
import { steps, stepsSummary } from './words.ts';

/** A line of text, with its colour by meaning. */
export interface TextLine {
  readonly text: string;
  readonly tone?: Tone | 'heading' | undefined;
}

/** An address, a path or a command for copying, which is never broken. */
export interface Entry {
  /** Its description: `The page:`. */
  readonly label: string;
  readonly text: string;
  /** True if it is omitted first when there isn't room for everything. */
  readonly isOptional?: boolean;
}

/** The sanitised text of the pairing screen. */
export interface ScreenText {
  readonly title: string;
  /** The expected number: `for +5511912345678`. */
  readonly expected: string | undefined;
  readonly owners: readonly string[];
  /** Why an existing code is not drawn; empty if it is drawn, or there is none. */
  readonly notDrawn: readonly TextLine[];
  /** The state of the pairing in sentences, the most important one first. */
  readonly status: readonly TextLine[];
  /** The response to the last key, or a remark. */
  readonly message: TextLine | undefined;
  readonly entries: readonly Entry[];
  /** The current keys with their effects, in display order. */
  readonly keys: ReadonlyMap<string, string>;
}

/** The tools for drawing text. */
export interface TextTools {
  readonly ruler: Ruler;
  readonly paint: Paint;
}

/** Longer lines are tiring to read. */
const maxTextColumns = 60;

const keyGap = '  ';

/** Returns entries in lines as wide as the screen. A wider entry is replaced by the width that it needs. */
export function entryLines(entries: readonly Entry[], columns: number, ruler: Ruler): readonly string[] {
  return entries.flatMap(({ label, text }) => {
    const line = `${label} ${text}`;
    if (ruler.width(line) <= columns) return [line];
    if (ruler.width(text) <= columns) return [...wrap(ruler, label, columns), text];
    return wrap(ruler, `${label} it needs a window ${ruler.width(text)} columns wide.`, columns);
  });
}

/**
 * Lays out the screen in one of three ways: text beside the code, text above and below it, or the code with one line of
 * text. Without a code there is only text. Text never shares rows or columns with the code, and only
 * the entries, which have the last rows, can move it.
 */
export function layOut(
  text: ScreenText,
  placed: PlacedCode | undefined,
  screen: Room,
  tools: TextTools,
): readonly string[] {
  const below = entryLines(text.entries, screen.columns, tools.ruler);
  const room = { ...screen, rows: screen.rows - below.length };
  const layouts = new Layouts(text, room, tools);
  if (placed) return [...layouts[placed.layout](placed.drawing), ...below];
  return [...layouts.withoutCode(), ...below].slice(0, screen.rows);
}

/** The properties of a drawn code that the layout needs. */
interface DrawnCode extends Room {
  readonly lines: readonly string[];
}

/** Lines that are kept together; the sections with the highest rank are omitted first if there isn't room for all. */
interface Section {
  readonly lines: readonly TextLine[];
  readonly rank: 0 | 1 | 2 | 3;
  /** True if no empty line precedes it. */
  readonly isJoined?: boolean;
}

class Layouts {
  constructor(
    readonly text: ScreenText,
    readonly room: Room,
    readonly tools: TextTools,
  ) {}

  /** Places the code on the left and the text on its right. */
  beside(code: DrawnCode): readonly string[] {
    const columns = Math.min(this.room.columns - code.columns - gap, maxTextColumns);
    const texts = this.#column([this.#steps()], { columns, rows: this.room.rows });
    return Array.from({ length: Math.max(code.rows, texts.length) }, (_, row) => {
      const drawn = code.lines[row] ?? ' '.repeat(code.columns);
      return texts[row] ? drawn + ' '.repeat(gap) + texts[row] : (code.lines[row] ?? '');
    });
  }

  /** Places two rows of text above the code, and the rest below it. */
  around(code: DrawnCode): readonly string[] {
    const { message } = this.text;
    const spare = this.room.rows - code.rows - textRows;
    const summary = spare === 0 && message ? message : { text: stepsSummary };
    const messages = message ? this.#wrapped([message], this.room.columns).slice(0, spare) : [];
    const status = this.#oneLine(this.text.status, this.room.columns);
    return [this.#title(), this.#cut(summary), ...code.lines, status, ...messages, this.#keys()];
  }

  /** Places the code with up to three rows of text. */
  alone(code: DrawnCode): readonly string[] {
    const { status, message, keys } = this.text;
    const left = this.room.rows - code.rows;
    const isUrgent = status.some(({ tone }) => tone === 'bad');
    const told = message && !isUrgent ? [message] : status;
    if (left > 1) {
      const above = left > 2 ? [this.#title()] : [];
      return [...above, ...code.lines, this.#oneLine(told, this.room.columns), this.#keys()];
    }
    const letters = [...keys.keys()].join(' ');
    const columns = this.room.columns - letters.length - keyGap.length;
    return [
      ...code.lines,
      this.#oneLine(told, columns) + keyGap + this.#painted({ text: letters, tone: 'quiet' }),
    ];
  }

  /** Shows text only. A user who has opened the page needs its steps. */
  withoutCode(): readonly string[] {
    const { columns, rows } = this.room;
    const { notDrawn, entries } = this.text;
    const why: Section = { lines: notDrawn, rank: 0 };
    const sections = notDrawn.length > 0 && entries.length > 0 ? [why, this.#steps()] : [why];
    return this.#column(sections, { columns: Math.min(columns, maxTextColumns), rows });
  }

  #steps(): Section {
    return { lines: steps.map((text) => ({ text })), rank: 2 };
  }

  /** Arranges text in a column. If it is too low for all of it, empty lines are omitted first, then optional sections. */
  #column(middle: readonly Section[], { columns, rows }: Room): readonly string[] {
    const { title, expected, owners, status, message, keys } = this.text;
    const { ruler } = this.tools;
    const labels = [...keys].map(([key, label]) => `${key} ${label}`);
    const quiet = (text: string): TextLine => ({ text, tone: 'quiet' });
    const heading: TextLine = { text: cut(ruler, title, columns, '...'), tone: 'heading' };
    const sections: readonly Section[] = [
      { lines: [heading], rank: 0 },
      { lines: expected === undefined ? [] : [{ text: expected }], rank: 0, isJoined: true },
      {
        lines: owners.map((owner) => ({ text: cut(ruler, owner, columns, '...') })),
        rank: 3,
        isJoined: true,
      },
      ...middle,
      { lines: status.slice(0, 1), rank: 0 },
      { lines: status.slice(1), rank: 1, isJoined: true },
      { lines: message ? [message] : [], rank: 0 },
      { lines: flow(ruler, labels, columns, keyGap).map(quiet), rank: 0 },
    ];
    const wrapped = sections
      .filter(({ lines }) => lines.length > 0)
      .map((section) => ({ ...section, lines: this.#wrapped(section.lines, columns) }));
    const attempts = [
      wrapped.flatMap(({ lines, isJoined }, at) => (at === 0 || isJoined ? lines : ['', ...lines])),
      ...[3, 2, 1, 0].map((most) => wrapped.filter(({ rank }) => rank <= most).flatMap(({ lines }) => lines)),
    ];
    const fitting = attempts.find((lines) => lines.length <= rows);
    const last = attempts.at(-1) ?? [];
    // The keys are kept to the last.
    return (
      fitting ?? [...last.slice(0, Math.max(rows - 1, 0)), ...last.slice(-1)].slice(0, Math.max(rows, 0))
    );
  }

  #title(): string {
    const { title, expected, owners } = this.text;
    const named = expected === undefined ? title : `${title} ${expected}`;
    return this.#cut({ text: [named, ...owners].join(', '), tone: 'heading' });
  }

  #keys(): string {
    const { keys } = this.text;
    const labels = [...keys].map(([key, label]) => `${key} ${label}`).join(keyGap);
    const text = labels.length <= this.room.columns ? labels : `Keys: ${[...keys.keys()].join(' ')}`;
    return this.#cut({ text, tone: 'quiet' });
  }

  /** Returns as many of the sentences as fit into one line. */
  #oneLine(sentences: readonly TextLine[], columns: number): string {
    const { ruler } = this.tools;
    const joined = sentences.map((_, at) =>
      sentences
        .slice(0, at + 1)
        .map(({ text }) => text)
        .join(' '),
    );
    const text = joined.findLast((line) => ruler.width(line) <= columns) ?? joined[0] ?? '';
    return this.#cut({ ...sentences[0], text }, columns);
  }

  #wrapped(lines: readonly TextLine[], columns: number): readonly string[] {
    return lines.flatMap((line) =>
      wrap(this.tools.ruler, line.text, columns).map((text) => this.#painted({ ...line, text })),
    );
  }

  #cut(line: TextLine, columns = this.room.columns): string {
    return this.#painted({ ...line, text: cut(this.tools.ruler, line.text, columns, '...') });
  }

  #painted({ text, tone }: TextLine): string {
    const { paint } = this.tools;
    return tone === 'heading' ? paint.heading(text) : paint.tone(tone, text);
  }
}
