import type { Clock } from '../../../lib/clock.ts';

/** A queue of the events of many devices, for one caller that yields them. */
export class News<T> {
  /** The error that ended the reading of a device. */
  failure: { readonly error: unknown } | undefined;
  #events: T[] = [];
  #wake = (): void => undefined;

  /** Adds the result of a read. Each read counts, since a caller may wait for it. */
  add(event: T | undefined): void {
    if (event) this.#events.push(event);
    this.#wake();
  }

  fail(error: unknown): void {
    this.failure ??= { error };
    this.#wake();
  }

  /** Removes and returns the events, the oldest first. */
  take(): readonly T[] {
    return this.#events.splice(0);
  }

  /**
   * Waits for a result, or until the time is up.
   * @param timeoutMs Infinity for no end
   */
  async wait(timeoutMs: number, clock: Clock, signal: AbortSignal): Promise<void> {
    if (this.failure || this.#events.length > 0) return;
    const deadline = clock.deadline(timeoutMs, signal);
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      deadline.signal.addEventListener('abort', () => resolve(), { once: true });
      if (deadline.signal.aborted) resolve();
    });
    deadline.clear();
  }
}
