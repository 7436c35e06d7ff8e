import { ValueError } from '../lib/parse.ts';
import { findUnsendable } from '../lib/text/characters.ts';
import { pluralize } from '../lib/text/numbers.ts';
import { capitalised, FirstFew, oneLine } from '../lib/text/sentence.ts';
import { canonicalForm, numberText } from '../phone-numbers/number-forms.ts';
import type { CampaignRow, SkipReason } from './campaign.ts';
import type { RowNumber } from './number-reader.ts';
import type { OptOuts } from './opt-outs.ts';
import type { Recipient } from './recipients.ts';
import { type MessageTemplate, RenderProblem } from './render.ts';
import { RowProblems } from './row-problems.ts';
import { AlikeMessages } from './row-summary.ts';
import type { CampaignDraft, FirstRow } from './store.ts';

export interface DraftInput {
  /** The columns of the campaign. They may include more than those of the list, in another order. */
  readonly columns: readonly string[];
  readonly toColumn: string;
  readonly keyColumn: string | undefined;
  /** Undefined if the message is only an image or is written by the AI. */
  readonly template: MessageTemplate | undefined;
  /** Whether the text of a message may be empty. */
  readonly mayBeEmpty: boolean;
  /** The number of devices. Rows are assigned to them in rotation. */
  readonly devices: number;
  /** The maximum number of rows to plan. Recipients after the last planned row are left out. */
  readonly limit: number | undefined;
  /** The number of rows that the campaign already has; 0 for a new one. */
  readonly earlier: number;
}

/** Finds rows with the same numbers, and numbers that opted out. */
export interface KnownNumbers {
  readonly firstRows: CampaignDraft['firstRows'];
  readonly optedOut: OptOuts['filterOptedOut'];
}

/** A recipient, and its number as `numberReader` returns it. */
export interface NumberedRecipient extends Recipient {
  readonly number: RowNumber;
}

export interface DraftNotes {
  /**
   * The problems of rows. In a new campaign an invalid row is skipped. In an addition it gets no row, so that adding
   * the same list again adds nothing.
   */
  readonly problems: RowProblems;
  /** The number of rows that the campaign already has, by their number or key. */
  readonly existing: number;
  /** The number of rows that come after the limit was reached. */
  readonly beyondLimit: number;
  /** Numbers that are dialled differently from how the list writes them, in words. */
  readonly dialled: FirstFew;
  /** Skipped rows, a sentence each. */
  readonly skips: FirstFew;
  /** Skipped rows that are valid. */
  readonly dropped: FirstFew;
  /** Warnings to check before the campaign is sent. */
  readonly warnings: readonly string[];
  /** The highest number of messages that `AlikeMessages` counts as the same. */
  readonly alike: number;
}

/** Makes the rows of a campaign from a list, a page at a time. */
export interface Draft {
  /**
   * Returns the rows of the next recipients, at most `rowsAtOnce`. Recipients that the campaign already has and those
   * after the limit get no row. The caller must have written all rows of earlier calls.
   */
  take(recipients: readonly NumberedRecipient[]): Promise<readonly CampaignRow[]>;
  notes(): DraftNotes;
}

/** The maximum number of rows that a warning names. */
const maxExamples = 5;

/** The maximum number of rows and numbers that are listed. */
const maxListed = 10;

/** Starts to make the rows of a list. */
export function createDraft(input: DraftInput, { firstRows, optedOut }: KnownNumbers): Draft {
  const { limit = Number.POSITIVE_INFINITY, earlier } = input;
  const problems = new RowProblems();
  const unlikely = new FirstFew(maxExamples);
  const [dialled, skips, dropped] = [
    new FirstFew(maxListed),
    new FirstFew(maxListed),
    new FirstFew(maxListed),
  ];
  const empty = emptyCells(input);
  const alike = new AlikeMessages();
  let [rows, existing, beyondLimit, planned] = [earlier, 0, 0, 0];
  /** Returns the row of a recipient, or undefined if it gets none. */
  const rowOf = (
    recipient: Recipient,
    content: Content | RowError,
    seen: SeenRows,
    isOptedOut: ReadonlySet<string>,
  ): CampaignRow | undefined => {
    const { line } = recipient;
    const base = { row: rows + 1, line, cells: cellsOf(recipient, input) };
    if ('problem' in content) {
      const { problem } = content;
      problems.add({ line, message: problem });
      if (earlier === 0) return { ...base, ...skippedState('invalid', oneLine(problem, 200)) };
      // In an addition an invalid row gets no row number.
      skips.add(`The row on line ${line} is skipped: ${oneLine(problem, 200)}`);
      return undefined;
    }
    const before = seen.before(content);
    if (before?.isEarlier) {
      existing += 1;
      return undefined;
    }
    const why = before?.skip ?? (isOptedOut.has(content.to) && skippedState('opted_out', 'it opted out'));
    // A skipped duplicate sends nothing, so its number and key must not make a later row a duplicate.
    if (!before) seen.add({ ...content, row: base.row, line, isEarlier: false });
    return {
      ...base,
      ...content,
      ...(why || { state: 'planned', device: (earlier + planned) % input.devices }),
    };
  };
  const addToNotes = (row: CampaignRow, { cells, number }: NumberedRecipient): void => {
    const { to = '', state, reason } = row;
    if (state === 'skipped') skips.add(skipWords(row));
    if (state === 'skipped' && reason !== 'invalid') dropped.add(skipWords(row));
    if (state !== 'planned') return;
    planned += 1;
    alike.add(row);
    empty.add(row, cells);
    if (!(number instanceof ValueError || number.isKnown)) unlikely.add(rowPlace(row, `+${to}`));
    const written = cells.get(input.toColumn) ?? '';
    if (!numberText(written).replace(/\D/g, '').endsWith(to))
      dialled.add(`${rowPlace(row)}: ${oneLine(written, 30)} is +${to}`);
  };
  return {
    async take(recipients) {
      const wanted = planned < limit ? recipients : [];
      const contents = wanted.map((recipient) => contentOf(recipient, input));
      const good = contents.flatMap((content) => ('problem' in content ? [] : content));
      const numbers = good.map(({ to }) => to);
      const seen = new SeenRows(
        await firstRows(
          numbers,
          good.flatMap(({ key }) => key ?? []),
        ),
      );
      const isOptedOut = await optedOut(numbers);
      const made: CampaignRow[] = [];
      for (const [at, recipient] of recipients.entries()) {
        const content = contents[at];
        if (content === undefined || planned >= limit) {
          beyondLimit += 1;
          continue;
        }
        const row = rowOf(recipient, content, seen, isOptedOut);
        if (!row) continue;
        rows += 1;
        addToNotes(row, recipient);
        made.push(row);
      }
      return made;
    },
    notes() {
      const warnings = [
        unlikely.count > 0 &&
          `${pluralize(unlikely.count, 'number')} may not be in use and will be sent to anyway: ${unlikely.words}.`,
        ...empty.warnings(),
        alike.most >= manyAlike &&
          `${pluralize(alike.most, 'message')} are alike. Networks may treat them as spam.`,
      ].filter((one) => one !== false);
      return { problems, existing, beyondLimit, dialled, skips, dropped, warnings, alike: alike.most };
    },
  };
}

/** The number of messages from which a warning says that they are the same: see `AlikeMessages`. */
const manyAlike = 20;

function skipWords(row: CampaignRow): string {
  const { to, because } = row;
  const place = capitalised(rowPlace(row, to === undefined ? undefined : `+${to}`));
  return `${place} is skipped: ${because ?? ''}.`.replace(/\.\.$/, '.');
}

/** Returns where a row is: its number, which botctl's commands take, and its line, which an editor shows. */
function rowPlace({ row, line }: Pick<CampaignRow, 'row' | 'line'>, more?: string): string {
  return `row ${row} (line ${line}${more === undefined ? '' : `, ${more}`})`;
}

type Content = Pick<CampaignRow, 'key' | 'text'> & { readonly to: string };

interface RowError {
  readonly problem: string;
}

function contentOf(
  { cells, problem, number }: NumberedRecipient,
  { keyColumn, template, mayBeEmpty }: DraftInput,
): Content | RowError {
  if (problem !== undefined) return { problem };
  const problems: string[] = [];
  if (number instanceof ValueError) problems.push(`its number ${number.message}`);
  const text =
    template && collectProblem(() => template.render(cells), 'its message has an error: ', problems);
  if (text !== undefined && text.trim() === '' && !mayBeEmpty) problems.push('its message is empty');
  const key = keyColumn === undefined ? undefined : (cells.get(keyColumn) ?? '').trim();
  const damage = { 'its message': findUnsendable(text ?? ''), 'its key': findUnsendable(key ?? '') };
  for (const [place, found] of Object.entries(damage)) if (found) problems.push(`${place} has ${found.what}`);
  if (key === '') problems.push(`its key is missing: ${oneLine(keyColumn ?? '', 40)} is empty`);
  if (number instanceof ValueError || problems.length > 0) return { problem: `${problems.join('; ')}.` };
  return { to: number.digits, ...(key !== undefined && { key }), ...(text?.trim() && { text }) };
}

function collectProblem(make: () => string, place: string, problems: string[]): string | undefined {
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

function skippedState(reason: SkipReason, because: string) {
  return { state: 'skipped', reason, because } as const;
}

/** The first row with each number and key. */
class SeenRows {
  readonly #numbers = new Map<string, FirstRow>();
  readonly #keys = new Map<string, FirstRow>();

  constructor(rows: readonly FirstRow[]) {
    for (const row of rows) this.add(row);
  }

  add(row: FirstRow): void {
    this.#numbers.set(canonicalForm(row.to), row);
    if (row.key !== undefined) this.#keys.set(row.key, row);
  }

  /** Returns why a row is skipped or left out, or undefined if it is the first with its number and its key. */
  before({ to, key }: Content) {
    const sameKey = key === undefined ? undefined : this.#keys.get(key);
    const sameNumber = this.#numbers.get(canonicalForm(to));
    if (sameKey?.isEarlier || sameNumber?.isEarlier) return { isEarlier: true };
    if (sameKey) return { skip: skippedState('duplicate_key', `${rowPlace(sameKey)} has the same key`) };
    if (sameNumber) return { skip: skippedState('duplicate', `${rowPlace(sameNumber)} has the same number`) };
    return undefined;
  }
}

/** Collects the empty cells that leave a gap in a planned message. */
function emptyCells({ template }: DraftInput) {
  const used = (template?.uses ?? []).map((name) => ({ name, rows: new FirstFew(maxExamples) }));
  return {
    add(row: CampaignRow, cells: Recipient['cells']): void {
      for (const { name, rows } of used)
        if (cells.get(name)?.trim() === '' && template?.leavesGap(row.text ?? '', cells, name))
          rows.add(rowPlace(row));
    },
    warnings: (): readonly string[] =>
      used.flatMap(({ name, rows }) => {
        if (rows.count === 0) return [];
        const many = pluralize(rows.count, 'row');
        return [`${oneLine(name, 40)} is used in the message, but empty in ${many}: ${rows.words}.`];
      }),
  };
}
