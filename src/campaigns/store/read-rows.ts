import { sql } from 'kysely';
import { asText, isObject, parseJson } from '../../lib/json-object.ts';
import { inSentence } from '../../lib/text/sentence.ts';
import { type CampaignRow, cancelledRow, padCells } from '../campaign.ts';
import { AlikeMessages, PlannedMessages } from '../row-summary.ts';
import type { CampaignDatabase } from './database.ts';
import type { FoundCampaign } from './find.ts';
import { rowColumns, rowOf } from './rows.ts';

/** The number of rows that one statement reads. */
const rowsAtOnce = 1000;

type RowRecord = Parameters<typeof rowOf>[0];

/** Reads the rows of a campaign in their order, a page at a time. Skips damaged rows, with a warning for each. */
export async function* readRows(
  database: CampaignDatabase,
  found: FoundCampaign,
): AsyncGenerator<readonly CampaignRow[], void> {
  for (let after = 0; after < found.rows; after += rowsAtOnce) {
    const page = await database.read(
      ({ db }) =>
        db
          .selectFrom('campaign_rows')
          .select(rowColumns)
          .where('campaign', '=', found.id)
          .where('row', '>', after)
          .where('row', '<=', after + rowsAtOnce)
          .orderBy('row')
          .execute(),
      [],
    );
    yield page.flatMap((row) => presentRow(database, found, row) ?? []);
  }
}

/** Returns rows of a campaign by their numbers, in the order of the numbers. Missing rows are left out. */
export async function rowsNumbered(
  database: CampaignDatabase,
  found: FoundCampaign,
  numbers: readonly number[],
): Promise<readonly CampaignRow[]> {
  // A larger number may not fit into the column.
  const possible = numbers.filter((number) => number <= found.rows);
  const rows = await database.read(
    ({ db, isIn }) =>
      db
        .selectFrom('campaign_rows')
        .select(rowColumns)
        .where('campaign', '=', found.id)
        .where(isIn(sql.ref('row'), possible))
        .execute(),
    [],
  );
  const byNumber = new Map(rows.map((row) => [row.row, row]));
  return possible.flatMap((number) => {
    const row = byNumber.get(number);
    return (row && presentRow(database, found, row)) ?? [];
  });
}

/** Returns the first planned row of a campaign, else the first row that has a device; undefined if there is none. */
export async function firstMessage(
  database: CampaignDatabase,
  found: FoundCampaign,
): Promise<CampaignRow | undefined> {
  const first = await database.read(
    ({ db }) =>
      db
        .selectFrom('campaign_rows')
        .select(rowColumns)
        .where('campaign', '=', found.id)
        .where('device', 'is not', null)
        .orderBy(({ eb }) => eb.case().when('state', '=', 'planned').then(0).else(1).end())
        .orderBy('row')
        .limit(1)
        .executeTakeFirst(),
    undefined,
  );
  return first && presentRow(database, found, first);
}

/** Summarises the planned messages of a campaign. It reads only the columns that it needs. */
export async function plannedMessages(
  database: CampaignDatabase,
  { id, rows, mark }: FoundCampaign,
): Promise<{ readonly messages: PlannedMessages; readonly alike: number }> {
  const [messages, alike] = [new PlannedMessages(), new AlikeMessages()];
  const end = mark?.state === 'cancelled' ? 0 : rows;
  for (let after = 0; after < end; after += rowsAtOnce) {
    const page = await database.read(
      ({ db }) =>
        db
          .selectFrom('campaign_rows')
          .select(['device', 'frozen'])
          .where('campaign', '=', id)
          .where('row', '>', after)
          .where('row', '<=', after + rowsAtOnce)
          .where('state', '=', 'planned')
          .orderBy('row')
          .execute(),
      [],
    );
    for (const { device, frozen } of page) {
      const found = parseJson(frozen);
      if (!isObject(found)) continue;
      const row = { to: asText(found.to), text: asText(found.text), device: device ?? undefined };
      messages.add(row);
      alike.add(row);
    }
  }
  return { messages, alike: alike.most };
}

function presentRow(
  { warn }: CampaignDatabase,
  { campaign, mark }: FoundCampaign,
  stored: RowRecord,
): CampaignRow | undefined {
  const found = rowOf(stored);
  if (found === undefined) {
    warn(`Row ${stored.row} of campaign ${inSentence(campaign.name)} is damaged and can't be read.`);
    return undefined;
  }
  const row = padCells(found, campaign.columns.length);
  return mark?.state === 'cancelled' ? cancelledRow(row, mark) : row;
}
