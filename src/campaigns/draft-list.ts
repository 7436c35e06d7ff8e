import type { Campaign } from './campaign.ts';
import { createDraft, type DraftInput, type DraftNotes, type NumberedRecipient } from './draft.ts';
import { numberReader } from './number-reader.ts';
import type { OptOuts } from './opt-outs.ts';
import type { RecipientList } from './read-list.ts';
import { messageTemplate } from './render.ts';
import { RowSummary } from './row-summary.ts';
import { type CampaignDraft, rowsAtOnce } from './store.ts';

interface DraftContext {
  readonly draft: CampaignDraft;
  readonly optOuts: OptOuts;
  readonly signal: AbortSignal;
}

interface DraftOptions {
  /** The region whose national number format is accepted, as an upper-case code. */
  readonly region: string | undefined;
  readonly skipInvalid: boolean;
  readonly limit: number | undefined;
}

/** How to make rows of a list. */
export type RowPlan = Pick<DraftInput, 'columns' | 'earlier' | 'devices' | 'template' | 'mayBeEmpty'>;

/**
 * Returns how to make rows of a list for a campaign. Their columns are those of the campaign and those of the list.
 * @param earlier the number of rows that the campaign already has
 * @param place the name of the template in messages: `--message`
 * @throws Failure `invalidInput` with every problem of the template
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

export interface ListDraft {
  /** The summary of all rows that were written. */
  readonly summary: RowSummary;
  /**
   * Writes the rows into the draft.
   * @throws Failure `invalidInput` after the last row, with every problem of the list
   */
  write(): Promise<void>;
  notes(): DraftNotes;
}

/** Starts the draft of a list. */
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
 * Writes the rows of a draft, then publishes or discards it. If writing fails, the draft is discarded.
 * @param write returns whether to publish the draft
 */
export async function completeDraft(draft: CampaignDraft, write: () => Promise<boolean>): Promise<void> {
  try {
    if (await write()) await draft.publish();
    else await draft.discard();
  } catch (error) {
    // If the store can't be reached, a later draft removes the rows.
    await draft.discard().catch(() => undefined);
    throw error;
  }
}
