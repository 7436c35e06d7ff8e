import { sql } from 'kysely';
import { Failure } from '../../lib/errors.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { inSentence } from '../../lib/text/sentence.ts';
import type { Campaign, Mark, RowStatus } from '../campaign.ts';
import { noCampaignFailure } from '../campaign-failures.ts';
import { emptyTally, type RowState, type Tally } from '../row-state.ts';
import type { CampaignDatabase } from './database.ts';
import { type FoundCampaign, parseCampaign, selectCampaigns } from './find.ts';
import { rowStatusOf } from './rows.ts';
import type { CampaignTable } from './tables.ts';

/**
 * The minimum time between two counts of the rows: this many times the duration of a count, and at least this many
 * milliseconds.
 */
const [countShare, countPauseMs] = [50, 10_000];

type MarkColumns = Pick<CampaignTable, 'mark' | 'marked_at'> & { readonly is_at_home: unknown };

/**
 * A campaign that is being sent, with the number of rows in each state by device. All rows are counted from time to
 * time; between two counts, the changes of this process are added.
 */
export class RunningCampaign {
  readonly #database: CampaignDatabase;
  readonly #tallies = new Map<number, Record<RowState, number>>();
  #found: Pick<FoundCampaign, 'id' | 'campaign' | 'mark' | 'isAtHome'>;
  #countAgainAt = 0;

  constructor(database: CampaignDatabase, found: FoundCampaign) {
    this.#database = database;
    this.#found = found;
  }

  /** Unique in its store. */
  get id(): string {
    return this.#found.id;
  }

  get campaign(): Campaign {
    return this.#found.campaign;
  }

  get mark(): Mark | undefined {
    const { mark, isAtHome } = this.#found;
    return mark ?? (isAtHome ? undefined : { state: 'paused', at: this.campaign.created_at });
  }

  /** Why the campaign may not be sent from here without the user's consent, or undefined if it may. */
  get obstacle(): Failure | undefined {
    if (this.#found.isAtHome) return undefined;
    const { name } = this.campaign;
    return new Failure(
      'invalidInput',
      `${this.#database.name} had a failover or a restored backup after campaign ${inSentence(name)} was created. The last messages may be missing in it.`,
      {
        hint: remark`Check which rows were sent last, on the phone too, and settle or cancel them. Then run: ${command('campaigns', 'run', name, '--accept-failover')}`,
      },
    );
  }

  /** Returns the number of rows of a device in each state, as last counted. */
  tally(device: number): Tally {
    return this.#tallies.get(device) ?? emptyTally();
  }

  /**
   * Returns the current status of the rows in one of these states, by their numbers. @throws Failure as
   * `CampaignStore.look`
   */
  async rowsIn(states: readonly RowState[]): Promise<ReadonlyMap<number, RowStatus>> {
    if (states.length === 0) return new Map();
    const rows = await this.#database.read(
      ({ db }) =>
        db
          .selectFrom('campaign_rows')
          .select(['row', 'state', 'device', 'attempts'])
          .where('campaign', '=', this.id)
          .where('state', 'in', [...states])
          .orderBy('row')
          .execute(),
      [],
    );
    return new Map(rows.map((row) => [row.row, rowStatusOf(row)]));
  }

  /**
   * Reads the campaign and the counts again, with the changes of other processes. @throws Failure as
   * `CampaignStore.open`
   */
  async refresh(): Promise<void> {
    const begun = performance.now();
    const { name } = this.campaign;
    const read = await this.#database.read(async ({ db, server }) => {
      const record = await selectCampaigns(db, server).where('id', '=', this.id).executeTakeFirst();
      const counts = await db
        .selectFrom('campaign_rows')
        .select(['device', 'state', sql<number>`count(*)`.as('count')])
        .where('campaign', '=', this.id)
        .where('device', 'is not', null)
        .groupBy(['device', 'state'])
        .execute();
      return record && { found: parseCampaign(record, this.#database.place), counts };
    }, undefined);
    if (read === undefined) throw noCampaignFailure(name);
    this.#found = read.found;
    this.#tallies.clear();
    for (const { device, state, count } of read.counts) this.#tallyOf(device ?? 0)[state] = Number(count);
    const now = performance.now();
    this.#countAgainAt = now + Math.max(countPauseMs, (now - begun) * countShare);
  }

  /** Calls `refresh` if the last count is too old. @throws Failure as `refresh` */
  async refreshInTime(): Promise<void> {
    if (performance.now() >= this.#countAgainAt) await this.refresh();
  }

  /** Applies the columns that a claim read. */
  applyRead({ mark, marked_at, is_at_home }: MarkColumns): void {
    const read = mark === null ? undefined : { state: mark, at: marked_at ?? '' };
    this.#found = { ...this.#found, mark: read, isAtHome: Boolean(is_at_home) };
  }

  /** Counts a change of a row of a device by this process. */
  countChange(device: number, before: RowState, after: RowState): void {
    const tally = this.#tallyOf(device);
    tally[before] -= 1;
    tally[after] += 1;
  }

  #tallyOf(device: number): Record<RowState, number> {
    const tally = this.#tallies.get(device) ?? emptyTally();
    this.#tallies.set(device, tally);
    return tally;
  }
}
