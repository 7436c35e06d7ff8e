import type { Failure } from '../lib/errors.ts';
import type { Campaign, CampaignKey, CampaignRow, Mark, RowStanding } from './campaign.ts';
import type { OptOuts } from './opt-outs.ts';
import type { RowChange } from './row-state.ts';
import type { PlannedMessages, RowCounts } from './row-summary.ts';
import type { Claimed, ClaimOptions, Decision, LaneOfRun, Offer, RunningCampaign } from './running.ts';

/** A campaign without its rows, and what a person said of it. */
export interface MarkedCampaign {
  readonly campaign: Campaign;
  /** How many rows it has. */
  readonly rows: number;
  readonly mark?: Mark | undefined;
}

/** A campaign, and how its rows stand. */
export interface CampaignOverview {
  readonly campaign: Campaign;
  /** Of a campaign that is cancelled, those that would have been sent are skipped. */
  readonly counts: RowCounts;
  readonly mark?: Mark | undefined;
}

/** A campaign, and what is to be known of its rows as a whole. */
export interface CampaignSummary extends CampaignOverview {
  readonly messages: PlannedMessages;
  /** How many of those messages say the same, at the most. */
  readonly alike: number;
}

/** A campaign with all its rows, in their order, as they stand. */
export interface StoredCampaign {
  readonly campaign: Campaign;
  /** Of a campaign that is cancelled, those that would have been sent are skipped. */
  readonly rows: readonly CampaignRow[];
  readonly mark?: Mark | undefined;
}

/** A campaign to be kept. Its rows come in their order, one after the other. */
export interface NewCampaign {
  readonly campaign: Campaign;
  readonly rows: Iterable<CampaignRow> | AsyncIterable<CampaignRow>;
}

/** A list whose rows are added to a campaign. */
export interface AddedList {
  /** How many rows the campaign had when the list was read. */
  readonly after: number;
  /** The columns that the campaign has then: those that it had, and those of the list. */
  readonly columns: readonly string[];
  readonly source: Campaign['sources'][number];
}

/** The first row of a campaign with a number or a key: a later one with the same is skipped, or left out. */
export interface FirstRow {
  readonly row: number;
  readonly line: number;
  readonly to: string;
  readonly key?: string | undefined;
  /** Whether the campaign had it before this draft. */
  readonly isEarlier: boolean;
}

/**
 * Rows of a campaign that are being written. No other process sees them before they are published. If a process dies, a later
 * draft removes what it left.
 */
export interface CampaignDraft {
  /**
   * Returns the first rows with these numbers, in any of their forms, and with these keys: of the campaign and of the draft.
   * At most `rowsAtOnce` of each.
   */
  firstRows(numbers: readonly string[], keys: readonly string[]): Promise<readonly FirstRow[]>;
  /**
   * Writes the next rows, in their order, at most `rowsAtOnce`. Rows that are skipped as duplicates are never first rows.
   * @throws Failure if they can't be written
   */
  write(rows: readonly CampaignRow[]): Promise<void>;
  /**
   * Makes the rows a part of the campaign.
   * @throws Failure `invalidInput` if the name was taken meanwhile, or the campaign was changed
   */
  publish(): Promise<void>;
  /** Removes the rows that were written. */
  discard(): Promise<void>;
}

/** Rows that are read and written at a time. */
export const rowsAtOnce = 1000;

/** Where campaigns are kept, with what is known of devices and of who opted out. Each is found by its name, at the origin of its service. */
export interface CampaignStore {
  /** Where it is, as a part of a sentence: "on this machine". */
  readonly place: string;
  /** True where nothing was ever kept: a database that has no tables of botctl yet. */
  readonly isNew: boolean;
  /** Returns who opted out at a service. */
  optOuts(baseUrl: string): OptOuts;
  /**
   * Keeps a new campaign, which appears whole or not at all.
   * @throws Failure `invalidInput` where the name is taken, or it can't be written; and whatever its rows throw
   */
  create(made: NewCampaign): Promise<void>;
  /**
   * Begins to write a new campaign.
   * @throws Failure `invalidInput` where it can't be written
   */
  draft(campaign: Campaign): Promise<CampaignDraft>;
  /**
   * Begins to add rows to a campaign. Their numbers follow those of `AddedList.after`.
   * @throws Failure `notFound` if there is none any more; `invalidInput` if another one has its name by now, it has another
   * number of rows, and as `draft`
   */
  draftMore(to: CampaignKey, list: AddedList): Promise<CampaignDraft>;
  /**
   * Returns the campaigns of a service, in the order in which they were made, and why others can't be read, of whichever
   * service they are.
   */
  list(origin: string): Promise<{
    readonly campaigns: readonly CampaignOverview[];
    readonly unreadable: readonly Failure[];
  }>;
  /**
   * Returns a campaign, or undefined if there is none. Its rows are not looked at, and nobody is waited for who changes them.
   * @throws Failure `invalidInput` where it can't be read
   */
  find(origin: string, name: string): Promise<MarkedCampaign | undefined>;
  /**
   * Returns a campaign and how its rows stand, or undefined if there is none.
   * @throws Failure `invalidInput` where it can't be read
   */
  look(origin: string, name: string): Promise<CampaignOverview | undefined>;
  /**
   * Returns a campaign and what is to be known of its rows as a whole, or undefined if there is none. They are looked at one
   * after the other: there may be many.
   * @throws Failure as `look`
   */
  summarise(origin: string, name: string): Promise<CampaignSummary | undefined>;
  /**
   * Returns a campaign with its rows, or undefined if there is none.
   * @throws Failure as `look`
   */
  get(origin: string, name: string): Promise<StoredCampaign | undefined>;
  /**
   * Returns the rows of a campaign in their order, as they stand, a page at a time.
   * @throws Failure as `rowsNumbered`
   */
  rows(of: CampaignKey): AsyncIterable<readonly CampaignRow[]>;
  /**
   * Returns rows of a campaign as they stand, by their numbers and in the order of these; those that it lacks are left out.
   * @throws Failure `notFound` if there is none any more; `invalidInput` where another one has its name by now, and as `look`
   */
  rowsNumbered(of: CampaignKey, numbers: readonly number[]): Promise<readonly CampaignRow[]>;
  /**
   * Returns the first row of a campaign that is planned, else the first one that was; undefined where none has a message.
   * @throws Failure as `rowsNumbered`
   */
  firstMessage(of: CampaignKey): Promise<CampaignRow | undefined>;
  /**
   * Keeps the number that a device of a campaign has from now on.
   * @param device its place among the campaign's
   * @throws Failure `notFound` if there is none any more; `invalidInput` if another one has its name by now, and as `create`
   */
  setNumber(of: CampaignKey, device: number, number: string): Promise<void>;
  /**
   * Keeps what happens to rows. Returns those that it could happen to, as they stand then.
   * @throws Failure as `setNumber`
   */
  record(of: CampaignKey, changes: readonly RowChange[]): Promise<readonly RowStanding[]>;
  /**
   * Marks a campaign as paused or cancelled, or takes that away. A process that sends it sees that before its next message.
   * Nobody is waited for who adds or changes rows, which may take long. To end the sending is allowed on every machine.
   * @throws Failure `invalidInput` where it is cancelled already, and as `setNumber`
   */
  mark(of: CampaignKey, mark: Mark | undefined): Promise<void>;
  /**
   * Lets a campaign go on that may not be sent from here, for `RunningCampaign.obstacle`.
   * @throws Failure as `setNumber`
   */
  takeOver(of: CampaignKey): Promise<void>;
  /**
   * Removes a campaign with all that is known of it; on every machine where nothing of it is sent any more.
   * @throws Failure as `setNumber`
   */
  delete(of: CampaignKey): Promise<void>;
  /**
   * Opens a campaign that is to be sent.
   * @throws Failure `notFound`, and as `look`
   */
  open(origin: string, name: string): Promise<RunningCampaign>;
  /**
   * Claims the next message of a device once no other process has one on its way through it. Rows whose process ended become
   * unknown, and rows that opted out are skipped.
   * @param decide returns what to do about the state of the device; it is called in a transaction, and may be called again
   * @throws Failure `notFound` if a campaign was deleted; if the store can't be read or written; the signal's reason
   */
  claim<T>(
    lane: LaneOfRun,
    decide: (offer: Offer) => Decision<T>,
    options: ClaimOptions,
  ): Promise<Claimed<T>>;
}
