import { hash } from 'node:crypto';
import { fold } from '../lib/text/compare.ts';
import type { CampaignRow, Mark, SkipReason } from './campaign.ts';
import { type Pace, secondsAtPace } from './pace.ts';
import type { RowState } from './row-state.ts';

/** The number of rows of a campaign by state and reason. */
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
 * Returns the state of a campaign from the counts of its rows. It needs no record of the process that sent it, so a
 * crash can't leave it wrong.
 * @param mark what the user set
 */
export function campaignState(
  { planned, sending, accepted, rejected, unknown }: RowCounts,
  mark: Mark | undefined,
): 'new' | 'started' | 'finished' | 'paused' | 'cancelled' {
  if (mark?.state === 'cancelled') return 'cancelled';
  if (planned + sending === 0) return 'finished';
  return mark?.state ?? (sending + accepted + rejected + unknown > 0 ? 'started' : 'new');
}

/** The number of rows of a campaign in each state, and of skipped rows for each reason. */
export interface RowGroups {
  readonly states: Map<string, number>;
  readonly reasons: Map<string | null | undefined, number>;
}

/** Returns the counts of a campaign. @param isCancelled whether to count planned rows as skipped */
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

/** The parts of a planned row that its message depends on. */
export type PlannedRow = Pick<CampaignRow, 'to' | 'device' | 'text'>;

/** A summary of the planned messages, in their order. */
export class PlannedMessages {
  /** The number of messages of each device. */
  readonly #counts = new Map<number, number>();
  first: PlannedRow | undefined;
  last: PlannedRow | undefined;
  longest: string | undefined;

  add(row: PlannedRow): void {
    const { device, text } = row;
    this.first ??= row;
    this.last = row;
    if ((text?.length ?? 0) > (this.longest?.length ?? 0)) this.longest = text;
    if (device !== undefined) this.#counts.set(device, (this.#counts.get(device) ?? 0) + 1);
  }

  /** Returns about how long they take, in seconds. The devices send at the same time. */
  secondsNeeded(pace: Pace): number {
    return secondsAtPace(pace, Math.max(0, ...this.#counts.values()));
  }
}

/** A summary of the rows of a campaign. Rows are added one at a time, since there may be many. */
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

  /** The number of rows by state and reason. */
  get counts(): RowCounts {
    return countsOf(this.#groups, false);
  }
}

function addOne<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Counts messages that are the same apart from case, accents, digits and punctuation. */
export class AlikeMessages {
  /**
   * By 32 bits of a hash. If two messages collide by chance, a count is too high by one, and such a count is never the
   * highest.
   */
  readonly #counts = new Map<number, number>();
  /** The highest of the counts. */
  most = 0;

  add({ text }: PlannedRow): void {
    if (text === undefined) return;
    const words = fold(text).replace(/[^\p{L}]+/gu, ' ');
    const short = hash('sha1', words, 'buffer').readInt32LE();
    const count = (this.#counts.get(short) ?? 0) + 1;
    this.#counts.set(short, count);
    this.most = Math.max(this.most, count);
  }
}
