/** The limits of a run. Each ends it with what was found by then. */
export const runLimits = {
  /** Requests that leave, those for a token and after a redirect included. */
  requests: 80,
  /** Bytes of all responses. */
  bytes: 64 * 1024 ** 2,
  /** Milliseconds, waits included. */
  duration: 10 * 60_000,
} as const;

const messages: Readonly<Record<keyof typeof runLimits, string>> = {
  requests: `The limit of ${runLimits.requests} requests was reached.`,
  bytes: `The service sent more than ${runLimits.bytes / 1024 ** 2} MiB.`,
  duration: `The run took longer than ${runLimits.duration / 60_000} minutes.`,
};

/** The run reached one of its limits. */
export class LimitReached extends Error {
  override readonly name = 'LimitReached';

  constructor(readonly limit: keyof typeof runLimits) {
    super(messages[limit]);
  }
}
