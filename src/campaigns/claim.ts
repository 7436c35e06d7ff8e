import type { Clock } from '../lib/clock.ts';
import type { CampaignRow } from './campaign.ts';
import type { QueueKey, SendQueue } from './send-queue.ts';
import type { RunningCampaign } from './store/running-campaign.ts';

/** A campaign in a queue. */
export interface QueueEntry {
  readonly campaign: RunningCampaign;
  /** The place of the device among the campaign's. */
  readonly device: number;
}

/** A device, with the campaigns of a run that go through it. */
export interface DeviceQueue {
  readonly key: QueueKey;
  /** The name of the device in messages. */
  readonly label: string;
  readonly entries: readonly QueueEntry[];
}

/** A message of another process that has the lease of the device. */
export interface ForeignMessage {
  /** The process that sends it, and its host, as far as that is known. */
  readonly holder: string | undefined;
  /** When it is given up, by the clock of this machine; milliseconds since 1970. Its row is unknown from then on. */
  readonly until: number;
}

/** How a claim waits, and what it depends on. */
export interface ClaimOptions {
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** This machine's clock. All processes of a SQLite file go by it; those of PostgreSQL go by the server's. */
  readonly clock: Clock;
  /** How long the request of a message may take, in milliseconds. */
  readonly requestTimeout: number;
  /** Called repeatedly while another process has had a message on its way through the device for some seconds. */
  onHeld?(other: ForeignMessage): void;
}

/** The state of a send queue that a claim is decided by. */
export interface ClaimOffer {
  readonly queue: SendQueue;
  /** The time of the store, in milliseconds since 1970. */
  readonly now: number;
  /** The campaign that sends next, with its row; undefined if no campaign may send one. */
  readonly next: { readonly entry: QueueEntry; readonly row: CampaignRow } | undefined;
  /** The campaigns of the claim that may have rows left: neither paused, cancelled nor found without any. */
  readonly waiting: readonly QueueEntry[];
}

/** What to do about an offer: send the row, send a message that is not a row's, or neither. */
export type Decision<T> = {
  /** The queue as it is stored, without the message. */
  readonly queue: SendQueue;
} & ({ readonly send: 'row' | 'test' } | { readonly instead: T });

/** The result of a claim: a message to send, or what was decided instead. */
export type ClaimResult<T> = { readonly claim: Claim } | { readonly instead: T };

/** A message that this process alone may send now. No other process sends through its device until it is settled. */
export interface Claim {
  readonly entry: QueueEntry;
  /** The row, which is `sending`; undefined for a message that is not a row's. */
  readonly row: CampaignRow | undefined;
  /** Returns whether the request may still leave: so much of the lease is left that the answer comes within it. */
  isHeld(): boolean;
  /**
   * Stores the outcome, trying until the database takes it, and releases the device. Returns the queue after it. A few seconds
   * after the signal of the claim it gives up: the row is unknown once its lease is over.
   * @throws Failure if the database refuses it for good, or takes nothing when the attempts end
   */
  settle(outcome: RowOutcome): Promise<SendQueue>;
}

/**
 * The outcome of a message: accepted, provably not sent (`return`), rejected for its content, or lost, so that it is unknown
 * whether the service accepted it.
 */
export type RowOutcome =
  | { readonly event: 'accept' }
  | { readonly event: 'return' }
  | { readonly event: 'reject' | 'lose'; readonly reason: string; readonly because: string };

/** The lease ended before the message left: its process was suspended, or its connection took too long. */
export class LeaseExpired extends Error {
  override readonly name = 'TurnOver';

  constructor() {
    super(
      'the lease of the device expired before the request was sent: its connection took too long, or this process was suspended',
    );
  }
}
