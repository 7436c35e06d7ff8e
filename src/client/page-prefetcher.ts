/**
 * Returns pages in order and fetches some of them in advance. At most `most` pages are fetched or in flight at a time.
 */
export class PagePrefetcher<T> {
  readonly #waiting: Promise<T>[] = [];
  readonly #controller = new AbortController();
  #next: number;

  constructor(
    first: number,
    private readonly most: number,
    private readonly signal: AbortSignal | undefined,
    private readonly fetch: (number: number, signal: AbortSignal) => Promise<T>,
  ) {
    this.#next = first;
    signal?.addEventListener('abort', this.#end, { once: true });
  }

  /** Returns the next page. */
  take(): Promise<T> {
    return this.#waiting.shift() ?? this.#begin();
  }

  /** Prefetches as many pages as the limit permits, up to a last one. */
  fetchUntil(last: number): void {
    while (this.#waiting.length < this.most && this.#next <= last) {
      const page = this.#begin();
      // The caller that takes the page gets its failure; if no caller takes it, the failure doesn't matter.
      page.catch(() => undefined);
      this.#waiting.push(page);
    }
  }

  /** Aborts the requests of pages that are no longer needed. */
  stop(): void {
    this.signal?.removeEventListener('abort', this.#end);
    this.#end();
  }

  async #begin(): Promise<T> {
    const number = this.#next;
    this.#next += 1;
    this.signal?.throwIfAborted();
    return await this.fetch(number, this.#controller.signal);
  }

  readonly #end = (): void => this.#controller.abort(this.signal?.reason);
}
