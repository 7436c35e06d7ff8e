import { own } from '../lib/json-object.ts';
import type { LaneEntry } from './claim.ts';
import { type Instant, type NamedPace, nextInstant, paceOf } from './pace.ts';
import type { Lane, StartedCampaign } from './send-queue.ts';

/** Milliseconds for which a campaign lets each campaign of another process go first whose last message is older. */
const giveWayMs = 250;

/** Campaigns that one gives way to, at most: the process of one that was started may have ended. */
const mostGivenWay = 4;

/** Returns campaigns of a device in the order of their turns: the one whose last message is the oldest comes first. */
export function inTurn(lane: Lane, entries: readonly LaneEntry[]): readonly LaneEntry[] {
  const lastAt = ({ campaign: { id } }: LaneEntry): number => lastOf(own(lane.campaigns, id));
  return entries.toSorted((one, other) =>
    lastAt(one) < lastAt(other) ? -1 : Number(lastAt(one) > lastAt(other)),
  );
}

/**
 * Returns a lane with the campaigns of a run that have rows left, and without its others. Those of other runs stay.
 * @param entries all campaigns of the run
 * @param waiting those that may have rows left
 */
export function withStarted(lane: Lane, entries: readonly LaneEntry[], waiting: readonly LaneEntry[]): Lane {
  const ids = new Set(entries.map(({ campaign: { id } }) => id));
  const started = Object.entries(lane.campaigns).filter(([id]) => !ids.has(id));
  for (const {
    campaign: { id, campaign },
  } of waiting) {
    const { name, created_at } = campaign;
    const lastAt = own(lane.campaigns, id)?.lastAt;
    started.push([id, { name, created_at, pace: paceOf(campaign), ...(lastAt !== undefined && { lastAt }) }]);
  }
  return { ...lane, campaigns: Object.fromEntries(started) };
}

/**
 * Returns when the next message of a campaign may go: at the pace of all campaigns of the device, and a moment later if
 * campaigns of other processes have waited for longer.
 * @param entries the campaigns of this process
 * @param now in milliseconds since 1970
 */
export function nextTurn(
  lane: Lane,
  entries: readonly LaneEntry[],
  { campaign: { id } }: LaneEntry,
  now: number,
): Instant {
  const paces: readonly NamedPace[] = Object.values(lane.campaigns);
  const instant = nextInstant(paces, lane, now);
  const others = Object.entries(lane.campaigns).filter(
    ([other, started]) =>
      !entries.some(({ campaign }) => campaign.id === other) &&
      lastOf(started) < lastOf(own(lane.campaigns, id)),
  );
  const later = giveWayMs * Math.min(mostGivenWay, others.length);
  if (instant.at > now || later === 0) return instant;
  // It could have gone so long ago, and the others have not.
  const { at } = nextInstant(paces, lane, now - later);
  const because = 'Campaigns of other processes go first.';
  return { at: Math.max(now, at + later), why: 'gap', whose: others[0]?.[1].name ?? '', because };
}

function lastOf(started: StartedCampaign | undefined): number {
  return started?.lastAt ?? Number.NEGATIVE_INFINITY;
}
