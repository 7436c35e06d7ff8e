import type { RawBuilder, Transaction } from 'kysely';
import type { Database } from '../../database/open.ts';
import type { Tables } from './tables.ts';

/** A transaction on the tables of campaigns. */
export type CampaignTransaction = Transaction<Tables>;

/** The database of campaigns, with its tables. */
export interface OpenDatabase extends Database<Tables> {
  /** The time, in milliseconds since 1970: that of the server, which all hosts go by; on SQLite that of this machine. */
  readonly now: RawBuilder<number>;
  /**
   * Identifies the data of a server: it differs after a standby took over and after a backup was restored. Empty on SQLite.
   */
  readonly server: RawBuilder<string>;
}

/**
 * The place that campaigns are stored in: a SQLite file or a database on a server. It is opened at the first call, and its
 * tables are created by the first write. No call may be made while another one works in a transaction of the same process:
 * statements in it go through `CampaignTransaction`.
 */
export interface CampaignDatabase {
  /** The database as it is shown. */
  readonly name: string;
  /** The same as a part of a sentence: "on this machine". */
  readonly place: string;
  /**
   * Reads. Returns `nothing` if nothing was ever stored there.
   * @throws Failure `network` if the server can't be reached, else `invalidInput`; and errors of the work that are not the
   *   database's
   */
  read<T>(work: (database: OpenDatabase) => Promise<T>, nothing: T): Promise<T>;
  /**
   * Writes, each statement by itself.
   * @throws Failure as `read`; `outputFailed` if a file can't be written
   */
  write<T>(work: (database: OpenDatabase) => Promise<T>): Promise<T>;
  /** Writes in one transaction. @throws Failure as `write` */
  transaction<T>(work: (trx: CampaignTransaction, database: OpenDatabase) => Promise<T>): Promise<T>;
  /**
   * Writes, trying again until the database takes it: only this process has the result of a message.
   * @param what what is to be written, for a warning: "the outcome of row 3"
   * @param signal ends the attempts a few seconds after it
   * @throws Failure if the database refuses it for good, or takes nothing when the attempts end
   */
  retryWrite<T>(what: string, signal: AbortSignal, work: (database: OpenDatabase) => Promise<T>): Promise<T>;
  /** Shows a warning. */
  warn(text: string): void;
}
