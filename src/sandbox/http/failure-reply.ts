import { isAway } from '../../lib/database/error.ts';
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
  if (!(error instanceof ServiceEnds)) tell(error);
  return refusal(new Refusal('INTERNAL_ERROR', `${whyFailed(error)} (request ${requestId}).`));
}

function whyFailed(error: unknown): string {
  if (error instanceof ServiceEnds) return 'The service ends, and takes no more calls';
  if (isDiskFull(error))
    return 'The disk of the service is full, so nothing can be changed until there is space again';
  if (isAway(error)) return 'The database of the service is not there at the moment';
  return 'The service failed unexpectedly';
}
