import { ownMember } from '../lib/json-object.ts';
import { paceOf } from './pace.ts';
import type { SendQueue } from './send-queue.ts';
import type { RunningCampaign } from './store/running-campaign.ts';

interface Entry {
  readonly campaign: Pick<RunningCampaign, 'id' | 'campaign'>;
}

/** Sorts the campaigns of a device so that the one that sent least recently comes first: it sends next. */
export function sortByLastSent<T extends Entry>(queue: SendQueue, entries: readonly T[]): readonly T[] {
  const lastAt = ({ campaign: { id } }: T): number =>
    ownMember(queue.campaigns, id)?.lastAt ?? Number.NEGATIVE_INFINITY;
  return entries.toSorted((one, other) =>
    lastAt(one) < lastAt(other) ? -1 : Number(lastAt(one) > lastAt(other)),
  );
}

/**
 * Returns a queue that lists those campaigns of a run that have rows left. Campaigns of other runs stay listed.
 * @param entries all campaigns of the run
 * @param waiting those that may have rows left
 */
export function withActiveCampaigns(
  queue: SendQueue,
  entries: readonly Entry[],
  waiting: readonly Entry[],
): SendQueue {
  const ids = new Set(entries.map(({ campaign: { id } }) => id));
  const started = Object.entries(queue.campaigns).filter(([id]) => !ids.has(id));
  for (const {
    campaign: { id, campaign },
  } of waiting) {
    const { name, created_at } = campaign;
    const lastAt = ownMember(queue.campaigns, id)?.lastAt;
    started.push([id, { name, created_at, pace: paceOf(campaign), ...(lastAt !== undefined && { lastAt }) }]);
  }
  return { ...queue, campaigns: Object.fromEntries(started) };
}
