/** Rows on a page that the control channel gives, at most. */
export const maxFeedRows = 1000;

/** Time that a call of it may wait for a row, at most: less than any client's patience with an answer. */
export const maxFeedWaitMs = 20_000;

/** The form of a cursor: a number, or two. What they mean is known to the feed alone that gave it. */
export const cursorForm = /^\d{1,15}(:\d{1,15})?$/;

/** The place that rows are read from. */
export interface FeedQuery {
  /** The cursor of an earlier page: the rows behind it. From the oldest on if not given. */
  readonly after?: string | undefined;
  /** Only so many of the wanted rows that there are now, the newest; with `after` it means nothing. */
  readonly last?: number | undefined;
  /** Rows of this time or a later one. */
  readonly since?: Date | undefined;
  /** Rows on a page, at most. */
  readonly limit: number;
}

/** Some rows, the oldest first. */
export interface FeedPage<Row> {
  readonly rows: readonly Row[];
  /** Where the next page begins, in `cursorForm`. It is valid for every filter, also after a restart. */
  readonly cursor: string;
  /** True if there may be further rows already; a page may have none and yet not be the last. Its cursor is a later one then. */
  readonly more: boolean;
}

/**
 * Rows that are appended and never change, such as the requests of the service. Every implementation
 * guarantees this:
 *
 * - Rows have one order, the same for every reader. Who reads on from cursor to cursor gets each wanted row once, however
 *   many are added in the meantime. The oldest may go; a cursor of rows that are gone leads to the oldest that is there.
 * - So a row that can be read is never followed by one in front of it. Where several sessions of a database add rows, the
 *   number that a row gets from a sequence doesn't hold that: the later number may be committed first, and a reader that has
 *   passed it never sees the other. Either the sessions take their numbers in turns, each until its commit, or a page
 *   ends before the first row that may still be missing: on PostgreSQL, before the rows of transactions from
 *   pg_snapshot_xmin on, in the order of their transactions and then of their numbers, which makes a cursor of two numbers.
 * - An added row is visible to every later read. If it can only be read later, `arrival` ends at that
 *   time too.
 */
export interface Feed<Row, Filter = unknown> {
  read(query: FeedQuery & Filter): Promise<FeedPage<Row>>;
  /**
   * Ends once there is a row to read that wasn't there when it was called, or the signal is aborted; it never fails. It may
   * end without a row too: who waits reads again.
   */
  arrival(signal: AbortSignal): Promise<void>;
}

/** Where those who wait for a row are told of it. */
export class Arrivals {
  readonly #waiting = new Set<() => void>();

  /** A row was added. */
  announce(): void {
    for (const tell of this.#waiting) tell();
  }

  /** See `Feed`. */
  next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const tell = (): void => {
        this.#waiting.delete(tell);
        signal.removeEventListener('abort', tell);
        resolve();
      };
      if (signal.aborted) return resolve();
      this.#waiting.add(tell);
      signal.addEventListener('abort', tell);
    });
  }
}

/**
 * Reads a page; if there is no row yet, waits for one.
 * @param patience the longest wait in milliseconds; 0 returns at once
 * @param signal ends the wait
 */
export async function readOrWait<Row, Filter>(
  feed: Feed<Row, Filter>,
  query: FeedQuery & Filter,
  patience: number,
  signal: AbortSignal,
): Promise<FeedPage<Row>> {
  const waiting = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
  let { after } = query;
  for (;;) {
    // Before the reading, so that no row comes between the two.
    const arrival = feed.arrival(waiting);
    const page = await feed.read({ ...query, after });
    if (page.rows.length > 0 || page.more || patience === 0 || waiting.aborted) return page;
    await arrival;
    after = page.cursor;
  }
}
