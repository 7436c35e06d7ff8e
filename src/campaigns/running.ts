import type { Clock } from '../lib/clock.ts';
import type { Failure } from '../lib/errors.ts';
import type { Campaign, CampaignRow, Mark, RowStanding } from './campaign.ts';
import type { Lane, LaneKey } from './lane.ts';
import type { RowChange, RowState, Tally } from './row-state.ts';

/** A campaign that is being sent: its rows by device, as they stand, whichever process changes them. */
export interface RunningCampaign {
  /** Tells it from every other one of its store. */
  readonly id: string;
  /** What is frozen of it. */
  readonly campaign: Campaign;
  readonly mark: Mark | undefined;
  /** Why nothing of it may be sent from here before a person says so, or undefined if it may. */
  readonly obstacle: Failure | undefined;
  /** Returns how many rows of a device are in each state, as they were when that was last looked at. */
  tally(device: number): Tally;
  /**
   * Returns how the rows stand that are in one of these states now, by their numbers.
   * @throws Failure as `CampaignStore.look`
   */
  rowsIn(states: readonly RowState[]): Promise<ReadonlyMap<number, RowStanding>>;
  /**
   * Reads what other processes have changed.
   * @throws Failure as `CampaignStore.open`
   */
  refresh(): Promise<void>;
}

/** A campaign in a lane. */
export interface LaneEntry {
  readonly campaign: RunningCampaign;
  /** The place of the device among the campaign's. */
  readonly device: number;
}

/** A device, with the campaigns of a run that go through it. */
export interface LaneOfRun {
  readonly key: LaneKey;
  /** What a person calls the device. */
  readonly label: string;
  readonly entries: readonly LaneEntry[];
}

/** How a turn is waited for, and what it goes by. */
export interface TurnOptions {
  /** Ends the waiting. */
  readonly signal: AbortSignal;
  /** The machine's, which files go by; where others share the store it has a clock of its own. */
  readonly clock: Clock;
  /** Takes over what belongs to another machine. */
  readonly takesOver?: boolean;
  /** Milliseconds that the request of a message may take. */
  readonly requestTimeout: number;
  /** Is told of a message of another process that has been on its way through the device for some seconds, each time that is looked at. */
  onHeld?(other: OtherMessage): void;
}

/** A message of another process, which the turn of its device is waited for. */
export interface OtherMessage {
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
  /** Takes over a device of another machine, for campaigns on files. */
  readonly takesOver?: boolean;
  /** Called repeatedly while another process has had a message on its way through the device for some seconds. */
  onHeld?(other: OtherMessage): void;
}

/** The state of a send queue that a claim is decided by. */
export interface Offer {
  readonly lane: Lane;
  /** The time of the store, in milliseconds since 1970. */
  readonly now: number;
  /** The campaign whose turn it is, with its next row; undefined if no campaign may send any. */
  readonly next: { readonly entry: LaneEntry; readonly row: CampaignRow } | undefined;
  /** The campaigns of the claim that may have rows left: neither paused, cancelled nor found without any. */
  readonly waiting: readonly LaneEntry[];
}

/** What to do about an offer: send the row, send a message that is not a row's, or neither. */
export type Decision<T> = {
  /** The queue as it is stored, without the message. */
  readonly lane: Lane;
} & ({ readonly send: 'row' | 'test' } | { readonly instead: T });

/** The result of a claim: a message to send, or what was decided instead. */
export type Claimed<T> = { readonly claim: Claim } | { readonly instead: T };

/** A message that this process alone may send now. No other process sends through its device until it is settled. */
export interface Claim {
  readonly entry: LaneEntry;
  /** The row, which is `sending`; undefined for a message that is not a row's. */
  readonly row: CampaignRow | undefined;
  /** Returns whether the request may still leave: so much of the lease is left that the answer comes within it. */
  isHeld(): boolean;
  /**
   * Stores the outcome, trying until the database takes it, and releases the device. Returns the queue after it.
   * @throws Failure if the database refuses it for good
   */
  settle(outcome: RowOutcome): Promise<Lane>;
}

/** A device through which a request is about to leave: nobody else sends anything through it. */
export interface DeviceClaim {
  /**
   * True while the request may leave: nobody can have taken the device for free, and what was decided is still so. Looked at
   * when the connection is made, and nothing is left but to write the request to it.
   */
  isHeld(): boolean;
}

/** A row whose request is about to leave: it is `sending`, and nobody else sends it or anything through its device. */
export interface RowClaim extends DeviceClaim {
  readonly row: CampaignRow;
}

/** The outcome of a message; `return` means that the service provably did not take it. */
export type RowOutcome =
  | { readonly event: 'accept' }
  | { readonly event: 'return' }
  | { readonly event: 'reject' | 'lose'; readonly reason: string; readonly because: string };

/** The turn of a device. Who has claimed a row or the device in it is the only one that sends through the device until it is released. */
export interface Turn {
  /** As it stands now; of its campaigns those that are neither paused nor cancelled, and are still there. */
  readonly lane: Lane;
  /** Returns the time by the clock that all go by who share the store, in milliseconds since 1970. */
  now(): number;
  /** Returns the first row that a campaign has planned for the device, or undefined if there is none. */
  next(entry: LaneEntry): CampaignRow | undefined;
  /** True if the number of such a row opted out. */
  isOptedOut(row: CampaignRow): boolean;
  /**
   * Keeps what is known of the device.
   * @throws LaneChanged where somebody else has changed it since the turn began
   */
  update(lane: Lane): Promise<void>;
  /** Keeps that a rule says of a row that it is not to be sent. */
  skip(entry: LaneEntry, row: number, why: Pick<RowChange, 'reason' | 'because'>): Promise<void>;
  /**
   * Keeps, before this returns also where the machine loses its power, that a row is about to be sent. Returns undefined if it
   * isn't to be: it isn't planned any more, its number opted out, its campaign was paused or cancelled, or its device is another's.
   * @param lane the device as it is with a message on its way
   */
  claim(entry: LaneEntry, row: CampaignRow, lane: Lane): Promise<RowClaim | undefined>;
  /**
   * Keeps what came of the message that was claimed.
   * @param lane the device as it is then
   */
  settle(
    entry: LaneEntry,
    row: number,
    outcome: Pick<RowChange, 'event' | 'reason' | 'because'>,
    lane: Lane,
  ): Promise<void>;
  /**
   * Keeps, before this returns also where the machine loses its power, that a message which is no row's is about to leave.
   * Returns undefined if it isn't to: the device is another's. Where its process dies, the device is as after every message
   * whose process died, and no row is unknown.
   * @param lane the device as it is with a message on its way
   */
  claimDevice(lane: Lane): Promise<DeviceClaim | undefined>;
  /**
   * Keeps what came of a message that is no row's, as far as it says something of its device.
   * @param lane the device as it is then
   */
  settleDevice(lane: Lane): Promise<void>;
  /** Lets others have the turn. */
  release(): void;
}

/** A message may not leave any more: its process stood still, or its connection took, for so long that its turn is over. */
export class TurnOver extends Error {
  override readonly name = 'TurnOver';

  constructor() {
    super(
      'the turn of the device was over before the request left: its connection took too long, or this process stood still',
    );
  }
}

/** Somebody else has changed what is known of a device: what was to be kept no longer follows from it. */
export class LaneChanged extends Error {
  override readonly name = 'LaneChanged';
}
