/** Maximum rows on a page of the control channel. */
export const maxFeedRows = 1000;

/** Maximum milliseconds that a control call waits for a row: shorter than the timeout of any client. */
export const maxFeedWaitMs = 20_000;

/** The form of a cursor: one number, or two. Only the feed that issued it can interpret them. */
export const cursorForm = /^\d{1,15}(:\d{1,15})?$/;

/** The range of rows to read. */
export interface FeedQuery {
  /** The cursor of an earlier page: reads the rows after it. From the oldest row if not given. */
  readonly after?: string | undefined;
  /** Reads only this many of the newest matching rows; ignored with `after`. */
  readonly last?: number | undefined;
  /** Reads rows of this time or later. */
  readonly since?: Date | undefined;
  /** Maximum rows on a page. */
  readonly limit: number;
}

/** A page of rows, oldest first. */
export interface FeedPage<Row> {
  readonly rows: readonly Row[];
  /** Where the next page begins, in `cursorForm`. It is valid for every filter, also after a restart. */
  readonly cursor: string;
  /**
   * True if there may already be further rows; an empty page need not be the last, and its cursor has then advanced.
   */
  readonly more: boolean;
}

/**
 * An append-only sequence of immutable rows, such as the requests of the service. Every implementation guarantees this:
 *
 * - Rows have one order, the same for all readers. A reader that follows the cursors gets each matching row exactly
 *   once, even if rows are added meanwhile. The oldest rows may be removed; a cursor to removed rows continues at the
 *   oldest remaining one.
 * - Therefore no row may appear before a row that can already be read. If several sessions of a database add rows, a
 *   sequence number alone doesn't guarantee that: the higher number may be committed first, and a reader that has passed
 *   it never sees the lower one. Either the sessions assign numbers under a lock held until commit, or a page ends before
 *   the first row that may still be missing: on PostgreSQL, before the rows of transactions from pg_snapshot_xmin on,
 *   ordered by transaction and then by number, which makes the cursor two numbers.
 * - An added row is visible to every later read. If it only becomes visible later, `arrival` also resolves then.
 */
export interface Feed<Row, Filter = unknown> {
  read(query: FeedQuery & Filter): Promise<FeedPage<Row>>;
  /**
   * Resolves when there is a row that wasn't there when it was called, or when the signal is aborted; never rejects. It
   * may also resolve without a new row: the caller reads again.
   */
  arrival(signal: AbortSignal): Promise<void>;
}

/** Notifies readers that wait for a row. */
export class Arrivals {
  readonly #waiting = new Set<() => void>();

  /** Reports that a row was added. */
  announce(): void {
    for (const tell of this.#waiting) tell();
  }

  /** Resolves at the next row: see `Feed`. */
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
    // Subscribes before reading, so that no row is missed in between.
    const arrival = feed.arrival(waiting);
    const page = await feed.read({ ...query, after });
    if (page.rows.length > 0 || page.more || patience === 0 || waiting.aborted) return page;
    await arrival;
    after = page.cursor;
  }
}
