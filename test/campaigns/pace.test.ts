import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addSent,
  type NamedPace,
  nextInstant,
  type Pace,
  type SendHistory,
  type SentCount,
  secondsAtPace,
} from '../../src/campaigns/pace.ts';
import { isWithin, type SendWindow, sendWindow, windowWords } from '../../src/campaigns/window.ts';
import { canonicalZone, dayMs, quarterMs, wallClock } from '../../src/campaigns/zones.ts';

const none: SendHistory = { lastAt: undefined, draw: 0, sent: [] };
const noGap = { shortest: 0, longest: 0 };
const paceOf = (pace: Partial<Pace>, name = 'spring'): NamedPace => ({
  name,
  pace: { gap: noGap, tz: 'UTC', ...pace },
});
const at = (time: string): number => Date.parse(time);
const shown = (instant: number): string => new Date(instant).toISOString().replace(':00.000Z', 'Z');
const windowsOf = (...typed: readonly string[]): readonly SendWindow[] => typed.map(sendWindow);

/** Returns the earliest instant for a message that is ready at `now`. */
const next = (pace: Partial<Pace>, now: string, history: Partial<SendHistory> = {}): string =>
  shown(nextInstant([paceOf(pace)], { ...none, ...history }, at(now)).at);

it('names the two campaigns whose windows never overlap', () => {
  const paces = ['mon-fri 09:00-18:00', 'mon 09:00-12:00', 'tue 09:00-12:00'].map((window) =>
    paceOf({ windows: windowsOf(window) }, window.slice(0, 7).trim()),
  );
  expect(nextInstant(paces, none, 0)).toMatchObject({
    at: Number.POSITIVE_INFINITY,
    clash: ['mon 09:', 'tue 09:'],
  });
});

describe('a window', () => {
  it.each([
    ['mon-fri 09:00-18:00', { days: [1, 2, 3, 4, 5], from: 540, to: 1080 }],
    ['Sat,sun  9:00-14:30', { days: [0, 6], from: 540, to: 870 }],
    ['fri-mon 22:00-02:00', { days: [0, 1, 5, 6], from: 1320, to: 120 }],
    ['00:00-24:00', { days: [0, 1, 2, 3, 4, 5, 6], from: 0, to: 1440 }],
  ])('is parsed as people write it: %s', (typed, window) => {
    expect(sendWindow(typed)).toEqual(window);
    expect(sendWindow(windowWords(window))).toEqual(window);
  });

  it.each([
    ['always', 'must be days and times such as'],
    ['09:00-09:00', 'must include some time'],
    ['24:00-02:00', 'must include some time'],
    ['09:00-25:00', 'must have times from 00:00 to 24:00'],
    ['9-18', 'must have times from 00:00 to 24:00'],
    ['seg-sex 09:00-18:00', 'must have days such as mon-fri, not "seg"'],
    ['mon-wed-fri 09:00-18:00', 'must have days such as mon-fri'],
  ])('is refused if it is invalid: %s', (typed, says) => {
    expect(() => sendWindow(typed)).toThrow(says);
  });

  it.each([
    ['mon,wed,fri 08:00-09:00', 'mon,wed,fri 08:00-09:00'],
    ['sun-tue,thu,fri 08:00-09:00', 'mon,tue,thu,fri,sun 08:00-09:00'],
    ['mon-sun 8:00-9:00', '08:00-09:00'],
  ])('is formatted with Monday first: %s', (typed, words) => {
    expect(windowWords(sendWindow(typed))).toBe(words);
  });

  it('waits for the next one, also over a weekend', () => {
    const windows = windowsOf('mon-fri 09:00-18:00');
    const friday = '2026-11-20';
    expect(next({ windows }, `${friday}T17:59:00Z`)).toBe('2026-11-20T17:59Z');
    expect(next({ windows }, `${friday}T18:00:00Z`)).toBe('2026-11-23T09:00Z');
    expect(next({ windows }, '2026-11-24T03:07:00Z')).toBe('2026-11-24T09:00Z');
  });

  it('continues past midnight as part of the day on which it started', () => {
    const windows = windowsOf('fri 22:00-02:00');
    expect(next({ windows }, '2026-11-21T01:59:00Z')).toBe('2026-11-21T01:59Z');
    expect(next({ windows }, '2026-11-21T02:00:00Z')).toBe('2026-11-27T22:00Z');
    expect(next({ windows }, '2026-11-20T01:00:00Z')).toBe('2026-11-20T22:00Z');
  });

  it('may be one of several', () => {
    const windows = windowsOf('09:05-12:00', '14:00-18:00');
    expect(next({ windows }, '2026-11-24T08:00:00Z')).toBe('2026-11-24T09:05Z');
    expect(next({ windows }, '2026-11-24T12:00:00Z')).toBe('2026-11-24T14:00Z');
  });
});

describe('the clock of a zone', () => {
  it.each([
    // [zone, window, now, next]: offsets of -3, +1 and +2, -5 and -4, +5:30, +5:45, +10:30 and +11
    ['America/Sao_Paulo', '09:00-18:00', '2026-11-24T08:00:00Z', '2026-11-24T12:00Z'],
    ['Europe/Berlin', '09:00-18:00', '2026-11-24T07:00:00Z', '2026-11-24T08:00Z'],
    ['Europe/Berlin', '09:00-18:00', '2026-07-24T06:00:00Z', '2026-07-24T07:00Z'],
    ['Asia/Kolkata', '09:00-18:00', '2026-11-24T00:00:00Z', '2026-11-24T03:30Z'],
    ['Asia/Kathmandu', '09:10-18:00', '2026-11-24T00:00:00Z', '2026-11-24T03:25Z'],
    // The night of 23 hours: 02:30 does not exist on that day.
    ['Europe/Berlin', '02:30-02:45', '2026-03-29T00:00:00Z', '2026-03-30T00:30Z'],
    ['Europe/Berlin', '02:30-04:00', '2026-03-29T00:00:00Z', '2026-03-29T01:00Z'],
    ['America/New_York', '02:30-02:45', '2026-03-08T05:00:00Z', '2026-03-09T06:30Z'],
    // The night of 25 hours: 02:30 occurs twice, and so does the window.
    ['Europe/Berlin', '02:30-02:45', '2026-10-25T00:45:00Z', '2026-10-25T01:30Z'],
    ['America/New_York', '01:30-01:45', '2026-11-01T05:45:00Z', '2026-11-01T06:30Z'],
    // Half an hour: Lord Howe has 01:30 to 02:00 twice in April, and no 02:00 to 02:30 in October.
    ['Australia/Lord_Howe', '01:40-01:50', '2026-04-04T14:50:00Z', '2026-04-04T15:10Z'],
    ['Australia/Lord_Howe', '02:10-03:00', '2026-10-03T15:00:00Z', '2026-10-03T15:30Z'],
  ])('decides whether a window is open at each instant: %s, %s', (tz, window, now, instant) => {
    expect(next({ tz, windows: windowsOf(window) }, now)).toBe(instant);
  });

  it.each([
    ['Europe/Berlin', '2026-03-28T23:00:00Z', 23],
    ['Europe/Berlin', '2026-10-24T22:00:00Z', 25],
    ['America/New_York', '2026-03-08T05:00:00Z', 23],
    ['America/New_York', '2026-11-01T04:00:00Z', 25],
    ['America/Sao_Paulo', '2026-11-01T03:00:00Z', 24],
    ['Australia/Lord_Howe', '2026-10-03T13:30:00Z', 23.5],
    ['Africa/Cairo', '2026-04-23T22:00:00Z', 23],
  ])('counts a daily limit by the local day: %s from %s has %d hours', (tz, starts, hours) => {
    const start = at(starts);
    const full = { sent: [[start, 5]] as readonly SentCount[] };
    const nextDay = start + hours * 60 * 60_000;
    expect(next({ tz, daily: 5 }, starts, full)).toBe(shown(nextDay));
    const before = { sent: [[start - quarterMs, 5]] as readonly SentCount[] };
    expect(next({ tz, daily: 5 }, starts, before)).toBe(shown(start));
  });

  it('agrees with Intl at any instant', () => {
    const zones = ['America/Sao_Paulo', 'Europe/Berlin', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'UTC'];
    const instants = fc.integer({ min: at('2026-01-01T00:00:00Z'), max: at('2028-01-01T00:00:00Z') });
    const property = fc.property(fc.constantFrom(...zones), instants, (timeZone, instant) => {
      const written = new Date(instant).toLocaleString('sv-SE', { timeZone });
      expect(new Date(wallClock(timeZone)(instant)).toISOString().slice(0, 19)).toBe(
        written.replace(' ', 'T'),
      );
    });
    fc.assert(property, { numRuns: 400 });
  });

  it('requires the name from the zone database and no offset', () => {
    expect(canonicalZone('america/sao_paulo')).toBe('America/Sao_Paulo');
    expect(canonicalZone('Sao_Paulo')).toBeUndefined();
    expect(canonicalZone('-03:00')).toBeUndefined();
  });
});

describe('the pause between two messages', () => {
  const gap = { shortest: 6_000, longest: 15_000 };
  const now = '2026-11-24T12:00:00Z';

  it.each([
    [0, 6],
    [0.5, 10.5],
    [1, 15],
  ])('lies within its range according to the draw: %d', (draw, seconds) => {
    const lane = { lastAt: at(now), draw, sent: [] };
    const instant = nextInstant([paceOf({ gap })], lane, at(now));
    expect(instant).toMatchObject({ at: at(now) + seconds * 1000, why: 'gap', campaign: 'spring' });
    expect(nextInstant([paceOf({ gap })], lane, instant.at)).toEqual({ at: instant.at });
  });

  it('is the longer one of two campaigns, and is reported as that campaign’s', () => {
    const paces = [paceOf({ gap }), paceOf({ gap: { shortest: 20_000, longest: 20_000 } }, 'summer')];
    const lane = { lastAt: at(now), draw: 0.9, sent: [] };
    expect(nextInstant(paces, lane, at(now))).toMatchObject({ at: at(now) + 20_000, campaign: 'summer' });
  });

  it('is zero before the first message', () => {
    expect(nextInstant([paceOf({ gap })], none, at(now))).toEqual({ at: at(now) });
  });
});

describe('the daily limit', () => {
  const now = '2026-11-24T12:00:00Z';
  const sent = (count: number): SendHistory => ({ ...none, sent: [[at('2026-11-24T09:15:00Z'), count]] });

  it('allows exactly that many messages', () => {
    expect(nextInstant([paceOf({ daily: 3 })], sent(2), at(now))).toEqual({ at: at(now) });
    expect(nextInstant([paceOf({ daily: 3 })], sent(3), at(now))).toEqual({
      at: at('2026-11-25T00:00:00Z'),
      why: 'daily',
      zone: 'UTC',
      campaign: 'spring',
      because: 'spring reached its daily limit of 3 for the device.',
    });
  });

  it('is the lower one of two campaigns, by the day of its own zone', () => {
    const paces = [paceOf({ daily: 9 }), paceOf({ daily: 3, tz: 'America/Sao_Paulo' }, 'summer')];
    const instant = nextInstant(paces, sent(3), at(now));
    expect(instant).toMatchObject({ at: at('2026-11-25T03:00:00Z'), why: 'daily', campaign: 'summer' });
  });

  it('grows with each day that has messages, but not with days that have none', () => {
    const days = ['2026-11-18', '2026-11-23'].map((day): SentCount => [at(`${day}T09:00:00Z`), 1]);
    const pace = paceOf({ warm_up: [1, 2, 4] });
    const lane = (today: number): SendHistory => ({ ...none, sent: [...days, ...sent(today).sent] });
    expect(nextInstant([pace], lane(3), at(now)).at).toBe(at(now));
    expect(nextInstant([pace], lane(4), at(now))).toMatchObject({ at: at('2026-11-25T00:00:00Z') });
    expect(nextInstant([paceOf({ warm_up: [1, 2] })], lane(2), at(now)).why).toBe('daily');
  });

  it('ends with its day, and then waits for a window too', () => {
    const windows = windowsOf('mon-fri 09:00-18:00');
    const instant = nextInstant([paceOf({ daily: 3, windows })], sent(3), at(now));
    expect(instant).toMatchObject({ at: at('2026-11-25T09:00:00Z'), why: 'daily' });
  });
});

describe('the send history of a device', () => {
  it('stays small and keeps earlier days', () => {
    let history: readonly SentCount[] = [];
    const start = at('2026-01-01T23:30:00Z');
    // A window from 18:30 to 20:30 in New York is on two days of UTC.
    for (let day = 0; day < 120; day += 1)
      for (const later of [0, quarterMs, 4 * quarterMs])
        history = addSent(history, start + day * dayMs + later);
    expect(history.length).toBeLessThan(500);
    const last = start + 119 * dayMs;
    expect(history.at(-3)).toEqual([last, 1]);
    const warm_up = Array.from({ length: 30 }, (_, at) => at + 1);
    const lane = { ...none, sent: history };
    expect(nextInstant([paceOf({ warm_up, tz: 'America/New_York' })], lane, last + dayMs).at).toBe(
      last + dayMs,
    );
  });

  it('counts the first messages of a 25-hour day until the day ends', () => {
    const tz = 'Europe/Berlin';
    let history: readonly SentCount[] = [];
    // The last message of Saturday, the first one of Sunday there, and one near its end.
    for (const time of ['2026-10-24T20:00:00Z', '2026-10-24T22:15:00Z', '2026-10-25T22:30:00Z'])
      history = addSent(history, at(time));
    expect(next({ daily: 2, tz }, '2026-10-25T22:45:00Z', { sent: history })).toBe('2026-10-25T23:00Z');
  });

  it('counts each day of a zone once, however long ago it was', () => {
    let history: readonly SentCount[] = [];
    const start = at('2026-01-05T23:30:00Z');
    for (const day of [0, 1, 2, 3, 4, 7, 8, 9])
      for (const later of [0, 4 * quarterMs]) history = addSent(history, start + day * dayMs + later);
    const limits = Array.from({ length: 12 }, (_, at) => at + 1);
    const lane = (sent: number): SendHistory => ({
      ...none,
      sent: [...history, [start + 10 * dayMs, sent]],
    });
    const tz = 'America/New_York';
    const now = start + 10 * dayMs;
    // Messages were sent on eight days, so this is the ninth.
    expect(nextInstant([paceOf({ warm_up: limits, tz })], lane(8), now).at).toBe(now);
    expect(nextInstant([paceOf({ warm_up: limits, tz })], lane(9), now).why).toBe('daily');
  });
});

const windows = fc
  .record({
    days: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1 }),
    from: fc.integer({ min: 0, max: 1439 }),
    to: fc.integer({ min: 1, max: 1440 }),
  })
  .filter(({ from, to }) => from !== to && from !== to % 1440);
const pace = fc.record({
  gap: fc
    .tuple(fc.nat(60_000), fc.nat(60_000))
    .map(([one, more]) => ({ shortest: one, longest: one + more })),
  daily: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
  windows: fc.option(fc.array(windows, { minLength: 1, maxLength: 2 }), { nil: undefined }),
  tz: fc.constantFrom('Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata'),
});
const year = { min: at('2026-01-01T00:00:00Z'), max: at('2027-01-01T00:00:00Z') };

describe('the next instant', () => {
  it('satisfies every pace, and no earlier instant does', () => {
    const property = fc.property(
      fc.array(pace, { minLength: 1, maxLength: 2 }),
      fc.integer(year),
      fc.nat(9),
      (all, now, count) => {
        const paces = all.map((one, index) => paceOf(one, `c${index}`));
        const lane = {
          lastAt: now - 1,
          draw: 0.5,
          sent: addSent([], now - 1).map(([from]): SentCount => [from, count]),
        };
        const { at: instant } = nextInstant(paces, lane, now);
        if (instant === Number.POSITIVE_INFINITY) return all.length > 1;
        const mayGo = (moment: number): boolean =>
          all.every(({ gap, daily, windows, tz }) => {
            const wall = wallClock(tz);
            const date = (one: number): number => Math.floor(wall(one) / dayMs);
            const isOpen = windows === undefined || isWithin(windows, wall(moment));
            const sameDay = date(lane.sent[0]?.[0] ?? 0) === date(moment);
            const isFull = daily !== undefined && sameDay && count >= daily;
            return isOpen && !isFull && moment >= lane.lastAt + (gap.shortest + gap.longest) / 2;
          });
        expect(mayGo(instant)).toBe(true);
        for (let before = instant - 1; before >= now; before -= 11 * 60_000) if (mayGo(before)) return false;
        return true;
      },
    );
    fc.assert(property, { numRuns: 120 });
  });

  it('is found once daylight saving time makes windows of two zones overlap', () => {
    const paces = [
      paceOf({ windows: windowsOf('09:00-10:00'), tz: 'America/New_York' }),
      paceOf({ windows: windowsOf('14:00-15:00'), tz: 'Europe/London' }, 'summer'),
    ];
    const { at: instant } = nextInstant(paces, none, at('2026-03-09T12:00:00Z'));
    expect(new Date(instant).toISOString()).toBe('2026-03-29T13:00:00.000Z');
  });

  it('does not exist if the windows of two campaigns never overlap', () => {
    const paces = [
      paceOf({ windows: windowsOf('mon 09:00-10:00') }),
      paceOf({ windows: windowsOf('tue 09:00-10:00') }, 'summer'),
    ];
    expect(nextInstant(paces, none, at('2026-11-24T12:00:00Z')).at).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('a pace with days or times', () => {
  it.each([{ windows: windowsOf('mon 09:00-10:00') }, { daily: 9 }, { warm_up: [9] }])(
    'is not computed without an explicit time zone: %j',
    (one) => {
      const pace = { gap: { shortest: 0, longest: 0 }, ...one };
      expect(() => nextInstant([{ name: 'spring', pace }], none, 0)).toThrow(RangeError);
    },
  );
});

describe('the estimated duration', () => {
  const gap = { shortest: 6_000, longest: 15_000 };
  const hours = (one: Partial<Pace>, count: number): number =>
    secondsAtPace({ gap, tz: 'UTC', ...one }, count) / 3600;

  it('is the sum of the pauses at their average length', () => {
    expect(hours({}, 361) * 3600).toBe(3780);
    expect(hours({}, 1)).toBe(0);
    expect(hours({}, 0)).toBe(0);
  });

  it.each([
    ['days of a limit', { daily: 200 }, 401, 48],
    ['days that grow', { warm_up: [20, 50, 100] }, 271, 96],
    ['no wait for the first window', { windows: windowsOf('mon-fri 09:00-18:00') }, 1, 0],
    [
      'days of a window',
      { windows: windowsOf('09:00-10:00'), gap: { shortest: 60_000, longest: 60_000 } },
      121,
      48,
    ],
    ['weeks of windows', { windows: windowsOf('mon 09:00-18:00'), daily: 10 }, 31, 3 * 168],
    [
      'windows of several lengths',
      {
        windows: windowsOf('mon 09:00-10:00', 'tue 22:00-24:00'),
        gap: { shortest: 360_000, longest: 360_000 },
      },
      31,
      168,
    ],
    ['years', { daily: 20 }, 20_001, 24_000],
    ['no message', { windows: windowsOf('mon-fri 09:00-18:00') }, 0, 0],
    ['no pauses at all', { gap: { shortest: 0, longest: 0 } }, 1_000_000, 0],
  ])('includes %s', (_, one, count, expected) => {
    expect(hours(one, count)).toBeCloseTo(expected, 5);
  });

  it('is close to the time message by message, except for the days before the first window', () => {
    const property = fc.property(
      pace,
      fc.integer({ min: 1, max: 60 }),
      fc.integer(year),
      (one, count, now) => {
        const { shortest } = one.gap;
        const even = { ...one, gap: { shortest, longest: shortest } };
        let history: SendHistory = none;
        let last = now;
        for (let message = 0; message < count; message += 1) {
          last = nextInstant([paceOf(even)], history, last).at;
          history = { lastAt: last, draw: 0, sent: addSent(history.sent, last) };
        }
        const taken = (last - now) / dayMs;
        expect(Math.abs((secondsAtPace(even, count) * 1000) / dayMs - taken)).toBeLessThan(8 + taken / 4);
      },
    );
    fc.assert(property, { numRuns: 300 });
  });
});
