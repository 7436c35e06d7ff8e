import type * as z from 'zod/mini';
import type { campaignSchema, rowSchema } from './stored-schemas.ts';

/** Why a row is not sent. */
export type SkipReason = 'opted_out' | 'duplicate' | 'duplicate_key' | 'invalid' | 'cancelled';

/** A row of a campaign: the recipient, the message and the device, as they were when the list was read. */
export type CampaignRow = z.infer<typeof rowSchema>;

/** The state of a row, without its message and its number. */
export type RowStatus = Pick<CampaignRow, 'row' | 'state' | 'device' | 'attempts'>;

/**
 * The definition of a campaign, without its rows. After its creation, only a device can get another number, and added
 * lists can append columns and sources.
 */
export type Campaign = z.infer<typeof campaignSchema>;

/** A device of a campaign, with the number that it had when the campaign was created. */
export type CampaignDevice = Campaign['devices'][number];

/** Options that are sent with the text of each row. They have the API's names. */
export type SendOptions = Campaign['options'];

/** A mark that a user set. A paused campaign sends nothing until it is resumed; a cancelled one never sends again. */
export interface Mark {
  readonly state: 'paused' | 'cancelled';
  /** ISO 8601. */
  readonly at: string;
}

/** Identifies a campaign, and distinguishes it from a later one with the same name. */
export type CampaignKey = Pick<Campaign, 'origin' | 'name' | 'created_at'>;

/**
 * Returns the normalized name that campaigns are looked up by. It treats a letter with a combining accent like the
 * accented letter.
 */
export function nameKey(name: string): string {
  return name.normalize('NFC');
}

/** Returns a row of a cancelled campaign as it is displayed: planned rows are skipped. */
export function cancelledRow(row: CampaignRow, { at }: Mark): CampaignRow {
  if (row.state !== 'planned') return row;
  return { ...row, state: 'skipped', reason: 'cancelled', because: `the campaign was cancelled at ${at}` };
}

/** Returns a row with a cell for each column. Rows of earlier lists lack the columns that a later list adds. */
export function padCells(row: CampaignRow, columns: number): CampaignRow {
  return { ...row, cells: Array.from({ length: columns }, (_, at) => row.cells[at] ?? null) };
}

/**
 * Returns a campaign in which one device has another number.
 * @param device the index of the device in the campaign
 */
export function withNumber(campaign: Campaign, device: number, number: string): Campaign {
  const devices = campaign.devices.map((one, at) => (at === device ? { ...one, number } : one));
  return { ...campaign, devices };
}
