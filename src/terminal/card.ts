import type { Row } from '../command.ts';
import type { Field, Fields, Tone } from './fields.ts';
import { sanitise, sanitiseLines } from './sanitise.ts';
import { type Canvas, show } from './shown.ts';
import { isoTime, parseTime } from './time.ts';
import { headingOf, isEmpty, isObject, valueAt, words } from './values.ts';
import { type Ruler, rulerFor, wrap } from './width.ts';

/** A label and its value, which may be several lines long. */
interface Entry {
  readonly label: string;
  readonly text: string;
  readonly tone: Tone | undefined;
}

/** A part of a card with a heading of its own: a nested object has one block, a list one for each thing. */
interface Section {
  readonly heading: string;
  readonly blocks: readonly (readonly Entry[])[];
}

/** Below this a value stands under its label rather than beside it. */
const leastValueWidth = 16;
const gap = '  ';

/**
 * Draws one thing in two columns, label and value. Nested objects and lists follow as sections. Values
 * are wrapped to the terminal, never cut.
 *
 * @param named whether the fields were asked for by name: then empty ones are shown too
 */
export async function drawCard(row: Row, fields: Fields, canvas: Canvas, named: boolean): Promise<string> {
  const main: Entry[] = [];
  const sections = new Map<string, Section>();
  for (const field of fields) {
    const value = valueAt(row, field.name);
    const section = sectionOf(field, value, canvas);
    if (section) addTo(sections, section);
    else if (named || !field.detail || !isEmpty(value))
      main.push(entry(field, headingOf(field), value, canvas));
  }
  const parts = [...sections.values()];
  const ruler = await rulerFor(textsOf(main, parts));
  const drawer = new CardDrawer(ruler, canvas, labelWidth(ruler, main, parts));
  const drawn = [drawer.block(main, ''), ...parts.map((section) => drawer.section(section))];
  return drawn.filter((part) => part !== '').join('\n');
}

/** Members of one object that were declared one by one share a block. */
function addTo(sections: Map<string, Section>, { heading, blocks }: Section): void {
  const there = sections.get(heading)?.blocks ?? [];
  const joined = [...(there.at(-1) ?? []), ...(blocks[0] ?? [])];
  sections.set(heading, { heading, blocks: [...there.slice(0, -1), joined, ...blocks.slice(1)] });
}

/** The section that a value opens or belongs to; undefined where it is a plain value. */
function sectionOf(field: Field, value: unknown, canvas: Canvas): Section | undefined {
  if (Array.isArray(value) && value.length > 0) {
    const blocks = value.map((one: unknown) => entriesOf(one, canvas));
    const together = blocks.every((block) => block.length === 1 && block[0]?.label === '');
    return { heading: `${headingOf(field)} (${value.length})`, blocks: together ? [blocks.flat()] : blocks };
  }
  if (isObject(value) && Object.keys(value).length > 0) {
    return { heading: headingOf(field), blocks: [entriesOf(value, canvas)] };
  }
  const [outer, inner] = splitPath(field.name);
  if (inner === undefined || isEmpty(value)) return undefined;
  return { heading: words(outer), blocks: [[entry(field, words(field.heading ?? inner), value, canvas)]] };
}

function splitPath(name: string): readonly [outer: string, inner: string | undefined] {
  const at = name.indexOf('.');
  return at < 0 ? [name, undefined] : [name.slice(0, at), name.slice(at + 1)];
}

function entriesOf(value: unknown, canvas: Canvas): readonly Entry[] {
  if (!isObject(value)) return [entry({ name: '' }, '', value, canvas)];
  return Object.entries(value).map(([name, inner]) => entry({ name }, sanitise(words(name)), inner, canvas));
}

function entry(field: Field, label: string, value: unknown, canvas: Canvas): Entry {
  if (isObject(value) && Object.keys(value).length === 0) return { label, text: 'none', tone: 'quiet' };
  if (Array.isArray(value) && value.length === 0) return { label, text: 'none', tone: 'quiet' };
  if (typeof value === 'string' && value.includes('\n')) {
    return { label, text: sanitiseLines(value).trimEnd(), tone: field.tone?.(value) };
  }
  const { text, tone } = show(field, value, canvas);
  const moment = field.kind === 'time' ? parseTime(value) : undefined;
  return { label, text: moment === undefined ? text : `${text} (${isoTime(moment)})`, tone };
}

function* textsOf(main: readonly Entry[], sections: readonly Section[]): Generator<string> {
  for (const { label, text } of [...main, ...sections.flatMap(({ blocks }) => blocks.flat())]) {
    yield label;
    yield text.replaceAll('\n', ' ');
  }
}

function labelWidth(ruler: Ruler, main: readonly Entry[], sections: readonly Section[]): number {
  const widest = (entries: readonly Entry[]): number =>
    entries.reduce((most, { label }) => Math.max(most, ruler.width(label)), 0);
  return Math.max(
    widest(main),
    ...sections.flatMap(({ blocks }) => blocks.map(widest)).map((width) => width + gap.length),
  );
}

class CardDrawer {
  readonly #stacked: boolean;

  constructor(
    readonly ruler: Ruler,
    readonly canvas: Canvas,
    readonly labels: number,
  ) {
    this.#stacked = canvas.columns - labels - gap.length < leastValueWidth;
  }

  section({ heading, blocks }: Section): string {
    const title = this.ruler.fit(heading, this.canvas.columns);
    return `${this.canvas.paint.heading(title)}\n${blocks.map((block) => this.block(block, gap)).join('\n')}`;
  }

  block(entries: readonly Entry[], indent: string): string {
    return entries.map((one) => this.#entry(one, indent)).join('');
  }

  #entry({ label, text, tone }: Entry, indent: string): string {
    const { ruler, canvas } = this;
    const offset =
      label === '' ? indent : this.#stacked ? indent + gap : ' '.repeat(this.labels + gap.length);
    const lines = wrap(ruler, text, Math.max(canvas.columns - offset.length, 1)).map((line) =>
      line === '' ? '' : offset + canvas.paint.tone(tone, line),
    );
    if (label === '') return `${lines.join('\n')}\n`;
    const name = ruler.fit(label, canvas.columns - indent.length);
    const head = indent + canvas.paint.tone('quiet', name);
    if (this.#stacked) return `${[head, ...lines].join('\n')}\n`;
    // The first line stands beside its label, in the space that the others are indented by.
    const taken = indent.length + ruler.width(name);
    const [first = '', ...others] = lines;
    return `${[head + first.slice(taken), ...others].join('\n')}\n`;
  }
}
