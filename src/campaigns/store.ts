import type { Campaign, CampaignRow } from './campaign.ts';

/** A campaign with all its rows, in their order. */
export interface StoredCampaign {
  readonly campaign: Campaign;
  readonly rows: readonly CampaignRow[];
}

/** Where campaigns are kept. Each is found by its name, at the origin of its service. */
export interface CampaignStore {
  /**
   * Keeps a new campaign, which appears whole or not at all.
   * @throws Failure `invalidInput` where the name is taken, or it can't be written
   */
  create(stored: StoredCampaign): Promise<void>;
  /**
   * Returns the campaigns of a service, in the order in which they were made.
   * @throws Failure `invalidInput` where one can't be read
   */
  list(origin: string): Promise<readonly StoredCampaign[]>;
  /**
   * Returns a campaign, or undefined if there is none.
   * @throws Failure as `list`
   */
  get(origin: string, name: string): Promise<StoredCampaign | undefined>;
  /**
   * Puts what is made of a campaign in its place; nobody else changes it meanwhile.
   * @throws Failure `notFound` if there is none, else as `create` and `list`; and whatever `change` throws
   */
  change(
    origin: string,
    name: string,
    change: (stored: StoredCampaign) => StoredCampaign,
  ): Promise<StoredCampaign>;
  /**
   * Removes a campaign with all that is known of it.
   * @throws Failure as `change`
   */
  delete(origin: string, name: string): Promise<void>;
}
