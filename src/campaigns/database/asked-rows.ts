import { sql } from 'kysely';
import * as z from 'zod/mini';
import type { Campaign, CampaignRow, Mark } from '../campaign.ts';
import { cancelledRow, padded } from '../named.ts';
import { AlikeMessages, PlannedMessages } from '../row-summary.ts';
import type { CampaignDatabase } from './connection.ts';
import { rowColumns, rowOf } from './rows.ts';

/** Rows that are read at a time. */
const rowsAtOnce = 5000;

/** A campaign in a database, and what a person said of it. */
export interface FoundCampaign {
  readonly id: string;
  readonly campaign: Campaign;
  readonly mark: Mark | undefined;
  /** How many rows it has. */
  readonly rows: number;
}

/** Returns all rows of a campaign in their order, as they are to be shown. */
export async function allRows(
  { db, asked }: CampaignDatabase,
  found: FoundCampaign,
): Promise<readonly CampaignRow[]> {
  const rows: CampaignRow[] = [];
  for (let more = true, after = 0; more; after += rowsAtOnce) {
    const reading = sql`select ${rowColumns} from campaign_rows as r
      where r.campaign = ${found.id}::uuid and r.row > ${after} and r.row <= ${after + rowsAtOnce} order by r.row`;
    const piece = (await asked(() => reading.execute(db))).rows;
    for (const row of piece) rows.push(shownRow(found, row));
    more = piece.length === rowsAtOnce;
  }
  return rows;
}

/** Returns rows of a campaign by their numbers, in the order of these; those that it lacks are left out. */
export async function rowsNumbered(
  { db, asked }: CampaignDatabase,
  found: FoundCampaign,
  numbers: readonly number[],
): Promise<readonly CampaignRow[]> {
  // A larger number than the column has is of no row.
  const possible = numbers.filter((number) => number <= found.rows);
  const reading = sql`select ${rowColumns} from campaign_rows as r
    where r.campaign = ${found.id}::uuid and r.row = any(${possible}::integer[])`;
  const rows = (await asked(() => reading.execute(db))).rows.map((row) => shownRow(found, row));
  const byNumber = new Map(rows.map((row) => [row.row, row]));
  return possible.flatMap((number) => byNumber.get(number) ?? []);
}

/** Returns the first row of a campaign that is planned, else the first one that was; undefined where none has a message. */
export async function firstMessage(
  { db, asked }: CampaignDatabase,
  found: FoundCampaign,
): Promise<CampaignRow | undefined> {
  // The rows of a device that are planned have an index in their order.
  const planned = sql`select n.* from generate_series(0, ${found.campaign.devices.length - 1}) as d(device)
    cross join lateral (select ${rowColumns} from campaign_rows as r
      where r.campaign = ${found.id}::uuid and r.device = d.device and r.state = 'planned' order by r.row limit 1) as n
    order by n.row limit 1`;
  const was = sql`select ${rowColumns} from campaign_rows as r
    where r.campaign = ${found.id}::uuid and r.device is not null order by r.row limit 1`;
  for (const reading of [planned, was]) {
    const [row] = (await asked(() => reading.execute(db))).rows;
    if (row !== undefined) return shownRow(found, row);
  }
  return undefined;
}

const messageAnswer = z.object({
  frozen: z.looseObject({ to: z.optional(z.string()), text: z.optional(z.string()) }),
  device: z.nullable(z.number()),
});

/** Returns what is to be known of the messages that a campaign has planned. */
export async function plannedMessages(
  { db, asked }: CampaignDatabase,
  { id, rows, mark }: FoundCampaign,
): Promise<{ readonly messages: PlannedMessages; readonly alike: number }> {
  const [messages, alike] = [new PlannedMessages(), new AlikeMessages()];
  const end = mark?.state === 'cancelled' ? 0 : rows;
  for (let after = 0; after < end; after += rowsAtOnce) {
    // The database takes no part out of a text with the character 0.
    const reading = sql`select r.frozen, r.device from campaign_rows as r
      where r.campaign = ${id}::uuid and r.row > ${after} and r.row <= ${after + rowsAtOnce} and r.state = 'planned'
      order by r.row`;
    for (const answer of (await asked(() => reading.execute(db))).rows) {
      const { frozen, device } = z.parse(messageAnswer, answer);
      const row = { to: frozen.to, text: frozen.text, device: device ?? undefined };
      messages.add(row);
      alike.add(row);
    }
  }
  return { messages, alike: alike.most };
}

function shownRow({ campaign, mark }: FoundCampaign, answer: unknown): CampaignRow {
  const row = padded(rowOf(answer), campaign.columns.length);
  return mark?.state === 'cancelled' ? cancelledRow(row, mark) : row;
}
