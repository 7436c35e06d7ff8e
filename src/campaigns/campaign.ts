import type { Pace } from './pace.ts';
import type { RowState } from './row-state.ts';

/** Why a row is not sent. */
export const skipReasons = ['opted_out', 'duplicate', 'duplicate_key', 'invalid', 'cancelled'] as const;

/** Why a row is not sent. */
export type SkipReason = (typeof skipReasons)[number];

/** A row of a campaign: what is sent, to whom and through what, as it was when the row was read. */
export interface CampaignRow {
  /** Its number in the campaign, from 1, in the order of the input. */
  readonly row: number;
  /** Its line in the input. */
  readonly line: number;
  /** Its cells, in the order of the campaign's columns; null for one that it lacks. */
  readonly cells: readonly (string | null)[];
  readonly state: RowState;
  /** Why it is skipped; of one that was rejected or lost, the service's code or ours. */
  readonly reason?: string | undefined;
  /** The reason in words. */
  readonly because?: string | undefined;
  /** E.164 digits, without the plus; none where the row has no number. */
  readonly to?: string | undefined;
  readonly key?: string | undefined;
  /** The device that it goes through, counted from 0 among the campaign's. */
  readonly device?: number | undefined;
  /** The message as it will be sent; none where an image or the AI is all of it. */
  readonly text?: string | undefined;
  /** When its state last changed, ISO 8601; none for one that stands as it was made. */
  readonly at?: string | undefined;
  /** How often it was about to be sent. */
  readonly attempts?: number | undefined;
}

/** How a row stands, whatever it says and to whom. */
export type RowStanding = Pick<CampaignRow, 'row' | 'state' | 'device' | 'attempts'>;

/** A device of a campaign, with the number that it had when the campaign was made. */
export interface CampaignDevice {
  readonly id: string;
  readonly name?: string | undefined;
  /** As the service shows it. */
  readonly number: string;
}

/** What is sent beside the text of a row, by the API's names. */
export interface SendOptions {
  readonly send_as_audio?: boolean | undefined;
  readonly ai_generates_message?: true | undefined;
  readonly image_url?: string | undefined;
  readonly image_mime_type?: string | undefined;
}

/** What is frozen of a campaign beside its rows. */
export interface Campaign extends Pace {
  readonly name: string;
  /** Scheme, host and port of the service. */
  readonly origin: string;
  /** ISO 8601. */
  readonly created_at: string;
  /** The machine that it was created on, for people. */
  readonly made_on: { readonly host: string };
  readonly devices: readonly CampaignDevice[];
  /** In Liquid; none where an image or the AI is all of a message. */
  readonly message?: string | undefined;
  readonly options: SendOptions;
  readonly columns: readonly string[];
  readonly to_column: string;
  readonly key_column?: string | undefined;
  /** The files that rows were read from, the first one first. */
  readonly sources: readonly { readonly file: string; readonly sha256: string }[];
}

/** What a person said of a campaign: nothing of it is sent before they say otherwise, or at all. */
export interface Mark {
  readonly state: 'paused' | 'cancelled';
  /** ISO 8601. */
  readonly at: string;
}

/** What tells a campaign from every other one, also from a later one of its name. */
export type CampaignKey = Pick<Campaign, 'origin' | 'name' | 'created_at'>;

/** Returns the name by which a campaign is found: an accent may be a character of its own, or part of the letter. */
export function nameKey(name: string): string {
  return name.normalize('NFC');
}

/** Returns how a row of a cancelled campaign is shown: what was left of it is never sent. */
export function cancelledRow(row: CampaignRow, { at }: Mark): CampaignRow {
  if (row.state !== 'planned') return row;
  return { ...row, state: 'skipped', reason: 'cancelled', because: `the campaign was cancelled at ${at}` };
}

/** Returns a row with a cell for each column: those of earlier lists lack the columns that a later one brings. */
export function padded(row: CampaignRow, columns: number): CampaignRow {
  return { ...row, cells: Array.from({ length: columns }, (_, at) => row.cells[at] ?? null) };
}

/** Returns a campaign with another number of one of its devices, by the place of that among them. */
export function withNumber(campaign: Campaign, device: number, number: string): Campaign {
  const devices = campaign.devices.map((one, at) => (at === device ? { ...one, number } : one));
  return { ...campaign, devices };
}
