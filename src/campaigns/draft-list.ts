import type { Campaign } from './campaign.ts';
import { createDraft, type DraftInput, type DraftNotes, type NumberedRecipient } from './draft.ts';
import { numberReader } from './number-reader.ts';
import type { OptOuts } from './opt-outs.ts';
import type { RecipientList } from './read-list.ts';
import { messageTemplate } from './render.ts';
import { RowSummary } from './row-summary.ts';
import { type CampaignDraft, rowsAtOnce } from './store.ts';

/** The session that a list is drafted in. */
interface DraftContext {
  readonly draft: CampaignDraft;
  readonly optOuts: OptOuts;
  readonly signal: AbortSignal;
}

/** How rows are made of a list. */
interface DraftOptions {
  /** The region whose numbers are read as they are dialled there, in capitals. */
  readonly region: string | undefined;
  readonly skipInvalid: boolean;
  readonly limit: number | undefined;
}

/** Rows of a list, as they are to be made. */
export type RowPlan = Pick<DraftInput, 'columns' | 'earlier' | 'devices' | 'template' | 'mayBeEmpty'>;

/**
 * Returns how the rows of a list are made for a campaign. They have the columns that it has, and those of the list.
 * @param earlier how many rows it has
 * @param place what its template is called in messages: `--message`
 * @throws Failure `invalidInput` with everything that is wrong with the template
 */
export function planRows(
  { recipients }: RecipientList,
  {
    message,
    columns,
    devices,
    options,
  }: Pick<Campaign, 'message' | 'columns' | 'options'> & { readonly devices: readonly unknown[] },
  earlier: number,
  place: string,
): RowPlan {
  return {
    columns: [...new Set([...columns, ...recipients.columns])],
    earlier,
    devices: devices.length,
    template: message === undefined ? undefined : messageTemplate(message, recipients.columns, place),
    mayBeEmpty: options.ai_generates_message === true || options.image_url !== undefined,
  };
}

/** A list whose rows are being written. */
export interface ListDraft {
  /** Takes each row that is written. */
  readonly summary: RowSummary;
  /**
   * Writes the rows into the draft.
   * @throws Failure `invalidInput` after the last one, with everything that is wrong with the list
   */
  write(): Promise<void>;
  /** Returns the notes on the rows that were made. */
  notes(): DraftNotes;
}

/** Begins to write the rows of a list. */
export async function draftList(
  { draft, optOuts, signal }: DraftContext,
  { recipients, toColumn, keyColumn, file }: RecipientList,
  { region, skipInvalid, limit }: DraftOptions,
  plan: RowPlan,
): Promise<ListDraft> {
  const { phoneNumbers } = await import('../phone-numbers/national-number.ts');
  const numberOf = numberReader(recipients, toColumn, phoneNumbers(region));
  const known = { firstRows: draft.firstRows, optedOut: optOuts.filterOptedOut };
  const rows = createDraft({ ...plan, toColumn, keyColumn, limit }, known);
  const summary = new RowSummary();
  const writeSome = async (some: readonly NumberedRecipient[]): Promise<void> => {
    signal.throwIfAborted();
    const made = await rows.take(some);
    if (made.length === 0) return;
    for (const row of made) summary.add(row);
    await draft.write(made);
  };
  return {
    summary,
    async write() {
      let some: NumberedRecipient[] = [];
      for await (const recipient of recipients.rows()) {
        some.push({ ...recipient, number: await numberOf(recipient) });
        if (some.length < rowsAtOnce) continue;
        await writeSome(some);
        some = [];
      }
      await writeSome(some);
      rows.notes().problems.check(file, skipInvalid);
    },
    notes: () => rows.notes(),
  };
}

/**
 * Writes the rows of a draft, and publishes or discards it. If it can't be written, nothing of it is left.
 * @param write returns whether it is to be published
 */
export async function completeDraft(draft: CampaignDraft, write: () => Promise<boolean>): Promise<void> {
  try {
    if (await write()) await draft.publish();
    else await draft.discard();
  } catch (error) {
    // A later draft removes what is left if the store is away.
    await draft.discard().catch(() => undefined);
    throw error;
  }
}
