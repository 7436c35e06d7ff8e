import { ServiceError } from '../../client/answer.ts';
import { isUncertain, retryAfter } from '../../client/retry.ts';
import { TransportError } from '../../client/transport-error.ts';
import { type Failure, failureCode } from '../../lib/errors.ts';
import { oneLine } from '../../lib/text/sentence.ts';
import { LeaseExpired, type RowOutcome } from '../claim.ts';

/** The outcome of a message. */
export type Outcome = Exclude<RowOutcome, { readonly event: 'return' }> | ReturnedMessage;

/** A message that was provably not accepted, for a reason other than its content. */
export interface ReturnedMessage {
  readonly event: 'return';
  readonly cause: /** Too many requests. */
    | 'limited'
    /** It never left this machine. */
    | 'unsent'
    /** The key is not accepted. */
    | 'key'
    /** The device can't send at all. */
    | 'device'
    /** A signal ended the line. */
    | 'stopped';
  /** Milliseconds that the service asks to wait. */
  readonly waitMs?: number | undefined;
  readonly failure: Failure;
}

/** The state of the device right after a rejection; undefined if it could not be read. */
export type DeviceCheck = 'ready' | 'down' | undefined;

/** Columns of a reason that are kept. */
const maxReason = 200;

/** True if a failure is a refusal, of which a look at the device tells whether it is the device's own. */
export function isRefused(failure: Failure): boolean {
  const root = rootCause(failure);
  return root instanceof ServiceError && !isLost(root) && ![401, 429].includes(root.status);
}

/**
 * Returns the outcome of a message whose call failed. It was provably not taken where it never left, where the service had too
 * many requests (429) or did not accept the key (401), and where the device can't send. A refusal is the message's own
 * otherwise; any other response, or none, proves nothing.
 * @param look what the device shows after a refusal
 * @param now milliseconds since 1970
 */
export function classify(failure: Failure, look: DeviceCheck, now: number): Outcome {
  const root = rootCause(failure);
  if (root instanceof LeaseExpired) return { event: 'return', cause: 'unsent', failure };
  if (root instanceof TransportError)
    return root.sent ? lostOutcome(failure) : { event: 'return', cause: 'unsent', failure };
  if (!(root instanceof ServiceError)) {
    // botctl refused to send it.
    if (failure.kind === 'invalidInput')
      return { event: 'reject', reason: failureCode(failure), because: oneLine(failure.message, maxReason) };
    // What a signal ends on its way has the error of its connection behind it.
    const isUnsent = failure.isInterruption && !failure.isUncertain;
    return isUnsent ? { event: 'return', cause: 'stopped', failure } : lostOutcome(failure);
  }
  if (isLost(root)) return lostOutcome(failure);
  if (root.status === 429) {
    return { event: 'return', cause: 'limited', waitMs: retryAfter(root.detail.retryAfter, now), failure };
  }
  if (root.status === 401) return { event: 'return', cause: 'key', failure };
  if (look === 'down') return { event: 'return', cause: 'device', failure };
  return {
    event: 'reject',
    reason: root.detail.code ?? `HTTP_${root.status}`,
    because: oneLine(root.message, maxReason),
  };
}

/** True for what isn't meant as a refusal, by its status alone: a code in its body doesn't make it one. */
function isLost(error: ServiceError): boolean {
  return error.status >= 500 || error.status === 408 || isUncertain(error);
}

function lostOutcome(failure: Failure): Outcome {
  const { message } = failure;
  return { event: 'lose', reason: failureCode(failure), because: oneLine(message, maxReason) };
}

function rootCause(failure: Failure): unknown {
  let root: unknown = failure;
  while (root instanceof Error && root.cause !== undefined && !(root instanceof TransportError))
    root = root.cause;
  return root;
}
