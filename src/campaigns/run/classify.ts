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
    /** The request was not sent. */
    | 'unsent'
    /** The service rejected the key. */
    | 'key'
    /** The device can't send at all. */
    | 'device'
    /** A signal ended the command. */
    | 'stopped';
  /** How long the service asks the client to wait, in milliseconds. */
  readonly waitMs?: number | undefined;
  readonly failure: Failure;
}

/** The state of the device right after a rejection; undefined if it could not be read. */
export type DeviceCheck = 'ready' | 'down' | undefined;

/** The maximum width of a stored reason, in columns. */
const maxReason = 200;

/**
 * Returns whether a failure is a refusal. The state of the device then shows whether the device or the message was
 * refused.
 */
export function isRefused(failure: Failure): boolean {
  const root = rootCause(failure);
  return root instanceof ServiceError && !isLost(root) && ![401, 429].includes(root.status);
}

/**
 * Returns the outcome of a message whose call failed. The service provably did not accept it if the request was not
 * sent, if it returned 429 (too many requests) or 401 (key not accepted), or if the device can't send. Any other
 * refusal concerns the message itself. Any other response, or none, proves nothing.
 * @param look the state of the device after a refusal
 * @param now milliseconds since 1970
 */
export function classify(failure: Failure, look: DeviceCheck, now: number): Outcome {
  const root = rootCause(failure);
  if (root instanceof LeaseExpired) return { event: 'return', cause: 'unsent', failure };
  if (root instanceof TransportError)
    return root.sent ? lostOutcome(failure) : { event: 'return', cause: 'unsent', failure };
  if (!(root instanceof ServiceError)) {
    // botctl rejected the message before sending it.
    if (failure.kind === 'invalidInput')
      return { event: 'reject', reason: failureCode(failure), because: oneLine(failure.message, maxReason) };
    // A signal that aborts a request in flight causes a connection error, which was handled above.
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

/**
 * Returns whether a response does not prove a refusal. Only its status counts: an error code in its body doesn't make
 * it a refusal.
 */
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
