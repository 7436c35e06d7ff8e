import type { Campaign, CampaignRow, Mark } from './campaign.ts';
import type { PlannedMessages, RowCounts } from './row-summary.ts';

/** A campaign without its rows, and its mark. */
export interface MarkedCampaign {
  readonly campaign: Campaign;
  /** How many rows it has. */
  readonly rows: number;
  readonly mark?: Mark | undefined;
}

/** A campaign, and the counts of its rows. */
export interface CampaignOverview {
  readonly campaign: Campaign;
  /** Of a campaign that is cancelled, those that would have been sent are skipped. */
  readonly counts: RowCounts;
  readonly mark?: Mark | undefined;
}

/** A campaign with a summary of its rows. */
export interface CampaignSummary extends CampaignOverview {
  readonly messages: PlannedMessages;
  /** How many of those messages say the same, at the most. */
  readonly alike: number;
}

/** A list whose rows are added to a campaign. */
export interface AddedList {
  /** How many rows the campaign had when the list was read. */
  readonly after: number;
  /** The columns that the campaign has then: those that it had, and those of the list. */
  readonly columns: readonly string[];
  readonly source: Campaign['sources'][number];
}

/** The first row of a campaign with a number or a key: a later one with the same is skipped, or left out. */
export interface FirstRow {
  readonly row: number;
  readonly line: number;
  readonly to: string;
  readonly key?: string | undefined;
  /** Whether the campaign had it before this draft. */
  readonly isEarlier: boolean;
}

/**
 * Rows of a campaign that are being written. No other process sees them before they are published. If a process dies, a later
 * draft removes what it left.
 */
export interface CampaignDraft {
  /**
   * Returns the first rows with these numbers, in any of their forms, and with these keys: of the campaign and of the draft.
   * At most `rowsAtOnce` of each.
   */
  firstRows(numbers: readonly string[], keys: readonly string[]): Promise<readonly FirstRow[]>;
  /**
   * Writes the next rows, in their order, at most `rowsAtOnce`. Rows that are skipped as duplicates are never first rows.
   * @throws Failure if they can't be written
   */
  write(rows: readonly CampaignRow[]): Promise<void>;
  /**
   * Makes the rows a part of the campaign.
   * @throws Failure `invalidInput` if the name was taken meanwhile, or the campaign was changed
   */
  publish(): Promise<void>;
  /** Removes the rows that were written. */
  discard(): Promise<void>;
}

/** Rows that are read and written at a time. */
export const rowsAtOnce = 1000;
