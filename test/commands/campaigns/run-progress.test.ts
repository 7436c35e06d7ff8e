import { describe, expect, it } from 'vitest';
import { createFileStore } from '../../../src/campaigns/files/file-store.ts';
import { RunProgress } from '../../../src/commands/campaigns/run-progress.ts';
import { createTerminal } from '../../../src/terminal/terminal.ts';
import { temporaryDirectory } from '../../support/botctl.ts';
import { springCampaign } from '../../support/campaign.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { Captured, fakeIo, keyboard } from '../../terminal/support.ts';

const { signal } = new AbortController();
const origin = 'https://a.example';
const at = '2026-01-01T00:00:00.000Z';

/** Returns a device with a campaign of its own, of six rows. */
async function lane(label: string) {
  const store = createFileStore(temporaryDirectory(), signal);
  const { campaign, rows } = springCampaign(origin);
  const six = Array.from({ length: 6 }, (_, index) =>
    rows.slice(0, 1).map((row) => ({ ...row, row: index + 1 })),
  );
  await store.create({ campaign, rows: six.flat() });
  const opened = await store.open(origin, 'spring');
  const settle = async (event: 'accept' | 'reject' | 'lose', ...numbers: readonly number[]) => {
    const claim = 'claim' as const;
    await store.record(
      campaign,
      numbers.flatMap((row) => [
        { row, event: claim, at },
        { row, event, at },
      ]),
    );
    await opened.refresh();
  };
  const device = { id: label, label, name: label, word: label };
  return { device, entries: [{ campaign: opened, device: 0 }], settle };
}

describe('the progress of a run', () => {
  it('has a line for each device and one for all, each minute', async () => {
    const stderr = new Captured();
    const clock = new FakeClock({ byHand: true });
    const terminal = createTerminal(fakeIo({ stdin: keyboard(), stderr }), { color: false });
    const [first, second] = [await lane('Reception'), await lane('Counter')];
    const progress = new RunProgress({ terminal, clock });
    progress.begin([first, second]);
    await first.settle('accept', 1, 2, 3);
    await first.settle('reject', 4);
    await second.settle('lose', 1);
    progress.onWait(first, { until: clock.now() + 72_000, because: 'spring pauses after each message.' });
    clock.advance(60_000);
    progress.end();
    expect(stderr.text.split('\n')).toEqual([
      `Reception waits until 2026-01-01T00:01:12Z: spring pauses after each message.`,
      'Reception: 3 accepted · 1 rejected · 2 left · next in 12 s · ends about 2026-01-01T00:01:30Z',
      'Counter: 0 accepted · 1 unknown · 5 left',
      'all: 3 accepted · 1 rejected · 1 unknown · 7 left · ends about 2026-01-01T00:02:24Z',
      '',
    ]);
  });

  it('has one line where there is one device', async () => {
    const stderr = new Captured();
    const clock = new FakeClock({ byHand: true });
    const terminal = createTerminal(fakeIo({ stdin: keyboard(), stderr }), { color: false });
    const progress = new RunProgress({ terminal, clock });
    progress.begin([await lane('Reception')]);
    clock.advance(60_000);
    progress.end();
    expect(stderr.text).toBe('0 accepted · 6 left\n');
  });
});
