import { describe, expect, it } from 'vitest';
import type { Campaign } from '../../src/campaigns/campaign.ts';
import { inTurn, nextTurn, withStarted } from '../../src/campaigns/campaign-order.ts';
import type { LaneEntry } from '../../src/campaigns/claim.ts';
import { noRows } from '../../src/campaigns/row-state.ts';
import { type Lane, newLane, withOutcome, withRequest } from '../../src/campaigns/send-queue.ts';
import { springCampaign } from '../support/campaign.ts';

const { campaign: spring } = springCampaign('https://a.example');

function entry(id: string, gap = 0): LaneEntry {
  const campaign: Campaign = { ...spring, name: id, gap: { shortest: gap, longest: gap } };
  const others = { mark: undefined, obstacle: undefined };
  return {
    campaign: {
      ...{ id, campaign, ...others, tally: () => noRows() },
      ...{ rowsIn: async () => new Map(), refresh: async () => undefined },
    },
    device: 0,
  };
}

const send = (lane: Lane, id: string, at: number) =>
  withOutcome(withRequest(lane, at, id), { event: 'accept' }, at, 0);
const [a, b, c] = [entry('a'), entry('b'), entry('c')];
const idsOf = (entries: readonly LaneEntry[]) => entries.map(({ campaign }) => campaign.id);

describe('campaigns of one device', () => {
  it('send in turns: first the one that has sent nothing, then the one whose last message is the oldest', () => {
    let lane = withStarted(newLane(), [a, b, c], [a, b, c]);
    const order: string[] = [];
    for (let at = 1; at <= 7; at += 1) {
      const [first = ''] = idsOf(inTurn(lane, [a, b, c]));
      order.push(first);
      lane = send(withStarted(lane, [a, b, c], [a, b, c]), first, at);
    }
    expect(order.join('')).toBe('abcabca');
  });

  it('are those that have rows left; those of other runs stay', () => {
    const lane = send(withStarted(newLane(), [a, b], [a, b]), 'a', 1);
    expect(Object.keys(withStarted(lane, [b, c], [c]).campaigns)).toEqual(['a', 'c']);
    expect(withStarted(lane, [a], [a]).campaigns.a).toMatchObject({ name: 'a', lastAt: 1 });
  });

  it('let one of another process go first whose last message is older, and wait a moment for it', () => {
    const both = withStarted(newLane(), [a, b], [a, b]);
    const lane = send(send(both, 'b', 1000), 'a', 2000);
    expect(nextTurn(lane, [b], b, 2000).at).toBe(2000);
    expect(nextTurn(lane, [a], a, 2000)).toMatchObject({ at: 2250, why: 'gap' });
    expect(nextTurn(lane, [a], a, 2250).at).toBe(2250);
    // In one process their order says so.
    expect(nextTurn(lane, [a, b], a, 2000).at).toBe(2000);
  });

  it('wait that moment after the pause of the device, and not for more than a second', () => {
    const others = ['d', 'e', 'f', 'g', 'h'].map((id) => entry(id));
    const slow = entry('a', 6000);
    let lane = withStarted(newLane(), [slow, ...others], [slow, ...others]);
    lane = send(lane, 'a', 1000);
    expect(nextTurn(lane, [slow], slow, 1000).at).toBe(7000);
    expect(nextTurn(lane, [slow], slow, 7000).at).toBe(8000);
    expect(nextTurn(lane, [slow], slow, 20_000).at).toBe(20_000);
  });
});
