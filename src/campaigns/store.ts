import type { Failure } from '../lib/errors.ts';
import type { Campaign, CampaignRow } from './campaign.ts';
import type { RowEvent } from './row-state.ts';

/** What a person said of a campaign: nothing of it is sent before they say otherwise, or at all. */
export interface Mark {
  readonly state: 'paused' | 'cancelled';
  /** ISO 8601. */
  readonly at: string;
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

/** Something that happens to a row. */
export interface RowChange {
  /** The number of the row. */
  readonly row: number;
  readonly event: RowEvent;
  /** ISO 8601. */
  readonly at: string;
  /** Why, as a code, and in words. */
  readonly reason?: string | undefined;
  readonly because?: string | undefined;
}

/** What tells a campaign from every other one, also from a later one of its name. */
export type CampaignKey = Pick<Campaign, 'origin' | 'name' | 'created_at'>;

/** Where campaigns are kept. Each is found by its name, at the origin of its service. */
export interface CampaignStore {
  /**
   * Keeps a new campaign, which appears whole or not at all.
   * @throws Failure `invalidInput` where the name is taken, or it can't be written; and whatever its rows throw
   */
  create(made: NewCampaign): Promise<void>;
  /**
   * Returns the campaigns of a service, in the order in which they were made, and why others can't be read, of whichever
   * service they are.
   */
  list(origin: string): Promise<{
    readonly campaigns: readonly StoredCampaign[];
    readonly unreadable: readonly Failure[];
  }>;
  /**
   * Returns a campaign, or undefined if there is none.
   * @throws Failure `invalidInput` where it can't be read
   */
  get(origin: string, name: string): Promise<StoredCampaign | undefined>;
  /**
   * Puts what is made of a campaign in its place; nobody else changes it meanwhile.
   * @throws Failure `notFound` if there is none any more; `invalidInput` where another one has its name by now, it belongs to
   * another machine, and as `create` and `get`; and whatever `change` throws
   */
  change(of: CampaignKey, change: (stored: StoredCampaign) => StoredCampaign): Promise<StoredCampaign>;
  /**
   * Keeps what happens to rows. Returns those that it could happen to, as they stand then.
   * @throws Failure as `change`
   */
  record(of: CampaignKey, changes: readonly RowChange[]): Promise<readonly CampaignRow[]>;
  /**
   * Marks a campaign as paused or cancelled, or takes that away. A process that sends it sees that before its next message.
   * To end the sending is allowed on every machine.
   * @throws Failure `invalidInput` where it is cancelled already, and as `change`
   */
  mark(of: CampaignKey, mark: Mark | undefined): Promise<void>;
  /**
   * Makes this machine the one that a campaign belongs to.
   * @throws Failure as `change`
   */
  move(of: CampaignKey): Promise<void>;
  /**
   * Removes a campaign with all that is known of it; on every machine where nothing of it is sent any more.
   * @throws Failure as `change`
   */
  delete(of: CampaignKey): Promise<void>;
}
