import { unlessAborted } from '../lib/clock.ts';
import type { HookClaims } from './claims.ts';
import type { Hook, HookContext } from './hook.ts';
import { HookQueue } from './hook-queue.ts';
import type { HookChange } from './hook-run.ts';

/** Milliseconds that runs get after the end of the watch: longer than the longest run. */
const patienceMs = 60_000;

/** Milliseconds that they get if the watch is interrupted. */
const shortPatienceMs = 5000;

/** The end of a watch. */
export interface WatchEnd {
  /** True if a signal interrupted it. */
  readonly isInterrupted: boolean;
  /** Aborted by a second signal: then the runs end at once. */
  readonly urgent: AbortSignal | undefined;
}

/** The hooks of a watch. */
export class Hooks {
  readonly #queues: readonly HookQueue[];
  readonly #context: HookContext;

  constructor(hooks: readonly Hook[], claims: HookClaims, context: HookContext) {
    this.#context = context;
    this.#queues = hooks.map((hook) => new HookQueue(hook, claims, context));
  }

  /** Runs each hook for a change. Returns at once. */
  fire(change: HookChange): void {
    for (const queue of this.#queues) queue.add(change);
  }

  /** Waits for the runs to end, within a limit, and ends those that don't. */
  async close({ isInterrupted, urgent }: WatchEnd): Promise<void> {
    const { clock, reporter } = this.#context;
    const limitMs = isInterrupted ? shortPatienceMs : patienceMs;
    const count = this.#queues.reduce((sum, queue) => sum + queue.count, 0);
    if (count > 0) {
      const hooks = count === 1 ? '1 hook' : `${count} hooks`;
      reporter.note(
        isInterrupted
          ? `Waiting up to ${limitMs / 1000} s for ${hooks}. Press Ctrl-C again to stop them.`
          : `Waiting for ${hooks}.`,
      );
    }
    const over = clock.deadline(limitMs, urgent ?? new AbortController().signal);
    await unlessAborted(this.#idle(), over.signal).catch(() => {
      for (const queue of this.#queues) queue.stop();
    });
    over.clear();
    await this.#idle();
    await Promise.all(this.#queues.map(({ hook }) => hook.close()));
  }

  async #idle(): Promise<void> {
    await Promise.all(this.#queues.map((queue) => queue.idle()));
  }
}
