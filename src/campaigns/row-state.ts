/** The state of a row of a campaign. */
export const rowStates = ['planned', 'sending', 'accepted', 'rejected', 'unknown', 'skipped'] as const;

/** The state of a row of a campaign. */
export type RowState = (typeof rowStates)[number];

/** Where each event leads from each state that it may happen in. No other way leads back to `planned`. */
const transitions = {
  /** Its request is about to leave. */
  claim: { planned: 'sending' },
  /** The service took the message. */
  accept: { sending: 'accepted' },
  /** The service refused the message for what it is. */
  reject: { sending: 'rejected' },
  /** It is unknown whether the service accepted it: the response was lost, or the process died. */
  lose: { sending: 'unknown' },
  /** The service provably didn't take it. */
  return: { sending: 'planned' },
  /** A rule says, just before it would be sent, that it is not to be. */
  skip: { planned: 'skipped' },
  /** A person saw on the phone that it was sent; what says so here may have been lost with a database. */
  settle_accepted: { unknown: 'accepted', planned: 'accepted' },
  /** A person saw on the phone that it was not sent. */
  settle_not_sent: { unknown: 'planned' },
  /** A person wants it sent again. */
  retry: { unknown: 'planned', rejected: 'planned' },
} as const satisfies Readonly<Record<string, Partial<Readonly<Record<RowState, RowState>>>>>;

/** The events of a row. */
export type RowEvent = keyof typeof transitions;

/** Every event that may happen to a row. */
export const rowEvents = Object.keys(transitions) as readonly RowEvent[];

/** Returns the state that an event leads to, or undefined if it can't happen in this one. */
export function stateAfter(state: RowState, event: RowEvent): RowState | undefined {
  const way: Partial<Readonly<Record<RowState, RowState>>> = transitions[event];
  return way[state];
}

/** Something that happens to a row. */
export interface RowChange {
  /** The number of the row. */
  readonly row: number;
  readonly event: RowEvent;
  /** ISO 8601. */
  readonly at: string;
  /** Why, as a code, and in words. */
  readonly reason?: string | undefined;
  readonly because?: string | undefined;
  /** It happens only to a row that was about to be sent so often: another one has been sent since. */
  readonly attempts?: number | undefined;
}

/** How many rows are in each state. */
export type Tally = Readonly<Record<RowState, number>>;

/** Returns the tally of no rows. */
export function emptyTally(): Record<RowState, number> {
  return { planned: 0, sending: 0, accepted: 0, rejected: 0, unknown: 0, skipped: 0 };
}

/** The outcome of a row whose process died while it was sent. */
export const processEndedChange = {
  event: 'lose',
  reason: 'PROCESS_ENDED',
  because: 'the process that sent it ended before the answer came',
} as const satisfies Partial<RowChange>;
