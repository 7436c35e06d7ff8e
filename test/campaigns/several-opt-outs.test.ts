import { beforeEach, describe, expect, it } from 'vitest';
import { createFileStore } from '../../src/campaigns/files/file-store.ts';
import { createOptOuts } from '../../src/campaigns/files/opt-outs.ts';
import { withRequest } from '../../src/campaigns/lane.ts';
import type { OptOuts } from '../../src/campaigns/opt-outs.ts';
import { laterOptOuts, withOtherOptOuts } from '../../src/campaigns/several-opt-outs.ts';
import type { CampaignStore } from '../../src/campaigns/store.ts';
import { springCampaign } from '../support/campaign.ts';
import { allOptOuts } from '../support/campaign-stores.ts';
import { FakeClock } from '../support/fake-clock.ts';
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
  const files = createFileStore(temporaryDirectory(), signal);
  own = files.optOuts(here);
  other = createOptOuts(temporaryDirectory(), here, signal);
  looks = 0;
  store = withOtherOptOuts(files, {
    of: () => [laterOptOuts(async () => other)],
    onFirstLook: async () => {
      looks += 1;
    },
  });
});

const turn = async () => {
  const entry = { campaign: await store.open(here, 'spring'), device: 0 };
  const lane = {
    key: { origin: here, device: spring.devices[0]?.id ?? '' },
    label: 'Reception',
    entries: [entry],
  };
  const taken = await store.turn(lane, {
    signal,
    clock: new FakeClock(),
    takesOver: false,
    requestTimeout: 1000,
  });
  const row = taken.next(entry);
  if (!row) throw new Error('no row is planned');
  return { taken, row, claim: () => taken.claim(entry, row, withRequest(taken.lane, taken.now())) };
};

describe('two lists of opt-outs', () => {
  it('count both, in either way of writing a number, and are listed as one', async () => {
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
    expect(await both.among(asked)).toEqual(new Set(['551166665555', '14155550123']));
    expect(await own.among(asked)).toEqual(new Set(['551166665555']));
    expect(await both.find('14155550123')).toMatchObject({ note: 'STOP' });
    expect(looks).toBe(1);
  });

  it('take what is added into the own one alone, and lose what is removed from both', async () => {
    await other.add([{ number: to, added_at: at }]);
    const both = store.optOuts(here);
    expect(await both.add([{ number: to, added_at: at }])).toHaveLength(1);
    expect(await both.remove(to, at)).toMatchObject({ number: to });
    expect([await own.find(to), await other.find(to), await both.remove(to, at)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('keep a row from being sent that is in the other one, also where it comes to that just before', async () => {
    await store.create(springCampaign(here));
    const before = await turn();
    expect(before.taken.isOptedOut(before.row)).toBe(false);
    await other.add([{ number: to, added_at: at }]);
    expect(await before.claim()).toBeUndefined();
    before.taken.release();
    const after = await turn();
    expect(after.taken.isOptedOut(after.row)).toBe(true);
    after.taken.release();
    await other.remove(to, at);
    const free = await turn();
    expect(await free.claim()).toMatchObject({ row: { state: 'sending' } });
    free.taken.release();
  });
});
