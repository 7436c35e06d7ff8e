import { hash } from 'node:crypto';
import { CompactMap } from '../lib/compact-map.ts';
import { oneForm } from '../lib/number-forms.ts';
import { numberText } from '../lib/number-text.ts';
import { ValueError } from '../lib/parse.ts';
import { capitalised } from '../lib/text/capitalised.ts';
import { FirstFew } from '../lib/text/first-few.ts';
import { counted } from '../lib/text/numbers.ts';
import { oneLine } from '../lib/text/one-line.ts';
import { unsendableIn } from '../lib/text/unsendable.ts';
import type { CampaignRow, SkipReason } from './campaign.ts';
import type { RowNumber } from './list-numbers.ts';
import type { Recipient } from './recipients.ts';
import { type MessageTemplate, RenderProblem } from './render.ts';
import { RowProblems } from './row-problems.ts';
import { AlikeMessages } from './row-summary.ts';

/** What rows are made of. */
export interface DraftInput {
  /** True if that number, in any of its forms, is not to be written to. */
  readonly isOptedOut: (digits: string) => boolean;
  /** The columns of the campaign, which may have more than the list, in another order. */
  readonly columns: readonly string[];
  readonly toColumn: string;
  readonly keyColumn: string | undefined;
  /** Undefined where an image or the AI is all of a message. */
  readonly template: MessageTemplate | undefined;
  /** Whether a message may be without a text. */
  readonly mayBeEmpty: boolean;
  /** How many devices there are; rows go to them in turn. */
  readonly devices: number;
  /** Rows to plan at the most. What comes after the last of them is left out. */
  readonly limit: number | undefined;
  /** The rows that the campaign has already. */
  readonly earlier: readonly CampaignRow[];
}

/** What there is to say of a list whose rows were all made. */
export interface DraftNotes {
  /**
   * What is wrong with rows. They are skipped as invalid; what is added to a campaign has none of them, so that adding the
   * same list again adds nothing.
   */
  readonly problems: RowProblems;
  /** Rows that the campaign has already, by their number or key. */
  readonly known: number;
  /** Rows behind the last one that the limit allows. */
  readonly left: number;
  /** Numbers that are dialled otherwise than they are written, in words. */
  readonly dialled: FirstFew;
  /** Rows that are skipped, a sentence each. */
  readonly skips: FirstFew;
  /** Those of them that have nothing wrong. */
  readonly dropped: FirstFew;
  /** What to look at before anything is sent, in words. */
  readonly warnings: readonly string[];
  /** How many messages say the same. */
  readonly alike: number;
}

/** Makes the rows of a campaign of a list, one after the other. */
export interface Draft {
  /**
   * Returns the row of the next recipient, or undefined where it makes none: its campaign has it, or the limit is reached.
   * @param number as `listNumbers` reads it
   */
  take(recipient: Recipient, number: RowNumber): CampaignRow | undefined;
  /** Returns what there is to say of those that were taken. */
  notes(): DraftNotes;
}

/** Examples of lines that a warning names. */
const mostNamed = 5;

/** Rows and numbers that are told one by one. */
const mostTold = 10;

/** Begins to make the rows of a list. Nothing is read or written here. */
export function createDraft(input: DraftInput): Draft {
  const { limit = Number.POSITIVE_INFINITY, earlier } = input;
  const seen = new SeenRows(earlier);
  const problems = new RowProblems();
  const unlikely = new FirstFew(mostNamed);
  const [dialled, skips, dropped] = [new FirstFew(mostTold), new FirstFew(mostTold), new FirstFew(mostTold)];
  const empty = emptyCells(input);
  const alike = new AlikeMessages();
  let [rows, known, left] = [earlier.length, 0, 0];
  let planned = earlier.filter(({ state }) => state === 'planned').length;
  const most = planned + limit;
  const rowOf = (recipient: Recipient, number: RowNumber): CampaignRow | undefined => {
    const { line } = recipient;
    const base = { row: rows + 1, line, cells: cellsOf(recipient, input) };
    const made = contentOf(recipient, number, input);
    if ('wrong' in made) {
      problems.add({ line, says: made.wrong });
      if (earlier.length === 0) return { ...base, ...skipped('invalid', oneLine(made.wrong, 200)) };
      // It gets no number of its own.
      skips.add(`Line ${line} is skipped: ${oneLine(made.wrong, 200)}`);
      return undefined;
    }
    const before = seenBefore(seen, made);
    if (before?.isEarlier) {
      known += 1;
      return undefined;
    }
    const why = before?.skip ?? (input.isOptedOut(made.to) && skipped('opted_out', 'it opted out'));
    // What is skipped as a duplicate gets nothing, and takes nothing from another row.
    if (!before) seen.note(made, base.row, line);
    return { ...base, ...made, ...(why || { state: 'planned', device: planned % input.devices }) };
  };
  const tell = (row: CampaignRow, recipient: Recipient, number: RowNumber): void => {
    const { to = '', state, reason } = row;
    if (state === 'skipped') skips.add(skipWords(row));
    if (state === 'skipped' && reason !== 'invalid') dropped.add(skipWords(row));
    if (state !== 'planned') return;
    planned += 1;
    alike.add(row);
    empty.add(row);
    if (!(number instanceof ValueError || number.isKnown)) unlikely.add(placeOf(row, `+${to}`));
    const written = recipient.cells.get(input.toColumn) ?? '';
    if (!numberText(written).replace(/\D/g, '').endsWith(to))
      dialled.add(`${placeOf(row)}: ${oneLine(written, 30)} is +${to}`);
  };
  return {
    take(recipient, number) {
      if (planned >= most) {
        left += 1;
        return undefined;
      }
      const row = rowOf(recipient, number);
      if (!row) return undefined;
      rows += 1;
      tell(row, recipient, number);
      return row;
    },
    notes() {
      const warnings = [
        unlikely.count > 0 &&
          `Not known to be in use, and sent all the same, ${counted(unlikely.count, 'number')}: ${unlikely.words}.`,
        ...empty.warnings(),
        alike.most >= manyAlike &&
          `${counted(alike.most, 'message')} say the same, which networks take for spam.`,
      ].filter((one) => one !== false);
      return { problems, known, left, dialled, skips, dropped, warnings, alike: alike.most };
    },
  };
}

/** From so many messages on that say the same it is told. */
const manyAlike = 20;

function skipWords(row: CampaignRow): string {
  const { to, because } = row;
  const place = capitalised(placeOf(row, to === undefined ? undefined : `+${to}`));
  return `${place} is skipped: ${because ?? ''}.`.replace(/\.\.$/, '.');
}

/** Returns where a row is: by its number, as every line of botctl takes it, and by its line, as an editor shows it. */
function placeOf({ row, line }: Pick<CampaignRow, 'row' | 'line'>, more?: string): string {
  return `row ${row} (line ${line}${more === undefined ? '' : `, ${more}`})`;
}

/** What of a row is to be sent. */
type Content = Pick<CampaignRow, 'key' | 'text'> & { readonly to: string };

function contentOf(
  recipient: Recipient,
  number: RowNumber,
  { keyColumn, template, mayBeEmpty }: DraftInput,
): Content | { readonly wrong: string } {
  const { cells, wrong } = recipient;
  if (wrong !== undefined) return { wrong };
  const problems: string[] = [];
  if (number instanceof ValueError) problems.push(`its number ${number.message}`);
  const text = template && orProblem(() => template.render(cells), 'its message has an error: ', problems);
  if (text !== undefined && text.trim() === '' && !mayBeEmpty) problems.push('its message is empty');
  const key = keyColumn === undefined ? undefined : (cells.get(keyColumn) ?? '').trim();
  const damage = { 'its message': unsendableIn(text ?? ''), 'its key': unsendableIn(key ?? '') };
  for (const [place, found] of Object.entries(damage)) if (found) problems.push(`${place} has ${found.what}`);
  if (key === '') problems.push(`its key is missing: ${oneLine(keyColumn ?? '', 40)} is empty`);
  if (number instanceof ValueError || problems.length > 0) return { wrong: `${problems.join('; ')}.` };
  return { to: number.digits, ...(key !== undefined && { key }), ...(text?.trim() && { text }) };
}

function orProblem(make: () => string, place: string, problems: string[]): string | undefined {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof ValueError || error instanceof RenderProblem)) throw error;
    problems.push(place + error.message);
    return undefined;
  }
}

function cellsOf({ cells }: Recipient, { columns }: DraftInput): readonly (string | null)[] {
  return columns.map((name) => cells.get(name) ?? null);
}

function skipped(reason: SkipReason, because: string) {
  return { state: 'skipped', reason, because } as const;
}

/** Says which row had a number or a key first: 0 for one that the campaign has already. */
class SeenRows {
  /** By the one form of a number. */
  readonly #numbers = new CompactMap(2);
  readonly #keys = new CompactMap(4);
  /** From which rows of this list on a line is so many beyond the row's number: a cell may be of several lines. */
  readonly #shifts: { readonly from: number; readonly shift: number }[] = [];

  constructor(earlier: readonly CampaignRow[]) {
    for (const row of earlier) this.#note(row, 0);
  }

  /** Takes a row of this list. */
  note(content: Pick<CampaignRow, 'to' | 'key'>, row: number, line: number): void {
    this.#note(content, row);
    const shift = line - row;
    if (this.#shifts.at(-1)?.shift !== shift) this.#shifts.push({ from: row, shift });
  }

  rowOfNumber(to: string): number | undefined {
    return this.#numbers.get(numberWords(to));
  }

  rowOfKey(key: string): number | undefined {
    return this.#keys.get(digestWords(key));
  }

  /** Returns in words where a row of this list is. */
  placeOf(row: number): string {
    const { shift } = this.#shifts[lastBefore(this.#shifts, row)] ?? { shift: 0 };
    return placeOf({ row, line: row + shift });
  }

  #note({ to, key }: Pick<CampaignRow, 'to' | 'key'>, row: number): void {
    if (to !== undefined) noteFirst(this.#numbers, numberWords(to), row);
    if (key !== undefined) noteFirst(this.#keys, digestWords(key), row);
  }
}

/** Returns where the last of some places is that begins at a row or before, by halving; -1 for none. */
function lastBefore(places: readonly { readonly from: number }[], row: number): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle]?.from ?? row) <= row) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function noteFirst(map: CompactMap, words: Uint32Array, row: number): void {
  if (map.get(words) === undefined) map.set(words, row);
}

/** The one form of a number as two words: E.164 has 15 digits at the most, which is a whole number. */
function numberWords(to: string): Uint32Array {
  const number = Number(oneForm(to));
  return Uint32Array.of(number, Math.floor(number / 2 ** 32));
}

/** 128 bits of its digest: nobody finds two keys that have the same. */
function digestWords(key: string): Uint32Array {
  const digest = hash('sha256', key, 'buffer');
  return Uint32Array.of(...[0, 4, 8, 12].map((at) => digest.readUInt32LE(at)));
}

function seenBefore(seen: SeenRows, { to, key }: Content) {
  const sameKey = key === undefined ? undefined : seen.rowOfKey(key);
  const sameNumber = seen.rowOfNumber(to);
  if (sameKey === 0 || sameNumber === 0) return { isEarlier: true };
  if (sameKey !== undefined)
    return { skip: skipped('duplicate_key', `${seen.placeOf(sameKey)} has its key`) };
  if (sameNumber !== undefined)
    return { skip: skipped('duplicate', `${seen.placeOf(sameNumber)} has its number`) };
  return undefined;
}

/** Says which cells are empty and leave a gap in the message, in rows that are sent. */
function emptyCells({ template, columns }: DraftInput) {
  const used = (template?.uses ?? []).map((name) => ({
    name,
    at: columns.indexOf(name),
    rows: new FirstFew(mostNamed),
  }));
  return {
    add(row: CampaignRow): void {
      for (const { name, at, rows } of used)
        if (row.cells[at]?.trim() === '' && template?.leavesGap(cellsBy(columns, row), name))
          rows.add(placeOf(row));
    },
    warnings: (): readonly string[] =>
      used.flatMap(({ name, rows }) => {
        if (rows.count === 0) return [];
        const many = counted(rows.count, 'row');
        return [`${oneLine(name, 40)} is empty, and the message uses it, in ${many}: ${rows.words}.`];
      }),
  };
}

/** Returns the cells of a row by the names of their columns. */
function cellsBy(columns: readonly string[], { cells }: CampaignRow): ReadonlyMap<string, string> {
  const has = columns.flatMap((name, at): [string, string][] => {
    const cell = cells[at];
    return cell === undefined || cell === null ? [] : [[name, cell]];
  });
  return new Map(has);
}
