import type { Campaign, CampaignRow } from './campaign.ts';
import { createDraft, type DraftInput, type DraftNotes } from './draft.ts';
import { listNumbers } from './list-numbers.ts';
import type { OptOuts } from './opt-outs.ts';
import type { RecipientList } from './read-list.ts';
import { messageTemplate } from './render.ts';
import type { RowSummary } from './row-summary.ts';

/** What drafting needs of a session. */
interface DraftContext {
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

/** What a new campaign is besides its list. */
interface NewOptions extends DraftOptions {
  readonly devices: number;
  /** The template, and the option that gave it. */
  readonly template: { readonly text: string; readonly place: string } | undefined;
  readonly aiGeneratesMessage: boolean;
  readonly imageUrl: string | undefined;
}

/** A list whose rows are being made. */
export interface ListDraft {
  /**
   * Makes the rows, once, one after the other.
   * @param summary takes each of them
   * @throws Failure `invalidInput` behind the last one, with everything that is wrong with the list
   */
  rows(summary: RowSummary): AsyncGenerator<CampaignRow, void>;
  /** Returns what there is to say of the rows that were made. */
  notes(): DraftNotes;
}

/**
 * Begins a new campaign.
 * @throws Failure `invalidInput` with everything that is wrong with the template
 */
export async function draftNew(
  context: DraftContext,
  list: RecipientList,
  options: NewOptions,
): Promise<ListDraft> {
  const { columns } = list.recipients;
  return draftWith(context, list, options, {
    columns,
    earlier: [],
    devices: options.devices,
    template: templateOf(options.template, columns),
    mayBeEmpty: options.aiGeneratesMessage || options.imageUrl !== undefined,
  });
}

/**
 * Begins to add a list to a campaign, and returns the columns of the campaign then.
 * @throws Failure as `draftNew`
 */
export async function draftMore(
  context: DraftContext,
  list: RecipientList,
  options: DraftOptions,
  campaign: Campaign,
  earlier: readonly CampaignRow[],
): Promise<ListDraft & { readonly columns: readonly string[] }> {
  const columns = [...new Set([...campaign.columns, ...list.recipients.columns])];
  const { message } = campaign;
  const template = message === undefined ? undefined : { text: message, place: "The campaign's message" };
  const draft = await draftWith(context, list, options, {
    columns,
    earlier,
    devices: campaign.devices.length,
    template: templateOf(template, list.recipients.columns),
    mayBeEmpty: campaign.options.ai_generates_message === true || campaign.options.image_url !== undefined,
  });
  return { ...draft, columns };
}

type Given = Pick<DraftInput, 'columns' | 'earlier' | 'devices' | 'template' | 'mayBeEmpty'>;

async function draftWith(
  { optOuts, signal }: DraftContext,
  { recipients, toColumn, keyColumn, file }: RecipientList,
  { region, skipInvalid, limit }: DraftOptions,
  given: Given,
): Promise<ListDraft> {
  const { phoneNumbers } = await import('../lib/national-number.ts');
  const numberOf = listNumbers(recipients, toColumn, phoneNumbers(region));
  const draft = createDraft({ isOptedOut: await optOuts.test(), ...given, toColumn, keyColumn, limit });
  return {
    async *rows(summary) {
      for await (const recipient of recipients.rows()) {
        signal.throwIfAborted();
        const row = draft.take(recipient, await numberOf(recipient));
        if (!row) continue;
        summary.add(row);
        yield row;
      }
      draft.notes().problems.check(file, skipInvalid);
    },
    notes: () => draft.notes(),
  };
}

function templateOf(
  given: { readonly text: string; readonly place: string } | undefined,
  columns: readonly string[],
): DraftInput['template'] {
  if (given === undefined) return undefined;
  return messageTemplate(given.text, columns, given.place);
}
