import Table from 'cli-table3';
import { cut, cutStart, isNarrow, type Ruler, rulerFor } from '../terminal/width.ts';
import { type ColumnWish, divideWidth, gap, minNeededImportance, widen } from './column-widths.ts';
import type { Field, FieldKind, Fields, Row } from './fields.ts';
import type { RenderContext } from './options.ts';
import { type DisplayValue, displayValue } from './show-value.ts';
import { headingOf, shownValue } from './values.ts';

/** The least width of a column, by kind: half a number or half a date would mislead, half an id is none. */
const minWidths: Partial<Record<FieldKind, number>> = { text: 10, command: 10, state: 8 };

/** A longer text is not treated as an id, even if its column is called so. */
const maxIdLength = 64;

/** The width of a text that is enough to tell it from others. */
const enoughText = 32;

/** They stand on the right, and half of one would be another one. */
const numberKinds: ReadonlySet<FieldKind | undefined> = new Set(['number', 'bytes', 'seconds']);

/**
 * Draws rows as a table without borders, chunk by chunk, the heading before the first one. Which columns there are
 * depends on the width of the terminal alone, so that they are the same each time; columns that were picked by name are
 * as many as the rows leave room for. The first chunk decides how wide they are; later ones may only widen them.
 *
 * @param isPicked whether the fields were asked for by name
 * @param onOmitted is told the fields for whose columns there is no room, before the first chunk
 */
export async function* drawTable(
  chunks: AsyncIterable<readonly Row[]>,
  fields: Fields,
  context: RenderContext,
  onOmitted: (fields: Fields) => void = () => undefined,
  isPicked = false,
): AsyncGenerator<string> {
  let widths: readonly number[] | undefined;
  const headings = fields.map((field) => headingOf(field).toUpperCase());
  const places = isPicked ? fields.map(() => true) : visibleColumns(fields, headings, context.columns);
  for await (const rows of chunks) {
    if (rows.length === 0) continue;
    const cells = rows.map((row) =>
      fields.map((field) => displayValue(field, shownValue(field, row), row, context)),
    );
    const ruler = await rulerFor(textsOf(headings, cells));
    const wishes = fields.map((field, index) =>
      columnWish(
        ruler,
        field,
        [headings[index] ?? '', ...column(cells, index)],
        // Of columns that have their places none gives way to another; which shrinks first stays as it was.
        isPicked ? (field.importance ?? 5) : minNeededImportance + (field.importance ?? 5) / 10,
        context,
      ),
    );
    const isFirst = widths === undefined;
    widths = widths
      ? widen(widths, wishes, context.columns)
      : divideWidth(wishes, context.columns, (_, index) => places[index] ?? false);
    const shown = widths;
    if (isFirst) onOmitted(fields.filter((_, index) => shown[index] === 0));
    const layout = new Layout(ruler, fields, widths, context);
    if (isFirst)
      layout.add(
        headings.map((text) => ({ text, tone: undefined })),
        context.paint.heading,
      );
    for (const line of cells) layout.add(line);
    yield layout.draw();
  }
}

function* textsOf(
  headings: readonly string[],
  cells: readonly (readonly DisplayValue[])[],
): Generator<string> {
  yield* headings;
  for (const line of cells) for (const { text } of line) yield text;
}

function column(cells: readonly (readonly DisplayValue[])[], index: number): readonly string[] {
  return cells.map((line) => line[index]?.text ?? '');
}

/** The widths that values usually take, by kind. A text of half its usual width still tells what it is. */
const usualWidths: Readonly<Record<FieldKind, number>> = {
  text: enoughText,
  command: enoughText,
  id: 36,
  time: 14,
  flag: 3,
  number: 7,
  bytes: 8,
  seconds: 8,
  clock: 16,
  phone: 15,
  state: 10,
};

/** True for each column that fits on a terminal of that width, independent of the rows. */
function visibleColumns(fields: Fields, headings: readonly string[], available: number): readonly boolean[] {
  const wishes = fields.map((field, index): ColumnWish => {
    const { usualWidth, importance = 5, namedBy } = field;
    const kind = kindOf(field);
    const natural = Math.max(usualWidth ?? usualWidths[kind], headings[index]?.length ?? 0);
    const canBeCut = usualWidth === undefined && (kind === 'text' || kind === 'command');
    const enough = canBeCut ? Math.max(natural / 2, headings[index]?.length ?? 0) : natural;
    const least = Math.min(enough, minWidths[kind] ?? enough);
    // An id is worth its width only where there is room beside the name.
    return { natural, enough, least, importance: namedBy ? 1 : importance, whole: kind === 'id' };
  });
  return divideWidth(wishes, available).map((width) => width > 0);
}

/** A name in the place of an id is text. */
function kindOf({ kind = 'text', shownAs }: Field): FieldKind {
  return shownAs === undefined ? kind : 'text';
}

function columnWish(
  ruler: Ruler,
  field: Field,
  texts: readonly string[],
  importance: number,
  { columns }: RenderContext,
): ColumnWish {
  const kind = kindOf(field);
  // No cell gets more columns than the terminal has, so measuring may stop there; an id is never cut.
  const most = kind === 'id' ? Math.max(columns, maxIdLength + 1) : columns;
  const widest = texts.reduce((width, text) => Math.max(width, ruler.width(ruler.fit(text, most))), 0);
  const whole = kind === 'id' && widest <= maxIdLength;
  const natural = whole ? widest : Math.min(widest, columns);
  const least = kind === 'id' && !whole ? minWidths.text : minWidths[kind];
  return {
    natural,
    enough: kind === 'text' ? Math.min(natural, enoughText) : natural,
    least: Math.min(natural, least ?? natural),
    importance,
    whole,
    uncut: numberKinds.has(kind),
  };
}

/** Stands for one column of text that cli-table3 would measure wrongly; sanitised text never holds it. */
const standIn = '\ue000';

/** No borders; the gap stands between columns. */
const noBorders = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '' },
  middle: ' '.repeat(gap),
};

/**
 * Lays cells out with cli-table3, each column as wide as it was given. cli-table3 has its own idea of how
 * wide a character is, and where that differs from `Ruler` (newer emoji, Thai, Devanagari) its columns
 * would not align: such a text is laid out as so many narrow characters, and put in their place afterwards.
 */
class Layout {
  readonly #table: Table.Table;
  readonly #wide: string[] = [];
  readonly #shown: readonly number[];

  constructor(
    readonly ruler: Ruler,
    readonly fields: Fields,
    readonly widths: readonly number[],
    readonly context: RenderContext,
  ) {
    this.#shown = widths.flatMap((width, index) => (width > 0 ? [index] : []));
    this.#table = new Table({
      chars: noBorders,
      style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
      colWidths: this.#shown.map((index) => widths[index] ?? 0),
      colAligns: this.#shown.map((index) => (numberKinds.has(fields[index]?.kind) ? 'right' : 'left')),
    });
  }

  add(cells: readonly DisplayValue[], paintAll?: (text: string) => string): void {
    const { ruler, widths, context } = this;
    const ellipsis = context.unicode ? '…' : '...';
    const line = this.#shown.map((index) => {
      const { text = '', tone } = cells[index] ?? {};
      const shorten = this.fields[index]?.keepsEnd ? cutStart : cut;
      const fitting = this.#narrow(shorten(ruler, text, widths[index] ?? 0, ellipsis));
      return paintAll ? paintAll(fitting) : context.paint.tone(tone, fitting);
    });
    this.#table.push(line);
  }

  #narrow(text: string): string {
    if (isNarrow(text)) return text;
    const columns = this.ruler.width(text);
    // Marks without a letter take no column: a space goes with them, so that something can stand for both.
    this.#wide.push(columns === 0 ? `${text} ` : text);
    return standIn.repeat(Math.max(columns, 1));
  }

  draw(): string {
    const wide = this.#wide.values();
    const lines = this.#table.toString().split('\n');
    return lines
      .map((line) => `${line.replace(standIns, () => wide.next().value ?? '').trimEnd()}\n`)
      .join('');
  }
}

const standIns = new RegExp(`${standIn}+`, 'gu');
