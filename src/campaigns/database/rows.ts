import { type Kysely, type RawBuilder, sql } from 'kysely';
import * as z from 'zod/mini';
import { oneForm } from '../../lib/number-forms.ts';
import type { Campaign, CampaignRow, RowStanding } from '../campaign.ts';
import { frozenMembers, rowSchema } from '../kept-form.ts';
import { rowStates } from '../row-state.ts';
import type { RowCounts } from '../row-summary.ts';

const frozenSchema = z.strictObject(frozenMembers);

/** Returns what is frozen of a campaign, of the database's answer. */
export function campaignOf(frozen: unknown): Campaign {
  return z.parse(frozenSchema, frozen);
}

/** Returns a campaign as it is kept. @throws ZodError for what could not be read again */
export function frozenText(campaign: Campaign): string {
  return JSON.stringify(z.parse(frozenSchema, campaign));
}

/** The columns of which `rowOf` makes a row. */
export const rowColumns: RawBuilder<unknown> = sql`r.row, r.device, r.state, r.frozen, r.reason, r.because, r.at, r.attempts`;

const rowAnswer = z.looseObject({ frozen: z.looseObject({}) });

/** Returns a row of a campaign, of the database's answer. */
export function rowOf(answer: unknown): CampaignRow {
  const { frozen, ...rest } = z.parse(rowAnswer, answer);
  const { line, cells, to, key, text } = frozen;
  const members = { ...rest, line, cells, to, key, text };
  const given = Object.entries(members).filter(
    ([name, value]) => value !== null && value !== undefined && name !== 'campaign',
  );
  return z.parse(rowSchema, Object.fromEntries(given));
}

/** The columns of which `standingOf` makes how a row stands. */
export const standingColumns: RawBuilder<unknown> = sql`r.row, r.device, r.state, r.attempts`;

const standingAnswer = z.object({
  row: z.number(),
  device: z.nullable(z.number()),
  state: z.enum(rowStates),
  attempts: z.nullable(z.number()),
});

/** Returns how a row stands, of the database's answer. */
export function standingOf(answer: unknown): RowStanding {
  const { row, device, state, attempts } = z.parse(standingAnswer, answer);
  return { row, state, device: device ?? undefined, attempts: attempts ?? undefined };
}

/** Rows that are written at a time. */
const rowsAtOnce = 1000;

/** Writes rows of a campaign, one piece after the other. Returns how many there were. */
export async function insertRows(
  step: Kysely<unknown>,
  campaign: string,
  rows: Iterable<CampaignRow> | AsyncIterable<CampaignRow>,
): Promise<number> {
  let count = 0;
  let piece: unknown[][] = [];
  const write = async (): Promise<void> => {
    if (piece.length === 0) return;
    const columns = rowParts.map((_, at) => piece.map((row) => row[at]));
    const given = rowParts.map((type, at) => sql`${columns[at]}::${sql.raw(type)}[]`);
    await sql`insert into campaign_rows (row, device, attempts, state, form, reason, because, at, frozen, campaign)
      select *, ${campaign}::uuid from unnest(${sql.join(given)})`.execute(step);
    piece = [];
  };
  for await (const row of rows) {
    count += 1;
    piece.push(keptRow(row));
    if (piece.length === rowsAtOnce) await write();
  }
  await write();
  return count;
}

/** The types of what `keptRow` returns. */
const rowParts = ['integer', 'integer', 'integer', 'text', 'text', 'text', 'text', 'text', 'json'] as const;

function keptRow(made: CampaignRow): unknown[] {
  const { row, device, attempts, state, to, reason, because, at, line, cells, key, text } = made;
  const form = to === undefined ? undefined : oneForm(to);
  const frozen = JSON.stringify({ line, cells, to, key, text });
  return [row, device, attempts, state, form, plain(reason), plain(because), at, frozen];
}

/** Returns a text as PostgreSQL takes it: it has no place for the character 0, and none for half a character. */
export function plain(text: string | undefined): string | undefined {
  return text === undefined ? undefined : Buffer.from(text.replaceAll('\0', '')).toString();
}

const countAnswer = z.array(
  z.object({
    state: z.string(),
    reason: z.nullable(z.string()),
    count: z.number(),
    begun: z.nullable(z.boolean()),
  }),
);

/** The rows of the campaign `c` by state and reason, of which `countsOf` makes the counts. */
export const groupsOfRows: RawBuilder<unknown> = sql`(select coalesce(json_agg(g), '[]') from (
  select state, case when state = 'skipped' then reason end as reason, count(*) as count, bool_or(attempts is not null) as begun
  from campaign_rows where campaign = c.id group by 1, 2) as g)`;

/** Returns the counts of a campaign's rows, of the database's answer. @param isCancelled what was left of it is skipped then */
export function countsOf(answer: unknown, isCancelled: boolean): RowCounts {
  const groups = z.parse(countAnswer, answer);
  const sum = (matches: (group: (typeof groups)[number]) => boolean): number =>
    groups.filter(matches).reduce((total, { count }) => total + count, 0);
  const inState = (wanted: string): number => sum(({ state }) => state === wanted);
  const because = (...reasons: readonly string[]): number =>
    sum(({ state, reason }) => state === 'skipped' && reasons.includes(reason ?? ''));
  const planned = inState('planned');
  return {
    rows: sum(() => true),
    planned: isCancelled ? 0 : planned,
    accepted: inState('accepted'),
    rejected: inState('rejected'),
    unknown: inState('unknown'),
    sending: inState('sending'),
    opted_out: because('opted_out'),
    duplicates: because('duplicate', 'duplicate_key'),
    invalid: because('invalid'),
    cancelled: because('cancelled') + (isCancelled ? planned : 0),
    wasBegun: groups.some(({ begun }) => begun === true),
  };
}
