import { expect, it } from 'vitest';
import { createFileStore } from '../../src/campaigns/files/file-store.ts';
import { withRequest } from '../../src/campaigns/lane.ts';
import { temporaryDirectory } from '../support/botctl.ts';
import { springCampaign } from '../support/campaign.ts';
import { FakeClock } from '../support/fake-clock.ts';

const { signal } = new AbortController();
const origin = 'https://a.example';

it('a message of no row whose process died counts for its device, and leaves no row unknown', async () => {
  const store = createFileStore(temporaryDirectory(), signal);
  const stored = springCampaign(origin);
  await store.create(stored);
  const campaign = await store.open(origin, 'spring');
  const lane = {
    key: { origin, device: stored.campaign.devices[0]?.id ?? '' },
    label: 'Reception',
    entries: [{ campaign, device: 0 }],
  };
  const begun = Date.UTC(2026, 0, 1);
  const turnAt = (now: number) =>
    store.turn(lane, { signal, clock: new FakeClock({ now }), takesOver: false, requestTimeout: 1000 });
  const turn = await turnAt(begun);
  const claim = await turn.claimDevice(withRequest(turn.lane, turn.now()));
  expect(claim?.isHeld()).toBe(true);
  // Nothing is settled: its process is gone.
  turn.release();
  const later = await turnAt(begun + 5000);
  expect(later.lane).toMatchObject({ isBusy: false, lastAt: begun + 5000, sent: [[begun, 1]] });
  expect((await store.get(origin, 'spring'))?.rows).toEqual(stored.rows);
  later.release();
});
