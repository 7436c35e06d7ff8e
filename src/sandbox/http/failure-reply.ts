import { isDatabaseError, isDiskFull, isUnavailable } from '../../database/error.ts';
import { Refusal } from '../service.ts';
import { CallerGone } from './answer.ts';
import { type Reply, refusal } from './reply.ts';

/**
 * Returns the response to a failed call.
 * @param report receives an error that the service did not expect
 * @throws CallerGone if the caller is gone
 */
export function replyTo(error: unknown, requestId: string, report: (error: unknown) => void): Reply {
  if (error instanceof CallerGone) throw error;
  if (error instanceof Refusal) return refusal(error);
  report(error);
  return refusal(new Refusal('INTERNAL_ERROR', `${reasonOf(error)} (request ${requestId}).`));
}

/** Returns the response to a call that arrives while the service is stopping. */
export function endingReply(requestId: string): Reply {
  const why = 'The service is shutting down';
  const reply = refusal(new Refusal('INTERNAL_ERROR', `${why} (request ${requestId}).`));
  // The call had no effect, and another instance may serve it (RFC 9110, 15.6.4).
  return { ...reply, status: 503, headers: { ...reply.headers, 'retry-after': '1' } };
}

function reasonOf(error: unknown): string {
  if (isDiskFull(error)) return 'The disk of the service is full, so nothing can be changed';
  if (isDatabaseError(error, 'moved'))
    return 'The data directory of the service was moved or replaced, so nothing can be changed until it is restarted';
  if (isUnavailable(error)) return 'The database of the service is not available';
  return 'The service failed unexpectedly';
}
