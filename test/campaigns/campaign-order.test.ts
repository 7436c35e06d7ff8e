import { describe, expect, it } from 'vitest';
import { sortByLastSent, withActiveCampaigns } from '../../src/campaigns/campaign-order.ts';
import { newQueue, type SendQueue, withOutcome, withRequest } from '../../src/campaigns/send-queue.ts';
import { springCampaign } from '../support/campaign.ts';

const { campaign: spring } = springCampaign('https://a.example');

const entry = (id: string) => ({ campaign: { id, campaign: { ...spring, name: id } } });

const send = (queue: SendQueue, id: string, at: number) =>
  withOutcome(withRequest(queue, at, id), { event: 'accept' }, at, 0);
const [a, b, c] = [entry('a'), entry('b'), entry('c')];
const idsOf = (entries: readonly ReturnType<typeof entry>[]) => entries.map(({ campaign }) => campaign.id);

describe('campaigns of one device', () => {
  it('take turns: first the one that has sent nothing, then the one that sent least recently', () => {
    let queue = withActiveCampaigns(newQueue(), [a, b, c], [a, b, c]);
    const order: string[] = [];
    for (let at = 1; at <= 7; at += 1) {
      const [first = ''] = idsOf(sortByLastSent(queue, [a, b, c]));
      order.push(first);
      queue = send(withActiveCampaigns(queue, [a, b, c], [a, b, c]), first, at);
    }
    expect(order.join('')).toBe('abcabca');
  });

  it('are queued while they have rows left, and those of other runs stay queued', () => {
    const queue = send(withActiveCampaigns(newQueue(), [a, b], [a, b]), 'a', 1);
    expect(Object.keys(withActiveCampaigns(queue, [b, c], [c]).campaigns)).toEqual(['a', 'c']);
    expect(withActiveCampaigns(queue, [a], [a]).campaigns.a).toMatchObject({ name: 'a', lastAt: 1 });
  });
});
