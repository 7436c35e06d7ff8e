import { oneForm } from '../lib/number-forms.ts';
import { type Parse, ValueError } from '../lib/parse.ts';
import { firstFew } from '../lib/text/first-few.ts';
import { fold } from '../lib/text/fold.ts';
import { counted } from '../lib/text/numbers.ts';
import { oneLine } from '../lib/text/one-line.ts';
import type { CampaignRow, SkipReason } from './campaign.ts';
import { numberIn } from './numbers.ts';
import type { Recipient, Recipients } from './recipients.ts';
import { type MessageTemplate, RenderProblem } from './render.ts';

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
  readonly recipients: Recipients;
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

/** Something that is wrong with a row. */
export interface RowProblem {
  readonly line: number;
  readonly says: string;
}

/** Rows as a campaign would have them. */
export interface Draft {
  readonly rows: readonly CampaignRow[];
  /**
   * What is wrong with rows, in the order of their lines. They are skipped as invalid; what is added to a campaign has
   * none of them, so that adding the same list again adds nothing.
   */
  readonly problems: readonly RowProblem[];
  /** Rows that the campaign has already, by their number or key; they are not among `rows`. */
  readonly known: number;
  /** Rows behind the last one that the limit allows; they are not among `rows`. */
  readonly left: number;
  /** Numbers that are dialled otherwise than they are written, in words. */
  readonly dialled: readonly string[];
  /** What to look at before anything is sent, in words. */
  readonly warnings: readonly string[];
}

/** Examples of lines that a warning names. */
const mostNamed = 5;

/** Returns the rows that a list of recipients makes. Nothing is read or written here. */
export function draftRows(input: DraftInput): Draft {
  const { recipients, limit = Number.POSITIVE_INFINITY, earlier } = input;
  const seen = seenIn(earlier);
  const draft = { rows: [] as CampaignRow[], problems: [] as RowProblem[], known: 0, left: 0 };
  const unlikely: string[] = [];
  const dialled: string[] = [];
  let planned = earlier.filter(({ state }) => state === 'planned').length;
  const most = planned + limit;
  for (const [at, recipient] of recipients.rows.entries()) {
    if (planned >= most) {
      draft.left = recipients.rows.length - at;
      break;
    }
    const { line } = recipient;
    const base = { row: earlier.length + draft.rows.length + 1, line, cells: cellsOf(recipient, input) };
    const made = contentOf(recipient, input);
    if ('wrong' in made) {
      draft.problems.push({ line, says: made.wrong });
      if (earlier.length === 0) draft.rows.push({ ...base, ...skipped('invalid', oneLine(made.wrong, 200)) });
      continue;
    }
    const before = seenBefore(seen, made);
    if (before?.isEarlier) {
      draft.known += 1;
      continue;
    }
    const why =
      before?.skip ?? (input.isOptedOut(made.to) ? skipped('opted_out', 'it opted out') : undefined);
    seen.note(made, line);
    if (why) {
      draft.rows.push({ ...base, ...made, ...why });
      continue;
    }
    draft.rows.push({ ...base, ...made, state: 'planned', device: planned % input.devices });
    planned += 1;
    if (!input.isKnown(made.to) && !input.isKnown(oneForm(made.to)))
      unlikely.push(`line ${line} (+${made.to})`);
    const written = recipient.cells.get(input.toColumn) ?? '';
    if (!written.replace(/\D/g, '').endsWith(made.to))
      dialled.push(`line ${line}: ${oneLine(written, 30)} is +${made.to}`);
  }
  const warnings = [
    unlikely.length > 0 &&
      `Not known to be in use, and sent all the same, ${counted(unlikely.length, 'number')}: ${firstFew(unlikely, mostNamed)}.`,
    ...emptyCells(input, draft.rows),
    alikeWarning(draft.rows),
  ];
  return { ...draft, dialled, warnings: warnings.filter((one) => one !== false) };
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

/** The numbers and keys that rows had so far. */
interface Seen {
  /** The line of the row, or `earlier` for one that the campaign has already. */
  readonly numbers: Map<string, number | 'earlier'>;
  readonly keys: Map<string, number | 'earlier'>;
  note(content: Content, line: number): void;
}

function seenIn(earlier: readonly CampaignRow[]): Seen {
  const numbers = new Map<string, number | 'earlier'>();
  const keys = new Map<string, number | 'earlier'>();
  for (const { to, key } of earlier) {
    if (to !== undefined) numbers.set(oneForm(to), 'earlier');
    if (key !== undefined) keys.set(key, 'earlier');
  }
  const noteIn = (seen: typeof numbers, word: string, line: number): void => {
    if (!seen.has(word)) seen.set(word, line);
  };
  return {
    numbers,
    keys,
    note({ to, key }, line) {
      noteIn(numbers, oneForm(to), line);
      if (key !== undefined) noteIn(keys, key, line);
    },
  };
}

function seenBefore({ numbers, keys }: Seen, { to, key }: Content) {
  const sameKey = key === undefined ? undefined : keys.get(key);
  const sameNumber = numbers.get(oneForm(to));
  if (sameKey === 'earlier' || sameNumber === 'earlier') return { isEarlier: true };
  if (sameKey !== undefined) return { skip: skipped('duplicate_key', `line ${sameKey} has its key`) };
  if (sameNumber !== undefined) return { skip: skipped('duplicate', `line ${sameNumber} has its number`) };
  return undefined;
}

/** Says which cells that the message uses are empty, in rows that are sent. */
function emptyCells({ template, columns }: DraftInput, rows: readonly CampaignRow[]): readonly string[] {
  return (template?.uses ?? []).flatMap((name) => {
    const at = columns.indexOf(name);
    const empty = rows.filter(({ state, cells }) => state === 'planned' && cells[at]?.trim() === '');
    if (empty.length === 0) return [];
    const lines = firstFew(
      empty.map(({ line }) => String(line)),
      mostNamed,
    );
    return [
      `${oneLine(name, 40)} is empty, and the message uses it, in ${counted(empty.length, 'row')}: line ${lines}.`,
    ];
  });
}

/** From so many messages on that say the same it is told. */
const manyAlike = 20;

/**
 * Returns how many of the messages that are planned say the same as each other, at the most: without case, accents, digits
 * and punctuation.
 */
export function alikeMessages(rows: readonly CampaignRow[]): number {
  const counts = new Map<string, number>();
  for (const { state, text } of rows) {
    if (state !== 'planned' || text === undefined) continue;
    const words = fold(text).replace(/[^\p{L}]+/gu, ' ');
    counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  let most = 0;
  for (const count of counts.values()) most = Math.max(most, count);
  return most;
}

function alikeWarning(rows: readonly CampaignRow[]): string | false {
  const alike = alikeMessages(rows);
  return alike >= manyAlike && `${counted(alike, 'message')} say the same, which networks take for spam.`;
}
