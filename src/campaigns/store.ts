import type { Campaign, CampaignRow, Mark } from './campaign.ts';
import type { PlannedMessages, RowCounts } from './row-summary.ts';

/** A campaign without its rows, and its mark. */
export interface MarkedCampaign {
  readonly campaign: Campaign;
  /** The number of rows. */
  readonly rows: number;
  readonly mark?: Mark | undefined;
}

/** A campaign, and the counts of its rows. */
export interface CampaignOverview {
  readonly campaign: Campaign;
  /** If the campaign is cancelled, its planned rows are counted as skipped. */
  readonly counts: RowCounts;
  readonly mark?: Mark | undefined;
}

/** A campaign with a summary of its planned messages. */
export interface CampaignSummary extends CampaignOverview {
  readonly messages: PlannedMessages;
  /** The highest number of them that `AlikeMessages` counts as the same. */
  readonly alike: number;
}

/** A list whose rows are being added to a campaign. */
export interface AddedList {
  /** The number of rows that the campaign had when the list was read. */
  readonly after: number;
  /** The columns that the campaign has afterwards: its own and those of the list. */
  readonly columns: readonly string[];
  readonly source: Campaign['sources'][number];
}

/** The first row of a campaign with a number or a key. A later row with the same one is skipped or left out. */
export interface FirstRow {
  readonly row: number;
  readonly line: number;
  readonly to: string;
  readonly key?: string | undefined;
  /** Whether the row was in the campaign before this draft. */
  readonly isEarlier: boolean;
}

/**
 * Rows of a campaign that are being written. Other processes don't see them before they are published. If a process
 * dies, a later draft removes its rows.
 */
export interface CampaignDraft {
  /**
   * Returns the first rows of the campaign and of the draft with these numbers, in any of their forms, and with these
   * keys. At most `rowsAtOnce` of each.
   */
  firstRows(numbers: readonly string[], keys: readonly string[]): Promise<readonly FirstRow[]>;
  /**
   * Writes the next rows, in order, at most `rowsAtOnce`. Rows that are skipped as duplicates are never first rows.
   * @throws Failure if they can't be written
   */
  write(rows: readonly CampaignRow[]): Promise<void>;
  /**
   * Adds the written rows to the campaign.
   * @throws Failure `invalidInput` if the name was taken or the campaign was changed in the meantime
   */
  publish(): Promise<void>;
  /** Deletes the written rows. */
  discard(): Promise<void>;
}

/** The maximum number of rows that are read or written at a time. */
export const rowsAtOnce = 1000;
