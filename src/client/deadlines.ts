/** Something that has to be over in time. */
export interface Timed {
  /** When it has to be over, by `performance.now`; infinite where nothing has begun. Only `Deadlines` sets it. */
  deadline: number;
  /** Called where it was not over by then. */
  failTooLate(): void;
}

/** Milliseconds that a timer of Node can wait. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Watches that what begins is over within a limit that is the same for all. There is one timer for all of it: one for each
 * request is a tenth of what a call costs.
 */
export class Deadlines {
  /** In no order. A Map whose members come and go leaves old tables that hold on to them longer. */
  readonly #running: Timed[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @param limitMs milliseconds */
  constructor(readonly limitMs: number) {}

  /** Begins the time of one, also where it had begun before. */
  begin(one: Timed): void {
    if (one.deadline === Number.POSITIVE_INFINITY) this.#running.push(one);
    one.deadline = performance.now() + this.limitMs;
    this.#timer ??= this.#wait(this.limitMs);
  }

  end(one: Timed): void {
    if (one.deadline === Number.POSITIVE_INFINITY) return;
    one.deadline = Number.POSITIVE_INFINITY;
    const at = this.#running.indexOf(one);
    const last = this.#running.pop();
    if (last && last !== one) this.#running[at] = last;
  }

  /** Watches nothing any more. */
  close(): void {
    clearTimeout(this.#timer);
    for (const one of this.#running.splice(0)) one.deadline = Number.POSITIVE_INFINITY;
  }

  /** What is waited for keeps the process running by itself. */
  #wait(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#check(), Math.min(ms, longestTimerMs)).unref();
  }

  /** What begins while others are told is late is waited for with the rest. */
  #check(): void {
    for (const one of [...this.#running]) {
      // Timers count whole milliseconds.
      if (one.deadline - performance.now() >= 1) continue;
      this.end(one);
      one.failTooLate();
    }
    const next = this.#running.reduce(
      (least, { deadline }) => Math.min(least, deadline),
      Number.POSITIVE_INFINITY,
    );
    this.#timer = this.#running.length === 0 ? undefined : this.#wait(next - performance.now());
  }
}
