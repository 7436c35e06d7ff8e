import type { ColumnType, Generated } from 'kysely';
import type { Mark, SkipReason } from '../campaign.ts';
import type { RowState } from '../row-state.ts';

/** A column that is set when a row is inserted and never changes. */
type Constant<T> = ColumnType<T, T, never>;

export interface CampaignTable {
  /** A UUID in lower case. */
  readonly id: Constant<string>;
  /** Scheme, host and port of the service. */
  readonly origin: Constant<string>;
  /** Its name as `nameKey` returns it, unique among the published campaigns of its service. */
  readonly name_key: Constant<string>;
  /** ISO 8601. */
  readonly created_at: Constant<string>;
  /** A `Campaign` as JSON, as `frozenText` returns it. */
  readonly frozen: string;
  /** The number of rows. */
  readonly rows: number;
  /** The server on which it was created, or to which it was moved; empty on SQLite. */
  readonly server: string;
  readonly mark: Mark['state'] | null;
  /** ISO 8601. */
  readonly marked_at: string | null;
  /**
   * Null for a published campaign. For a draft, the time of its last insert in milliseconds since 1970. Only the
   * process that writes a draft sees it. A draft with an old time belongs to a process that died.
   */
  readonly draft_at: number | null;
}

export interface CampaignRowTable {
  readonly campaign: string;
  /** From 1, in the order of the input. */
  readonly row: number;
  readonly device: number | null;
  readonly state: RowState;
  /** `line`, `cells`, `to`, `key` and `text` of the `CampaignRow` as JSON. */
  readonly frozen: string;
  /**
   * The number as `canonicalForm` returns it, unique in the campaign; null for rows without a number and for those that
   * are skipped as duplicates. Opt-outs are looked up by the number in `frozen`, not by this.
   */
  readonly form: string | null;
  /** The key as `keyDigest` returns it, unique in the campaign; null for the same rows, and for rows without a key. */
  readonly key_digest: string | null;
  readonly reason: SkipReason | string | null;
  readonly because: string | null;
  /** ISO 8601. */
  readonly at: string | null;
  readonly attempts: number | null;
  /** The lease of the last claim of the row. */
  readonly claim: string | null;
}

export interface QueueTable {
  readonly origin: Constant<string>;
  readonly device: Constant<string>;
  /** A `SendQueue` without `lastAt` as JSON. */
  readonly lane: string;
  /** When the last message was sent; after its outcome arrived, the time of the outcome. In milliseconds since 1970. */
  readonly last_at: number | null;
  /** A UUID while a message is being sent; null otherwise. */
  readonly lease: string | null;
  /** In milliseconds since 1970. */
  readonly lease_until: number | null;
  /** The process that holds the lease, as JSON: its host, and what identifies the process on it. */
  readonly holder: string | null;
}

/** A number that opted out at a service. */
export interface OptOutTable {
  /** Grows in the order of insertion. */
  readonly place: Generated<number>;
  readonly origin: Constant<string>;
  /** The number as `canonicalForm` returns it, unique for the service. */
  readonly form: Constant<string>;
  /** E.164 digits as they were entered. */
  readonly number: Constant<string>;
  /** ISO 8601. */
  readonly added_at: Constant<string>;
  readonly note: Constant<string | null>;
}

/** The tables of campaigns, the same in SQLite and PostgreSQL. */
export interface Tables {
  readonly campaigns: CampaignTable;
  readonly campaign_rows: CampaignRowTable;
  readonly lanes: QueueTable;
  readonly opt_outs: OptOutTable;
}
