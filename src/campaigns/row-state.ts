/** The state of a row of a campaign. */
export const rowStates = ['planned', 'sending', 'accepted', 'rejected', 'unknown', 'skipped'] as const;

export type RowState = (typeof rowStates)[number];

/**
 * The state after each event, by the states in which the event may happen. Only these events return a row to `planned`.
 */
const transitions = {
  /** The request is about to be sent. */
  claim: { planned: 'sending' },
  /** The service accepted the message. */
  accept: { sending: 'accepted' },
  /** The service rejected the content of the message. */
  reject: { sending: 'rejected' },
  /** It is unknown whether the service accepted it: the response was lost, or the process died. */
  lose: { sending: 'unknown' },
  /** The service provably did not accept the message. */
  return: { sending: 'planned' },
  /** A rule excluded the row just before it would have been sent. */
  skip: { planned: 'skipped' },
  /** The user saw on the phone that it was sent. The record of that may have been lost with a database. */
  settle_accepted: { unknown: 'accepted', planned: 'accepted' },
  /** The user saw on the phone that it was not sent. */
  settle_not_sent: { unknown: 'planned' },
  /** The user wants it sent again. */
  retry: { unknown: 'planned', rejected: 'planned' },
} as const satisfies Readonly<Record<string, Partial<Readonly<Record<RowState, RowState>>>>>;

export type RowEvent = keyof typeof transitions;

/** All events of a row. */
export const rowEvents = Object.keys(transitions) as readonly RowEvent[];

/** Returns the state that an event leads to, or undefined if the event can't happen in this state. */
export function stateAfter(state: RowState, event: RowEvent): RowState | undefined {
  const way: Partial<Readonly<Record<RowState, RowState>>> = transitions[event];
  return way[state];
}

/** A change of the state of a row. */
export interface RowChange {
  readonly row: number;
  readonly event: RowEvent;
  /** ISO 8601. */
  readonly at: string;
  /** The reason, as a code and in words. */
  readonly reason?: string | undefined;
  readonly because?: string | undefined;
  /**
   * If it is set, the change applies only to a row with this number of attempts: with another number the row was sent
   * again since.
   */
  readonly attempts?: number | undefined;
}

/** The number of rows in each state. */
export type Tally = Readonly<Record<RowState, number>>;

/** Returns a tally in which every state has 0 rows. */
export function emptyTally(): Record<RowState, number> {
  return { planned: 0, sending: 0, accepted: 0, rejected: 0, unknown: 0, skipped: 0 };
}

/** The change of a row whose process ended while it was being sent. */
export const processEndedChange = {
  event: 'lose',
  reason: 'PROCESS_ENDED',
  because: 'the process that sent it ended before the answer came',
} as const satisfies Partial<RowChange>;
