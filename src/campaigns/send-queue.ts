import type * as z from 'zod/mini';
import { ownMember } from '../lib/json-object.ts';
import { addSent } from './pace.ts';
import type { laneSchema } from './stored-schemas.ts';

/** A device that messages go through, at its service. */
export interface LaneKey {
  /** Scheme, host and port of the service. */
  readonly origin: string;
  readonly device: string;
}

/** What is known of a device over all campaigns and processes. */
export type Lane = z.infer<typeof laneSchema>;

/** So many outcomes in a row that nobody knows pause a lane. */
const mostUnknowns = 3;

/** So many rejections in a row that say the same pause a lane. */
const mostRejections = 5;

/** Returns the lane of a device that nothing went through yet. */
export function newLane(): Lane {
  return {
    ...{ lastAt: undefined, draw: 0, sent: [], campaigns: {} },
    ...{ unknowns: 0, rejections: undefined, paused: undefined },
  };
}

/**
 * Returns a lane where a message is about to leave.
 * @param campaign the id of the campaign that it belongs to
 */
export function withRequest(lane: Lane, now: number, campaign?: string): Lane {
  const started = campaign === undefined ? undefined : ownMember(lane.campaigns, campaign);
  const campaigns =
    campaign === undefined || started === undefined
      ? lane.campaigns
      : { ...lane.campaigns, [campaign]: { ...started, lastAt: now } };
  return { ...lane, lastAt: now, sent: addSent(lane.sent, now), campaigns };
}

/** What came of a message, as far as it says something of its device. */
export type LaneOutcome =
  | { readonly event: 'accept' }
  | { readonly event: 'reject' | 'lose'; readonly because: string };

/**
 * Returns a lane whose message had an outcome.
 * @param draw from 0 to 1: where in the range of the gap the pause after it is
 */
export function withOutcome(lane: Lane, outcome: LaneOutcome, now: number, draw: number): Lane {
  const unknowns = outcome.event === 'lose' ? lane.unknowns + 1 : 0;
  const before = lane.rejections;
  const rejections =
    outcome.event === 'reject'
      ? {
          says: outcome.because,
          count: before && isAlike(before.says, outcome.because) ? before.count + 1 : 1,
        }
      : undefined;
  const because =
    unknowns >= mostUnknowns
      ? `${unknowns} messages in a row may have been sent: the outcome is unknown.`
      : (rejections?.count ?? 0) >= mostRejections
        ? `The service refused ${rejections?.count} messages in a row: ${rejections?.says}`
        : undefined;
  const paused = because === undefined ? lane.paused : { at: now, because };
  return { ...lane, lastAt: now, draw, unknowns, rejections, paused };
}

/** True if two refusals say the same but for words with digits, such as the number or an id of the request. */
function isAlike(one: string, other: string): boolean {
  const [masked, otherMasked] = [one, other].map((text) => text.replaceAll(/\S*\d\S*/g, '0'));
  return masked === otherMasked;
}

/**
 * Returns a lane whose process died while its message was sent: the service may have taken it until now, so the pause after it
 * begins now.
 * @param draw as for `withOutcome`
 */
export function withoutProcess(lane: Lane, now: number, draw: number): Lane {
  return { ...lane, lastAt: now, draw };
}

/** Returns a lane that a person lets go on. */
export function goingOn(lane: Lane): Lane {
  return { ...lane, unknowns: 0, rejections: undefined, paused: undefined };
}

/** Returns a lane as a clock sees it that was put back meanwhile: nothing was sent in the future, which would be waited for. */
export function upTo(lane: Lane, now: number): Lane {
  return lane.lastAt !== undefined && lane.lastAt > now ? { ...lane, lastAt: now } : lane;
}
