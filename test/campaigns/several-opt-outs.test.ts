import { beforeEach, describe, expect, it } from 'vitest';
import type { ClaimOffer, Decision } from '../../src/campaigns/claim.ts';
import type { OptOuts } from '../../src/campaigns/opt-outs.ts';
import { withOtherOptOuts } from '../../src/campaigns/several-opt-outs.ts';
import type { CampaignStore } from '../../src/campaigns/store/campaign-store.ts';
import { springCampaign } from '../support/campaign.ts';
import { allOptOuts, storeAt } from '../support/campaign-stores.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { createCampaign, storedCampaign } from '../support/stored-campaign.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const here = 'https://a.example';
const { signal } = new AbortController();
const at = '2026-01-01T00:00:00.000Z';
const { campaign: spring } = springCampaign(here);
const to = '5511966665555';

let own: OptOuts;
let other: OptOuts;
let store: CampaignStore;
let looks: number;

beforeEach(() => {
  const files = storeAt(temporaryDirectory());
  own = files.optOuts(here);
  other = storeAt(temporaryDirectory()).optOuts(here);
  looks = 0;
  store = withOtherOptOuts(files, {
    open: async () => [other],
    onFirstRead: async () => {
      looks += 1;
    },
  });
});

/** Claims the campaign's row, and releases it. Returns its state. */
const claim = async () => {
  const entry = { campaign: await store.open(here, 'spring'), device: 0 };
  const queue = {
    key: { origin: here, device: spring.devices[0]?.id ?? '' },
    label: 'Reception',
    entries: [entry],
  };
  const decide = ({ queue, next }: ClaimOffer): Decision<string> =>
    next ? { queue, send: 'row' } : { queue, instead: 'nothing is left' };
  const claimed = await store.claim(queue, decide, { signal, clock: new FakeClock(), requestTimeout: 1000 });
  if ('instead' in claimed) return claimed.instead;
  await claimed.claim.settle({ event: 'return' });
  return claimed.claim.row?.state;
};

describe('two lists of opt-outs', () => {
  it('both apply, in either notation of a number, and are listed as one', async () => {
    await own.add([{ number: to, added_at: at }]);
    await other.add([
      { number: '551166665555', added_at: at },
      { number: '14155550123', added_at: at, note: 'STOP' },
    ]);
    const both = store.optOuts(here);
    expect(await allOptOuts(both)).toEqual([
      { number: to, added_at: at },
      { number: '14155550123', added_at: at, note: 'STOP' },
    ]);
    const asked = ['551166665555', '14155550123', '14155550124'];
    expect(await both.filterOptedOut(asked)).toEqual(new Set(['551166665555', '14155550123']));
    expect(await own.filterOptedOut(asked)).toEqual(new Set(['551166665555']));
    expect(await both.find('14155550123')).toMatchObject({ note: 'STOP' });
    expect(looks).toBe(1);
  });

  it('store additions in the local list only, and remove numbers from both', async () => {
    await other.add([{ number: to, added_at: at }]);
    const both = store.optOuts(here);
    expect(await both.add([{ number: to, added_at: at }])).toHaveLength(1);
    expect(await both.remove(to)).toMatchObject({ number: to });
    expect([await own.find(to), await other.find(to), await both.remove(to)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('skip a row whose number is in the other list', async () => {
    await createCampaign(store, springCampaign(here));
    expect(await claim()).toBe('sending');
    await other.add([{ number: to, added_at: at }]);
    expect(await claim()).toBe('nothing is left');
    expect((await storedCampaign(store, here, 'spring'))?.rows).toMatchObject([
      { state: 'skipped', reason: 'opted_out', attempts: 0 },
      {},
    ]);
  });
});
