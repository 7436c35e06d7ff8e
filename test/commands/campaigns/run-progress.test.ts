import { describe, expect, it } from 'vitest';
import type { Pace } from '../../../src/campaigns/pace.ts';
import { RunProgress } from '../../../src/commands/campaigns/run-progress.ts';
import { createTerminal } from '../../../src/terminal/terminal.ts';
import { temporaryDirectory } from '../../support/botctl.ts';
import { springCampaign } from '../../support/campaign.ts';
import { storeAt } from '../../support/campaign-stores.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { createCampaign } from '../../support/stored-campaign.ts';
import { Captured, fakeIo, keyboard } from '../../terminal/support.ts';

const origin = 'https://a.example';
const at = '2026-01-01T00:00:00.000Z';

/** Returns a device with its own campaign of six rows. */
async function sender(label: string, pace: Partial<Pace> = {}) {
  const store = storeAt(temporaryDirectory());
  const { campaign: spring, rows } = springCampaign(origin);
  const campaign = { ...spring, ...pace };
  const six = Array.from({ length: 6 }, (_, index) =>
    rows.slice(0, 1).map((row) => ({ ...row, row: index + 1, to: `551196666555${index}` })),
  );
  await createCampaign(store, { campaign, rows: six.flat() });
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
  it('prints a line for each device and one for all, each minute', async () => {
    const stderr = new Captured();
    const clock = new FakeClock({ byHand: true });
    const terminal = createTerminal(fakeIo({ stdin: keyboard(), stderr }), { color: false });
    const [first, second] = [await sender('Reception'), await sender('Counter')];
    const progress = new RunProgress({ terminal, clock });
    progress.begin([first, second]);
    await first.settle('accept', 1, 2, 3);
    await first.settle('reject', 4);
    await second.settle('lose', 1);
    progress.onWait(first, { until: clock.now() + 72_000, because: 'spring pauses after each message.' });
    clock.advance(60_000);
    progress.end();
    expect(stderr.text.split('\n')).toEqual([
      `Reception waits until 2026-01-01T00:01:12Z (in 1 minute): spring pauses after each message.`,
      'Reception: 3 of 6 accepted · 1 rejected · 2 left · next in 12 s · ends about 2026-01-01T00:01:30Z (in 30 seconds)',
      'Counter: 0 of 6 accepted · 1 unknown · 5 left',
      'all: 3 of 12 accepted · 1 rejected · 1 unknown · 7 left · ends about 2026-01-01T00:02:24Z (in 1 minute)',
      '',
    ]);
  });

  it('estimates the end by the pace, however fast it was before a night', async () => {
    const stderr = new Captured();
    const clock = new FakeClock({ byHand: true, now: Date.UTC(2026, 0, 1, 17) });
    const terminal = createTerminal(fakeIo({ stdin: keyboard(), stderr }), { color: false });
    const gap = { shortest: 600_000, longest: 600_000 };
    const windows = [{ days: [0, 1, 2, 3, 4, 5, 6], from: 540, to: 1080 }];
    const reception = await sender('Reception', { gap, daily: 3, windows, tz: 'UTC' });
    const progress = new RunProgress({ terminal, clock });
    progress.begin([reception]);
    await reception.settle('accept', 1, 2);
    clock.advance(60_000);
    await reception.settle('accept', 3);
    progress.onWait(reception, { until: Date.UTC(2026, 0, 2, 9), because: 'spring sends 09:00-18:00.' });
    clock.advance(60_000);
    progress.end();
    expect(stderr.text.split('\n').filter((line) => line.includes('ends about'))).toEqual([
      '2 of 6 accepted · 4 left · ends about 2026-01-02T17:20:00Z (in 1 day)',
      '3 of 6 accepted · 3 left · next in 958 min · ends about 2026-01-02T17:20:00Z (in 1 day)',
    ]);
  });

  it('prints one line if there is one device', async () => {
    const stderr = new Captured();
    const clock = new FakeClock({ byHand: true });
    const terminal = createTerminal(fakeIo({ stdin: keyboard(), stderr }), { color: false });
    const progress = new RunProgress({ terminal, clock });
    progress.begin([await sender('Reception')]);
    clock.advance(60_000);
    progress.end();
    expect(stderr.text).toBe('0 of 6 accepted · 6 left\n');
  });

  it('reports whose message a device waits for, and its outcome, once each', async () => {
    const stderr = new Captured();
    const clock = new FakeClock({ byHand: true });
    const terminal = createTerminal(fakeIo({ stdin: keyboard(), stderr }), { color: false });
    const reception = await sender('Reception');
    const progress = new RunProgress({ terminal, clock });
    progress.begin([reception]);
    const other = { holder: 'two (process 7)', until: clock.now() + 62_000 };
    const wait = { until: other.until, because: 'two (process 7) has a message on its way.', other };
    progress.onWait(reception, wait);
    progress.onWait(reception, wait);
    const later = { ...other, until: other.until + 3000 };
    progress.onWait(reception, { ...wait, until: later.until, other: later });
    clock.advance(60_000);
    progress.end();
    expect(stderr.text.split('\n')).toEqual([
      'Reception waits until 2026-01-01T00:01:02Z (in 1 minute): two (process 7) has a message on its way.',
      'Reception waits until 2026-01-01T00:01:05Z (in 1 minute): two (process 7) has a message on its way.',
      '0 of 6 accepted · 6 left · waits for two (process 7), whose message is unknown in 5 s',
      '',
    ]);
  });

  it('prints the time of a window in its zone too', async () => {
    const stderr = new Captured();
    const clock = new FakeClock({ byHand: true, now: Date.UTC(2026, 0, 1, 23) });
    const terminal = createTerminal(fakeIo({ stdin: keyboard(), stderr }), { color: false });
    const reception = await sender('Reception');
    const progress = new RunProgress({ terminal, clock });
    progress.begin([reception]);
    const wait = { until: Date.UTC(2026, 0, 2, 12), because: 'spring sends 09:00-18:00.' };
    progress.onWait(reception, { ...wait, zone: 'America/Sao_Paulo' });
    progress.end();
    expect(stderr.text).toBe(
      'Reception waits until 2026-01-02T12:00:00Z (in 13 hours; 2026-01-02 09:00 in America/Sao_Paulo): spring sends 09:00-18:00.\n',
    );
  });
});
