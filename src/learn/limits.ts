/** The limits of a run. Each ends it with what was found by then. */
export interface RunLimits {
  /** Requests that leave, those for a token and after a redirect included. */
  readonly requests: number;
  /** Bytes of all responses. */
  readonly bytes: number;
  /** Milliseconds, waits included. */
  readonly duration: number;
}

/** The limits of a run. */
export const runLimits: RunLimits = { requests: 80, bytes: 64 * 1024 ** 2, duration: 10 * 60_000 };

/** The run reached one of its limits. */
export class LimitReached extends Error {
  override readonly name = 'LimitReached';

  constructor(
    readonly limit: keyof RunLimits,
    { requests, bytes, duration }: RunLimits,
  ) {
    const words = {
      requests: `All ${requests} requests were made.`,
      bytes: `The service sent more than ${bytes / 1024 ** 2} MiB.`,
      duration: `The run took longer than ${duration / 60_000} minutes.`,
    };
    super(words[limit]);
  }
}
