import { isoTime, parseTime } from '../lib/time.ts';
import type { Tone } from '../terminal/colour.ts';
import { sanitise, sanitiseLines } from '../terminal/sanitise.ts';
import { type Ruler, rulerFor, wrap } from '../terminal/width.ts';
import type { Field, Fields, Row } from './fields.ts';
import { objectText } from './json.ts';
import type { RenderContext } from './options.ts';
import { displayValue } from './show-value.ts';
import { hasMembers, headingOf, isEmpty, nameInWords, valueAt } from './values.ts';

/** A label and its value, which may be several lines long. */
interface Entry {
  readonly label: string;
  readonly text: string;
  readonly tone: Tone | undefined;
  /** True for an id, an address or a command: it is never broken, so that it can be copied. */
  readonly whole: boolean;
}

/** A part of a card with its own heading: a nested object has one block, a list has one for each element. */
interface Section {
  readonly heading: string;
  readonly blocks: readonly (readonly Entry[])[];
}

/** Below this width a value goes under its label instead of beside it. */
const minValueWidth = 16;
const gap = '  ';

/** A text that takes more lines than this beside its label gets the whole width, below a heading. */
const maxLines = 4;

/**
 * Draws one object in two columns, label and value. Long texts, nested objects and lists follow as sections; empty ones
 * are left out. Values are wrapped to the terminal, never cut.
 *
 * @param named true if the fields were requested by name: then empty ones are shown too
 */
export async function drawCard(
  row: Row,
  fields: Fields,
  context: RenderContext,
  named: boolean,
): Promise<string> {
  const main: Entry[] = [];
  const sections = new Map<string, Section>();
  for (const field of fields.flatMap((one) => withName(one, row))) {
    const value = valueAt(row, field.name);
    const section = sectionOf(field, value, row, context);
    if (section) addSection(sections, section);
    else if (
      named ||
      !(isEmptyContainer(value) || (field.detail && isEmpty(value)) || isRepeated(field, row))
    )
      main.push(makeEntry(field, headingOf(field), value, row, context));
  }
  const parts = [...sections.values()];
  const ruler = await rulerFor(textsOf(main, parts));
  const drawer = new CardDrawer(ruler, context, labelWidth(ruler, main, parts));
  const [short, long] = drawer.split(main);
  const texts = long.map((one) => ({ heading: one.label, blocks: [[{ ...one, label: '' }]] }));
  const drawn = [drawer.block(short, ''), ...[...texts, ...parts].map((section) => drawer.section(section))];
  return drawn.filter((part) => part !== '').join('\n');
}

/**
 * Returns the fields to show for a field. For an id these are the name that a table shows instead, and the id itself.
 */
function withName(field: Field, row: Row): readonly Field[] {
  const { shownAs, ...id } = field;
  if (shownAs === undefined || isEmpty(valueAt(row, shownAs))) return [id];
  return [
    { name: shownAs, heading: headingOf(field) },
    { ...id, heading: id.name },
  ];
}

/** True if another field of the card shows the same value. */
function isRepeated({ name, sameAs }: Field, row: Row): boolean {
  return sameAs !== undefined && valueAt(row, name) === valueAt(row, sameAs);
}

/** True for a list or an object without members. */
function isEmptyContainer(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : hasMembers(value) && Object.keys(value).length === 0;
}

/** Adds a section. Members of one object that were declared one by one share a block. */
function addSection(sections: Map<string, Section>, { heading, blocks }: Section): void {
  const there = sections.get(heading)?.blocks ?? [];
  const joined = [...(there.at(-1) ?? []), ...(blocks[0] ?? [])];
  sections.set(heading, { heading, blocks: [...there.slice(0, -1), joined, ...blocks.slice(1)] });
}

/** Returns the section that a value opens or belongs to; undefined for a plain value. */
function sectionOf(field: Field, value: unknown, row: Row, context: RenderContext): Section | undefined {
  if (Array.isArray(value) && value.length > 0) {
    const blocks = value.map((one: unknown) => entriesOf(one, context));
    const together = blocks.every((block) => block.length === 1 && block[0]?.label === '');
    return { heading: `${headingOf(field)} (${value.length})`, blocks: together ? [blocks.flat()] : blocks };
  }
  if (hasMembers(value) && !isEmptyContainer(value)) {
    return { heading: headingOf(field), blocks: [entriesOf(value, context)] };
  }
  const [outer, inner] = splitPath(field.name);
  if (inner === undefined || isEmpty(value) || isEmptyContainer(value)) return undefined;
  const label = nameInWords(field.heading ?? inner);
  return { heading: nameInWords(outer), blocks: [[makeEntry(field, label, value, row, context)]] };
}

function splitPath(name: string): readonly [outer: string, inner: string | undefined] {
  const at = name.indexOf('.');
  return at < 0 ? [name, undefined] : [name.slice(0, at), name.slice(at + 1)];
}

function entriesOf(value: unknown, context: RenderContext): readonly Entry[] {
  if (!hasMembers(value)) return [makeEntry({ name: '' }, '', value, {}, context)];
  return Object.entries(value)
    .filter(([, inner]) => !isEmptyContainer(inner))
    .map(([name, inner]) => makeEntry({ name }, context.redact(nameInWords(name)), inner, value, context));
}

/** A text that is copied whole: an id, an address, a path. Longer texts are not ids or paths. */
const copyableText = /^[!-~]{1,200}$/;

function makeEntry(field: Field, label: string, value: unknown, row: Row, context: RenderContext): Entry {
  if (isEmptyContainer(value)) return { label, text: 'none', tone: 'quiet', whole: false };
  if (typeof value === 'string' && value.includes('\n')) {
    const text = context.redact(sanitiseLines(value).trimEnd());
    return { label, text, tone: field.tone?.(value, { now: context.now, row }), whole: false };
  }
  const members = membersOf(value);
  if (members) return { label, text: context.redact(members.join('\n')), tone: undefined, whole: false };
  const { text, tone } = displayValue(field, value, row, context);
  const moment = field.kind === 'time' ? parseTime(value) : undefined;
  const whole = field.kind === 'command' || copyableText.test(text);
  return { label, text: moment === undefined ? text : `${text} (${isoTime(moment)})`, tone, whole };
}

/**
 * Returns the lines of an object inside a section, one per member, or those of a list of objects, one per object.
 * Returns undefined for any other value.
 */
function membersOf(value: unknown): readonly string[] | undefined {
  if (hasMembers(value)) return Object.entries(value).map(memberText);
  if (!Array.isArray(value) || !value.every(hasMembers)) return undefined;
  return value.map((one) => Object.entries(one).map(memberText).join(', '));
}

function memberText([name, value]: readonly [name: string, value: unknown]): string {
  const text = typeof value === 'object' && value !== null ? objectText(value) : String(value ?? '');
  return sanitise(`${name}: ${text}`);
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
    readonly context: RenderContext,
    readonly labels: number,
  ) {
    this.#stacked = this.#beside < minValueWidth;
  }

  /** Columns for a value beside its label. */
  get #beside(): number {
    return this.context.columns - this.labels - gap.length;
  }

  /** Separates values that read well beside their labels from long texts. */
  split(entries: readonly Entry[]): readonly [short: readonly Entry[], long: readonly Entry[]] {
    const isLong = ({ text, whole }: Entry): boolean =>
      !whole && !this.#stacked && (text.split('\n').length > maxLines || !this.#fitsLines(text));
    return [entries.filter((one) => !isLong(one)), entries.filter(isLong)];
  }

  #fitsLines(text: string): boolean {
    const line = text.replaceAll('\n', ' ');
    return this.ruler.fit(line, this.#beside * maxLines).length === line.length;
  }

  section({ heading, blocks }: Section): string {
    const title = this.ruler.fit(heading, this.context.columns);
    return `${this.context.paint.heading(title)}\n${blocks.map((block) => this.block(block, gap)).join('\n')}`;
  }

  block(entries: readonly Entry[], indent: string): string {
    return entries.map((one) => this.#entry(one, indent)).join('');
  }

  #entry({ label, text, tone, whole }: Entry, indent: string): string {
    const { ruler, context } = this;
    const isBelow = this.#stacked || (whole && ruler.width(text) > this.#beside);
    const offset = label === '' ? indent : isBelow ? indent + gap : ' '.repeat(this.labels + gap.length);
    // A value that is wider than the terminal is wrapped by the terminal, so that it is still copied as one.
    const parts = whole ? [text] : wrap(ruler, text, Math.max(context.columns - offset.length, 1));
    const lines = parts.map((line) => (line === '' ? '' : offset + context.paint.tone(tone, line)));
    if (label === '') return `${lines.join('\n')}\n`;
    const name = ruler.fit(label, context.columns - indent.length);
    const head = indent + context.paint.tone('quiet', name);
    if (isBelow) return `${[head, ...lines].join('\n')}\n`;
    // The first line goes beside its label, in the space of the indentation.
    const taken = indent.length + ruler.width(name);
    const [first = '', ...others] = lines;
    return `${[head + first.slice(taken), ...others].join('\n')}\n`;
  }
}
