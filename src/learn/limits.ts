/** The limits of a run. Reaching one ends it with the findings so far. */
export const runLimits = {
  /** Requests sent, including those for a token and after a redirect. */
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

/** The error if the run reached one of its limits. */
export class LimitReached extends Error {
  override readonly name = 'LimitReached';

  constructor(readonly limit: keyof typeof runLimits) {
    super(messages[limit]);
  }
}
