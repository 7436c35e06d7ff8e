import type { RawBuilder, Transaction } from 'kysely';
import type { Database } from '../../database/open.ts';
import type { Tables } from './tables.ts';

/** A transaction on the tables of campaigns. */
export type CampaignTransaction = Transaction<Tables>;

/** The database of campaigns, with its tables. */
export interface OpenDatabase extends Database<Tables> {
  /**
   * The time in milliseconds since 1970. On a server it is the server's clock, which all hosts share; on SQLite that of
   * this machine.
   */
  readonly now: RawBuilder<number>;
  /** Identifies the data of a server. It differs after a failover and after a backup was restored. Empty on SQLite. */
  readonly server: RawBuilder<string>;
}

/**
 * The database of campaigns: a SQLite file or a database on a server. It is opened at the first call, and the first
 * write creates its tables. No call may be made while another call of the same process is in a transaction: statements
 * of the transaction must use its `CampaignTransaction`.
 */
export interface CampaignDatabase {
  /** The name of the database in messages. */
  readonly name: string;
  /** Its place as a part of a sentence: "on this machine". */
  readonly place: string;
  /**
   * Runs a reading function. Returns `nothing` if nothing was ever stored.
   * @throws Failure `network` if the server can't be reached, else `invalidInput`; errors of `work` that are not the
   *   database's are passed on
   */
  read<T>(work: (database: OpenDatabase) => Promise<T>, nothing: T): Promise<T>;
  /**
   * Runs a writing function outside a transaction.
   * @throws Failure as `read`; `outputFailed` if a file can't be written
   */
  write<T>(work: (database: OpenDatabase) => Promise<T>): Promise<T>;
  /** Runs a writing function in a transaction. @throws Failure as `write` */
  transaction<T>(work: (trx: CampaignTransaction, database: OpenDatabase) => Promise<T>): Promise<T>;
  /**
   * Runs a writing function, retrying until the database accepts it: no other process has the outcome of the message.
   * @param what what is written, for a warning: "the outcome of row 3"
   * @param signal ends the retries a few seconds after it aborts
   * @throws Failure if the database refuses it permanently, or the retries end without success
   */
  retryWrite<T>(what: string, signal: AbortSignal, work: (database: OpenDatabase) => Promise<T>): Promise<T>;
  warn(text: string): void;
}
