import type * as z from 'zod/mini';
import { ownMember } from '../lib/json-object.ts';
import { addSent } from './pace.ts';
import type { queueSchema } from './stored-schemas.ts';

/** Identifies the send queue of a device of a service. */
export interface QueueKey {
  /** Scheme, host and port of the service. */
  readonly origin: string;
  readonly device: string;
}

/** The state of a device across all campaigns and processes. */
export type SendQueue = z.infer<typeof queueSchema>;

/** The number of consecutive unknown outcomes that pauses a queue. */
const maxUnknowns = 3;

/** The number of consecutive equal rejections that pauses a queue. */
const maxRejections = 5;

/** Returns the queue of a device that has sent nothing. */
export function newQueue(): SendQueue {
  return {
    ...{ lastAt: undefined, draw: 0, sent: [], campaigns: {} },
    ...{ unknowns: 0, rejections: undefined, paused: undefined },
  };
}

/**
 * Returns a queue with a request that is about to be sent.
 * @param campaign the id of its campaign
 */
export function withRequest(queue: SendQueue, now: number, campaign?: string): SendQueue {
  const started = campaign === undefined ? undefined : ownMember(queue.campaigns, campaign);
  const campaigns =
    campaign === undefined || started === undefined
      ? queue.campaigns
      : { ...queue.campaigns, [campaign]: { ...started, lastAt: now } };
  return { ...queue, lastAt: now, sent: addSent(queue.sent, now), campaigns };
}

/** The outcome of a message, as far as its device is concerned. */
export type QueueOutcome =
  | { readonly event: 'accept' }
  | { readonly event: 'reject' | 'lose'; readonly because: string };

/**
 * Returns a queue after the outcome of its message.
 * @param draw from 0 to 1: the position of the next pause in the range of the gap
 */
export function withOutcome(queue: SendQueue, outcome: QueueOutcome, now: number, draw: number): SendQueue {
  const unknowns = outcome.event === 'lose' ? queue.unknowns + 1 : 0;
  const before = queue.rejections;
  const rejections =
    outcome.event === 'reject'
      ? {
          says: outcome.because,
          count: before && isAlike(before.says, outcome.because) ? before.count + 1 : 1,
        }
      : undefined;
  const because =
    unknowns >= maxUnknowns
      ? `${unknowns} messages in a row may have been sent: the outcome is unknown.`
      : (rejections?.count ?? 0) >= maxRejections
        ? `The service refused ${rejections?.count} messages in a row: ${rejections?.says}`
        : undefined;
  const paused = because === undefined ? queue.paused : { at: now, because };
  return { ...queue, lastAt: now, draw, unknowns, rejections, paused };
}

/** Returns whether two rejections differ only in words with digits, such as the number or the id of the request. */
function isAlike(one: string, other: string): boolean {
  const [masked, otherMasked] = [one, other].map((text) => text.replaceAll(/\S*\d\S*/g, '0'));
  return masked === otherMasked;
}

/**
 * Returns a queue whose process died while its message was being sent. The service may have accepted the message until
 * now, so the pause after it starts now.
 * @param draw as for `withOutcome`
 */
export function withDeadProcess(queue: SendQueue, now: number, draw: number): SendQueue {
  return { ...queue, lastAt: now, draw };
}

/** Returns a queue without its pause, and with the counts of unknown outcomes and rejections reset. */
export function resumeQueue(queue: SendQueue): SendQueue {
  return { ...queue, unknowns: 0, rejections: undefined, paused: undefined };
}

/**
 * Limits the time of the last message to now. If the clock was set back, the queue would otherwise wait for a time in
 * the future.
 */
export function clampToNow(queue: SendQueue, now: number): SendQueue {
  return queue.lastAt !== undefined && queue.lastAt > now ? { ...queue, lastAt: now } : queue;
}
