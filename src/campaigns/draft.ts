import { oneForm } from '../lib/number-forms.ts';
import { type Parse, ValueError } from '../lib/parse.ts';
import { FirstFew } from '../lib/text/first-few.ts';
import { counted } from '../lib/text/numbers.ts';
import { oneLine } from '../lib/text/one-line.ts';
import type { CampaignRow, SkipReason } from './campaign.ts';
import { numberIn } from './numbers.ts';
import type { Recipient } from './recipients.ts';
import { type MessageTemplate, RenderProblem } from './render.ts';
import { RowProblems } from './row-problems.ts';
import { AlikeMessages } from './row-summary.ts';

/** What is known of numbers: how they are read, and which are not written to. */
export interface NumberRules {
  /** Reads numbers as they are dialled in a region; undefined if none is set. */
  readonly national: Parse<string> | undefined;
  /** True if such a number is known to be in use; E.164 digits. */
  readonly isKnown: (digits: string) => boolean;
  /** True if that number, in any of its forms, is not to be written to. */
  readonly isOptedOut: (digits: string) => boolean;
}

/** What rows are made of. */
export interface DraftInput extends NumberRules {
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
  /** What to look at before anything is sent, in words. */
  readonly warnings: readonly string[];
  /** How many messages say the same. */
  readonly alike: number;
}

/** Makes the rows of a campaign of a list, one after the other. */
export interface Draft {
  /** Returns the row of the next recipient, or undefined where it makes none: its campaign has it, or the limit is reached. */
  take(recipient: Recipient): CampaignRow | undefined;
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
  const seen = seenIn(earlier);
  const problems = new RowProblems();
  const [unlikely, dialled, skips] = [
    new FirstFew(mostNamed),
    new FirstFew(mostTold),
    new FirstFew(mostTold),
  ];
  const empty = emptyCells(input);
  const alike = new AlikeMessages();
  let [rows, known, left] = [earlier.length, 0, 0];
  let planned = earlier.filter(({ state }) => state === 'planned').length;
  const most = planned + limit;
  const rowOf = (recipient: Recipient): CampaignRow | undefined => {
    const { line } = recipient;
    const base = { row: rows + 1, line, cells: cellsOf(recipient, input) };
    const made = contentOf(recipient, input);
    if ('wrong' in made) {
      problems.add({ line, says: made.wrong });
      const invalid = { ...base, ...skipped('invalid', oneLine(made.wrong, 200)) };
      if (earlier.length === 0) return invalid;
      skips.add(skipWords(invalid));
      return undefined;
    }
    const before = seenBefore(seen, made);
    if (before?.isEarlier) {
      known += 1;
      return undefined;
    }
    const why = before?.skip ?? (input.isOptedOut(made.to) && skipped('opted_out', 'it opted out'));
    // What is skipped as a duplicate gets nothing, and takes nothing from another row.
    if (!before) seen.note(made, line);
    return { ...base, ...made, ...(why || { state: 'planned', device: planned % input.devices }) };
  };
  const tell = (row: CampaignRow, recipient: Recipient): void => {
    const { line, to = '', state } = row;
    if (state === 'skipped') skips.add(skipWords(row));
    if (state !== 'planned') return;
    planned += 1;
    alike.add(row);
    empty.add(row);
    if (!input.isKnown(to) && !input.isKnown(oneForm(to))) unlikely.add(`line ${line} (+${to})`);
    const written = recipient.cells.get(input.toColumn) ?? '';
    if (!written.replace(/\D/g, '').endsWith(to))
      dialled.add(`line ${line}: ${oneLine(written, 30)} is +${to}`);
  };
  return {
    take(recipient) {
      if (planned >= most) {
        left += 1;
        return undefined;
      }
      const row = rowOf(recipient);
      if (!row) return undefined;
      rows += 1;
      tell(row, recipient);
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
      return { problems, known, left, dialled, skips, warnings, alike: alike.most };
    },
  };
}

/** From so many messages on that say the same it is told. */
const manyAlike = 20;

function skipWords({ line, to, because }: CampaignRow): string {
  const whom = to === undefined ? '' : ` (+${to})`;
  return `Line ${line}${whom} is skipped: ${because ?? ''}.`.replace(/\.\.$/, '.');
}

/** What of a row is to be sent. */
type Content = Pick<CampaignRow, 'key' | 'text'> & { readonly to: string };

function contentOf(recipient: Recipient, input: DraftInput): Content | { readonly wrong: string } {
  const { toColumn, keyColumn, template, mayBeEmpty } = input;
  const { cells, wrong } = recipient;
  if (wrong !== undefined) return { wrong };
  const problems: string[] = [];
  const to = orProblem(() => numberIn(cells.get(toColumn) ?? '', input.national), 'its number ', problems);
  const text = template && orProblem(() => template.render(cells), 'its message has an error: ', problems);
  if (text !== undefined && text.trim() === '' && !mayBeEmpty) problems.push('its message is empty');
  const key = keyColumn === undefined ? undefined : (cells.get(keyColumn) ?? '').trim();
  if (key === '') problems.push(`its key is missing: ${oneLine(keyColumn ?? '', 40)} is empty`);
  if (to === undefined || problems.length > 0) return { wrong: `${problems.join('; ')}.` };
  return { to, ...(key !== undefined && { key }), ...(text?.trim() && { text }) };
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

/** The numbers and keys that rows had so far, with the line of the first one: 0 for one that the campaign has already. */
interface Seen {
  /** By the one form of a number, as a number: E.164 has 15 digits at the most. */
  readonly numbers: Map<number, number>;
  readonly keys: Map<string, number>;
  note(content: Pick<CampaignRow, 'to' | 'key'>, line: number): void;
}

function seenIn(earlier: readonly CampaignRow[]): Seen {
  const numbers = new Map<number, number>();
  const keys = new Map<string, number>();
  const note: Seen['note'] = ({ to, key }, line) => {
    const number = to === undefined ? undefined : Number(oneForm(to));
    if (number !== undefined && !numbers.has(number)) numbers.set(number, line);
    if (key !== undefined && !keys.has(key)) keys.set(key, line);
  };
  for (const row of earlier) note(row, 0);
  return { numbers, keys, note };
}

function seenBefore({ numbers, keys }: Seen, { to, key }: Content) {
  const sameKey = key === undefined ? undefined : keys.get(key);
  const sameNumber = numbers.get(Number(oneForm(to)));
  if (sameKey === 0 || sameNumber === 0) return { isEarlier: true };
  if (sameKey !== undefined) return { skip: skipped('duplicate_key', `line ${sameKey} has its key`) };
  if (sameNumber !== undefined) return { skip: skipped('duplicate', `line ${sameNumber} has its number`) };
  return undefined;
}

/** Says which cells that the message uses are empty, in rows that are sent. */
function emptyCells({ template, columns }: DraftInput) {
  const used = (template?.uses ?? []).map((name) => ({
    name,
    at: columns.indexOf(name),
    lines: new FirstFew(mostNamed),
  }));
  return {
    add({ cells, line }: CampaignRow): void {
      for (const { at, lines } of used) if (cells[at]?.trim() === '') lines.add(String(line));
    },
    warnings: (): readonly string[] =>
      used.flatMap(({ name, lines }) => {
        if (lines.count === 0) return [];
        const rows = counted(lines.count, 'row');
        return [`${oneLine(name, 40)} is empty, and the message uses it, in ${rows}: line ${lines.words}.`];
      }),
  };
}
