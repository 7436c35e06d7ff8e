import Table from 'cli-table3';
import { cut, cutStart, isNarrow, type Ruler, rulerFor } from '../terminal/width.ts';
import { type ColumnWish, divideWidth, gap, minNeededImportance, widen } from './column-widths.ts';
import type { Field, FieldKind, Fields, Row } from './fields.ts';
import type { RenderContext } from './options.ts';
import { type DisplayValue, displayValue } from './show-value.ts';
import { headingOf, shownValue } from './values.ts';

/**
 * The least width of a column, by kind. Other kinds are not narrowed: half a number or half a date would mislead, and
 * half an id is useless.
 */
const minWidths: Partial<Record<FieldKind, number>> = { text: 10, command: 10, state: 8 };

/** A longer text is not treated as an id, even in a column of ids. */
const maxIdLength = 64;

/** The width of a text that is enough to distinguish it from others. */
const enoughText = 32;

/** Kinds that are aligned to the right and not cut: a part of a number is another number. */
const numberKinds: ReadonlySet<FieldKind | undefined> = new Set(['number', 'bytes', 'seconds']);

/**
 * Draws rows as a table without borders, chunk by chunk, with the heading before the first one. The columns depend only
 * on the width of the terminal, so that they are the same each time; columns that were picked by name are shown as far
 * as the rows leave room. The first chunk decides their widths; later ones may only widen them.
 *
 * @param isPicked true if the fields were requested by name
 * @param onOmitted called with the fields whose columns have no room, before the first chunk
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
        // No column that has its place is left out for another, so all count as needed; they still shrink in the same
        // order.
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

/** The usual widths of values, by kind. A text at half its usual width is still recognisable. */
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

/** Returns, for each column, whether it fits on a terminal of that width, independent of the rows. */
function visibleColumns(fields: Fields, headings: readonly string[], available: number): readonly boolean[] {
  const wishes = fields.map((field, index): ColumnWish => {
    const { usualWidth, importance = 5, namedBy } = field;
    const kind = kindOf(field);
    const natural = Math.max(usualWidth ?? usualWidths[kind], headings[index]?.length ?? 0);
    const canBeCut = usualWidth === undefined && (kind === 'text' || kind === 'command');
    const enough = canBeCut ? Math.max(natural / 2, headings[index]?.length ?? 0) : natural;
    const least = Math.min(enough, minWidths[kind] ?? enough);
    // An id is worth its width only if there is room beside the name.
    return { natural, enough, least, importance: namedBy ? 1 : importance, whole: kind === 'id' };
  });
  return divideWidth(wishes, available).map((width) => width > 0);
}

/** Returns the kind of the displayed value: a name in the place of an id is text. */
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

/** Represents one column of text that cli-table3 would measure wrongly; sanitised text never contains it. */
const standIn = '\ue000';

/** No borders; the gap separates columns. */
const noBorders = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '' },
  middle: ' '.repeat(gap),
};

/**
 * Lays out cells with cli-table3, each column with its given width. cli-table3 measures some characters differently
 * from `Ruler` (newer emoji, Thai, Devanagari), and its columns would then not align: such a text is laid out as narrow
 * characters of the same total width, which are replaced by the text afterwards.
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
    // Marks without a letter take no column: a space is added, so that one character can represent both.
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
