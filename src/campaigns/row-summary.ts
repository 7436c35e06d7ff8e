import { hash } from 'node:crypto';
import { fold } from '../lib/text/compare.ts';
import type { CampaignRow, Mark, SkipReason } from './campaign.ts';
import { type Pace, secondsAtPace } from './pace.ts';
import type { RowState } from './row-state.ts';

/** How many rows of a campaign are of each state and reason. */
export interface RowCounts {
  readonly rows: number;
  readonly planned: number;
  readonly accepted: number;
  readonly rejected: number;
  readonly unknown: number;
  readonly sending: number;
  readonly opted_out: number;
  readonly duplicates: number;
  readonly invalid: number;
  readonly cancelled: number;
}

/**
 * Returns how a campaign of such rows stands: whether it is finished no process has to have said.
 * @param mark what a person said of it
 */
export function campaignState(
  { planned, sending, accepted, rejected, unknown }: RowCounts,
  mark: Mark | undefined,
): 'new' | 'started' | 'finished' | 'paused' | 'cancelled' {
  if (mark?.state === 'cancelled') return 'cancelled';
  if (planned + sending === 0) return 'finished';
  return mark?.state ?? (sending + accepted + rejected + unknown > 0 ? 'started' : 'new');
}

/** How many rows of a campaign are in each state, and how many are skipped for each reason. */
export interface RowGroups {
  readonly states: Map<string, number>;
  readonly reasons: Map<string | null | undefined, number>;
}

/** Returns the counts of a campaign. @param isCancelled whether rows that are planned are skipped by that */
export function countsOf({ states, reasons }: RowGroups, isCancelled: boolean): RowCounts {
  const inState = (state: RowState): number => states.get(state) ?? 0;
  const because = (reason: SkipReason): number => reasons.get(reason) ?? 0;
  const planned = inState('planned');
  return {
    rows: [...states.values()].reduce((sum, count) => sum + count, 0),
    planned: isCancelled ? 0 : planned,
    accepted: inState('accepted'),
    rejected: inState('rejected'),
    unknown: inState('unknown'),
    sending: inState('sending'),
    opted_out: because('opted_out'),
    duplicates: because('duplicate') + because('duplicate_key'),
    invalid: because('invalid'),
    cancelled: because('cancelled') + (isCancelled ? planned : 0),
  };
}

/** A row that is planned, as far as its message is concerned. */
export type PlannedRow = Pick<CampaignRow, 'to' | 'device' | 'text'>;

/** A summary of the planned messages, in their order. */
export class PlannedMessages {
  /** How many there are, by their device. */
  readonly #counts = new Map<number, number>();
  first: PlannedRow | undefined;
  last: PlannedRow | undefined;
  /** The longest text. */
  longest: string | undefined;

  add(row: PlannedRow): void {
    const { device, text } = row;
    this.first ??= row;
    this.last = row;
    if ((text?.length ?? 0) > (this.longest?.length ?? 0)) this.longest = text;
    if (device !== undefined) this.#counts.set(device, (this.#counts.get(device) ?? 0) + 1);
  }

  /** Returns about how long they take, in seconds: each device sends its own, at the same time as the others. */
  secondsNeeded(pace: Pace): number {
    return secondsAtPace(pace, Math.max(0, ...this.#counts.values()));
  }
}

/** A summary of the rows of a campaign. They are added one after the other, since there may be many. */
export class RowSummary {
  readonly #groups: RowGroups = { states: new Map(), reasons: new Map() };
  readonly messages = new PlannedMessages();

  static of(rows: Iterable<CampaignRow>): RowSummary {
    const summary = new RowSummary();
    for (const row of rows) summary.add(row);
    return summary;
  }

  add(row: CampaignRow): void {
    const { states, reasons } = this.#groups;
    addOne(states, row.state);
    if (row.state === 'skipped') addOne(reasons, row.reason);
    if (row.state === 'planned') this.messages.add(row);
  }

  /** How many rows there are of each state and reason. */
  get counts(): RowCounts {
    return countsOf(this.#groups, false);
  }
}

function addOne<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Messages that say the same as each other: without case, accents, digits and punctuation. */
export class AlikeMessages {
  /** By 32 bits of a hash: that two messages share them by chance changes a count by one at most, which is never the highest. */
  readonly #counts = new Map<number, number>();
  /** How many say the same, at the most. */
  most = 0;

  /** Takes a message that is planned. */
  add({ text }: PlannedRow): void {
    if (text === undefined) return;
    const words = fold(text).replace(/[^\p{L}]+/gu, ' ');
    const short = hash('sha1', words, 'buffer').readInt32LE();
    const count = (this.#counts.get(short) ?? 0) + 1;
    this.#counts.set(short, count);
    this.most = Math.max(this.most, count);
  }
}
