import { isAway, isDatabaseError } from '../../database/error.ts';
import { Refusal } from '../service.ts';
import { isDiskFull } from '../store/disk.ts';
import { CallerGone } from './answer.ts';
import { type Reply, refusal } from './reply.ts';

/** A call came after the service had begun to end. Nothing was done. */
export class ServiceEnds extends Error {
  override readonly name = 'ServiceEnds';
}

/**
 * Returns the answer to a call that failed.
 * @param tell is told of what the service did not expect
 * @throws CallerGone if there is no one to answer
 */
export function replyTo(error: unknown, requestId: string, tell: (error: unknown) => void): Reply {
  if (error instanceof CallerGone) throw error;
  if (error instanceof Refusal) return refusal(error);
  const isEnding = error instanceof ServiceEnds;
  if (!isEnding) tell(error);
  const reply = refusal(new Refusal('INTERNAL_ERROR', `${whyFailed(error)} (request ${requestId}).`));
  // Nothing was done, and another instance may serve it (RFC 9110, 15.6.4).
  return isEnding ? { ...reply, status: 503, headers: { ...reply.headers, 'retry-after': '1' } } : reply;
}

function whyFailed(error: unknown): string {
  if (error instanceof ServiceEnds) return 'The service ends, and takes no more calls';
  if (isDiskFull(error))
    return 'The disk of the service is full, so nothing can be changed until there is space again';
  if (isDatabaseError(error, 'moved'))
    return 'The data directory of the service was moved or replaced, so nothing can be changed until it is started again';
  if (isAway(error)) return 'The database of the service is not there at the moment';
  return 'The service failed unexpectedly';
}
