import type { Clock } from '../lib/clock.ts';
import type { CampaignRow } from './campaign.ts';
import type { QueueKey, SendQueue } from './send-queue.ts';
import type { RunningCampaign } from './store/running-campaign.ts';

export interface QueueEntry {
  readonly campaign: RunningCampaign;
  /** The index of the device in the campaign. */
  readonly device: number;
}

/** A device, with the campaigns of a run that send through it. */
export interface DeviceQueue {
  readonly key: QueueKey;
  /** The name of the device in messages. */
  readonly label: string;
  readonly entries: readonly QueueEntry[];
}

/** A message of another process that has the lease of the device. */
export interface ForeignMessage {
  /** The process that sends it, and its host, if they are recorded. */
  readonly holder: string | undefined;
  /** When its lease ends, by this machine's clock, in milliseconds since 1970. Its row is unknown from then on. */
  readonly until: number;
}

export interface ClaimOptions {
  /** Aborts the wait. */
  readonly signal: AbortSignal;
  /**
   * This machine's clock. All processes that use a SQLite file share it; those that use PostgreSQL share the server's
   * clock.
   */
  readonly clock: Clock;
  /** The timeout of the request, in milliseconds. */
  readonly requestTimeout: number;
  /**
   * Called repeatedly while another process has been sending a message through the device for more than a few seconds.
   */
  onHeld?(other: ForeignMessage): void;
}

/** The state of a send queue from which the caller decides about a claim. */
export interface ClaimOffer {
  readonly queue: SendQueue;
  /** The time of the store's clock, in milliseconds since 1970. */
  readonly now: number;
  /** The campaign that sends next, with its row; undefined if no campaign may send one. */
  readonly next: { readonly entry: QueueEntry; readonly row: CampaignRow } | undefined;
  /**
   * The campaigns of the claim that may have rows left: those that are not paused or cancelled and in which a row may
   * be found.
   */
  readonly waiting: readonly QueueEntry[];
}

/** The decision about an offer: send its row, send a message that is not a row, or send nothing. */
export type Decision<T> = {
  /** The queue to store, without the message. */
  readonly queue: SendQueue;
} & ({ readonly send: 'row' | 'test' } | { readonly instead: T });

/** The result of a claim: a message to send, or the result of the decision not to send. */
export type ClaimResult<T> = { readonly claim: Claim } | { readonly instead: T };

/** A message that only this process may send. No other process sends through its device until it is settled. */
export interface Claim {
  readonly entry: QueueEntry;
  /** The row, in the state `sending`; undefined if the message is not a row. */
  readonly row: CampaignRow | undefined;
  /**
   * Returns whether the request may still be sent: enough of the lease is left for the response to arrive within it.
   */
  isHeld(): boolean;
  /**
   * Stores the outcome, retrying until the database accepts it, and releases the device. Returns the resulting queue.
   * The retries end a few seconds after the signal of the claim aborts; the row is then unknown once its lease is over.
   * @throws Failure if the database refuses the outcome permanently, or the retries end without success
   */
  settle(outcome: RowOutcome): Promise<SendQueue>;
}

/**
 * The outcome of a message: accepted, provably not sent (`return`), rejected for its content, or lost. If it is lost,
 * it is unknown whether the service accepted it.
 */
export type RowOutcome =
  | { readonly event: 'accept' }
  | { readonly event: 'return' }
  | { readonly event: 'reject' | 'lose'; readonly reason: string; readonly because: string };

/** The lease ended before the message was sent: its process was suspended, or its connection took too long. */
export class LeaseExpired extends Error {
  override readonly name = 'LeaseExpired';

  constructor() {
    super(
      'the lease of the device expired before the request was sent: its connection took too long, or this process was suspended',
    );
  }
}
