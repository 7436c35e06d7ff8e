import { afterEach, describe, expect, it, test } from 'vitest';
import { byteSize, groupedNumber } from '../../src/lib/text/numbers.ts';
import { isoTime, parseLocalDay, parseLocalTime, parseTime, relativeTime } from '../../src/lib/time.ts';

const second = 1000;
const day = 86_400 * second;

test.each([
  [0, 'just now'],
  [999, 'just now'],
  [second, '1 second ago'],
  [59.9 * second, '59 seconds ago'],
  [60 * second, '1 minute ago'],
  [3 * 60 * second, '3 minutes ago'],
  [3600 * second, '1 hour ago'],
  [23.9 * 3600 * second, '23 hours ago'],
  [day, '1 day ago'],
  [99 * day, '99 days ago'],
  [100 * day, '3 months ago'],
  [365 * day, '11 months ago'],
  [800 * day, '2 years ago'],
  [-second, 'in 1 second'],
  [-89 * day, 'in 89 days'],
  [5 * second - 90 * day, 'in 90 days'],
  [3600 * second - 90 * day, 'in 89 days'],
  [30 - 60 * second, 'in 59 seconds'],
])('%d ms earlier is %s', (distance, text) => {
  expect(relativeTime(1_000_000_000_000 - distance, 1_000_000_000_000)).toBe(text);
});

test('accepts only a date-time with a zone as a time', () => {
  expect(parseTime('2026-11-21T10:00:00Z')).toBe(Date.UTC(2026, 10, 21, 10));
  expect(parseTime('2026-11-21T10:00:00.123456+02:00')).toBe(Date.UTC(2026, 10, 21, 8, 0, 0, 123));
  for (const other of ['2026-11-21', '2026-99-99T10:00:00Z', 'tomorrow', '', 5, null, undefined]) {
    expect(parseTime(other)).toBeUndefined();
  }
});

describe('a local time', () => {
  const zone = process.env.TZ;
  afterEach(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  // In Berlin, 2026-10-25 has 25 hours, and in Santiago, 2026-09-06 starts at 01:00.
  it.each([
    ['UTC', '2026-11-29T08:00Z', '2026-11-29T00:00Z', '2026-11-28T00:00Z'],
    ['Asia/Kolkata', '2026-11-28T20:00Z', '2026-11-28T18:30Z', '2026-11-27T18:30Z'],
    ['America/Los_Angeles', '2026-11-29T07:00Z', '2026-11-28T08:00Z', '2026-11-27T08:00Z'],
    ['Europe/Berlin', '2026-10-26T08:00Z', '2026-10-25T23:00Z', '2026-10-24T22:00Z'],
    ['America/Santiago', '2026-09-06T12:00Z', '2026-09-06T04:00Z', '2026-09-05T04:00Z'],
    ['Europe/Berlin', '2026-12-31T23:30Z', '2026-12-31T23:00Z', '2026-12-30T23:00Z'],
  ])('in %s at %s: today begins at %s, and yesterday at %s', (TZ, at, today, yesterday) => {
    process.env.TZ = TZ;
    const now = Date.parse(at);
    expect(parseLocalDay('today', now)).toBe(Date.parse(today));
    expect(parseLocalDay('yesterday', now)).toBe(Date.parse(yesterday));
  });

  it.each([
    ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00Z'],
    ['Europe/Berlin', '2026-10-26', '2026-10-25T23:00Z'],
    ['America/Santiago', '2026-09-06', '2026-09-06T04:00Z'],
    ['Asia/Kolkata', '2026-11-28', '2026-11-27T18:30Z'],
  ])('in %s: %s begins at %s', (TZ, date, start) => {
    process.env.TZ = TZ;
    expect(parseLocalDay(date, 0)).toBe(Date.parse(start));
  });

  it.each([
    ['Europe/Berlin', '2026-11-28 20:00', '2026-11-28T19:00Z'],
    ['Europe/Berlin', '2026-07-28T20:00:30', '2026-07-28T18:00:30Z'],
    ['America/Los_Angeles', '2026-11-28 20:00', '2026-11-29T04:00Z'],
  ])('in %s: %s is %s', (TZ, text, time) => {
    process.env.TZ = TZ;
    expect(parseLocalTime(text)).toBe(Date.parse(time));
  });

  it('has a day that exists', () => {
    for (const text of ['2026-02-31', '2026-13-01', 'tomorrow', 'Today', '2026-1-1', ''])
      expect(parseLocalDay(text, 0)).toBeUndefined();
    expect(parseLocalTime('2026-02-31 20:00')).toBeUndefined();
  });
});

test('ISO times are to the second', () => {
  expect(isoTime(Date.UTC(2026, 10, 21, 10, 0, 0, 987))).toBe('2026-11-21T10:00:00Z');
});

test.each([
  [0, '0'],
  [1234, '1234'],
  [12_345, '12,345'],
  [-1_234_567.25, '-1,234,567.25'],
  [1e21, '1e+21'],
  [Number.NaN, 'NaN'],
])('%d is formatted as %s', (value, text) => {
  expect(groupedNumber(value)).toBe(text);
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [123_456, '123 kB'],
  [999_949, '1.0 MB'],
  [999_999, '1.0 MB'],
  [1_500_000_000, '1.5 GB'],
])('%d bytes are formatted as %s', (bytes, text) => {
  expect(byteSize(bytes)).toBe(text);
});
