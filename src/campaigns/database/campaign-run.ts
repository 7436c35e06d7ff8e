import { sql } from 'kysely';
import * as z from 'zod/mini';
import { Failure } from '../../lib/errors.ts';
import { inSentence } from '../../lib/text/in-sentence.ts';
import { command, remark } from '../../lib/text/remark.ts';
import type { Campaign, Mark, RowStanding } from '../campaign.ts';
import { noCampaign } from '../named.ts';
import { noRows, type RowState, rowStates, type Tally } from '../row-state.ts';
import type { RunningCampaign } from '../running.ts';
import type { CampaignDatabase } from './connection.ts';
import { campaignOf, standingColumns, standingOf } from './rows.ts';

/** What is known of a campaign whose rows are left aside. */
export interface CampaignState {
  readonly campaign: Campaign;
  readonly mark: Mark | undefined;
  /** True if the database is the one that it was made in, or has taken over. */
  readonly isAtHome: boolean;
}

const stateAnswer = z.looseObject({
  frozen: z.unknown(),
  mark: z.nullable(z.enum(['paused', 'cancelled'])),
  marked_at: z.nullable(z.string()),
  is_at_home: z.boolean(),
});

/** Returns what the database answers of a campaign. */
export function stateOf(answer: unknown): CampaignState {
  const { frozen, mark, marked_at, is_at_home } = z.parse(stateAnswer, answer);
  return {
    campaign: campaignOf(frozen),
    mark: mark === null ? undefined : { state: mark, at: marked_at ?? '' },
    isAtHome: is_at_home,
  };
}

const tallyAnswer = z.object({ device: z.number(), state: z.enum(rowStates), count: z.number() });

/** Rows are counted again after so many times the time that it took, and not before a number of milliseconds. */
const [countShare, countPauseMs] = [50, 10_000];

/** A campaign in a database that is being sent. */
export class CampaignInDatabase implements RunningCampaign {
  readonly #database: CampaignDatabase;
  readonly #tallies = new Map<number, Record<RowState, number>>();
  #state: CampaignState;
  #countAgainAt = 0;

  private constructor(
    database: CampaignDatabase,
    readonly id: string,
    state: CampaignState,
  ) {
    this.#database = database;
    this.#state = state;
  }

  /** @throws Failure `notFound` */
  static async open(database: CampaignDatabase, id: string): Promise<CampaignInDatabase> {
    const campaign = new CampaignInDatabase(database, id, await read(database, id, undefined));
    await campaign.#count();
    return campaign;
  }

  get campaign(): Campaign {
    return this.#state.campaign;
  }

  get mark(): Mark | undefined {
    const { mark, isAtHome } = this.#state;
    return mark ?? (isAtHome ? undefined : { state: 'paused', at: this.campaign.created_at });
  }

  get obstacle(): Failure | undefined {
    if (this.#state.isAtHome) return undefined;
    const { name } = this.campaign;
    return new Failure(
      'invalidInput',
      `Campaign ${inSentence(name)} is in another state of ${this.#database.name} than it was made in: a standby took over, or a backup was brought back. What was sent last may be marked as not sent.`,
      {
        hint: remark`Look which rows were sent last, on the phone too, and settle or cancel; then: ${command('campaigns', 'run', name, '--accept-failover')}`,
      },
    );
  }

  tally(device: number): Tally {
    return this.#tallies.get(device) ?? noRows();
  }

  async rowsIn(states: readonly RowState[]): Promise<ReadonlyMap<number, RowStanding>> {
    if (states.length === 0) return new Map();
    const { db, asked } = this.#database;
    const found = sql`select ${standingColumns} from campaign_rows as r
      where r.campaign = ${this.id}::uuid and r.state in (${sql.join(states)}) order by r.row`;
    const rows = (await asked(() => found.execute(db))).rows.map(standingOf);
    return new Map(rows.map((row) => [row.row, row]));
  }

  async refresh(): Promise<void> {
    this.#state = await read(this.#database, this.id, this.campaign.name);
    await this.#count();
  }

  /** Takes what was read of it with its device; the rows are counted again where that was long ago. */
  async take(state: CampaignState): Promise<void> {
    this.#state = state;
    if (performance.now() >= this.#countAgainAt) await this.#count();
  }

  /** Counts what this process has done to a row of a device. */
  note(device: number, before: RowState, now: RowState): void {
    const tally = this.#tallies.get(device) ?? noRows();
    this.#tallies.set(device, tally);
    tally[before] -= 1;
    tally[now] += 1;
  }

  async #count(): Promise<void> {
    const { db, asked } = this.#database;
    const begun = performance.now();
    const counting = sql`select device, state, count(*) as count from campaign_rows
      where campaign = ${this.id}::uuid and device is not null group by device, state`;
    const { rows } = await asked(() => counting.execute(db));
    this.#tallies.clear();
    for (const { device, state, count } of rows.map((row) => z.parse(tallyAnswer, row))) {
      const tally = this.#tallies.get(device) ?? noRows();
      this.#tallies.set(device, tally);
      tally[state] = count;
    }
    const now = performance.now();
    this.#countAgainAt = now + Math.max(countPauseMs, (now - begun) * countShare);
  }
}

async function read(
  { db, asked, server }: CampaignDatabase,
  id: string,
  name: string | undefined,
): Promise<CampaignState> {
  const found = sql`select c.frozen, c.mark, c.marked_at, c.server = ${server} as is_at_home
    from campaigns as c where c.id = ${id}::uuid`;
  const [row] = (await asked(() => found.execute(db))).rows;
  if (row === undefined) throw noCampaign(name ?? id);
  return stateOf(row);
}
