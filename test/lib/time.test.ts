import { expect, test } from 'vitest';
import { byteSize, groupedNumber } from '../../src/lib/text/numbers.ts';
import { isoTime, parseTime, relativeTime } from '../../src/lib/time.ts';

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

test('only a date-time with a zone is a time', () => {
  expect(parseTime('2026-11-21T10:00:00Z')).toBe(Date.UTC(2026, 10, 21, 10));
  expect(parseTime('2026-11-21T10:00:00.123456+02:00')).toBe(Date.UTC(2026, 10, 21, 8, 0, 0, 123));
  for (const other of ['2026-11-21', '2026-99-99T10:00:00Z', 'tomorrow', '', 5, null, undefined]) {
    expect(parseTime(other)).toBeUndefined();
  }
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
])('%d is written %s', (value, text) => {
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
])('%d bytes are written %s', (bytes, text) => {
  expect(byteSize(bytes)).toBe(text);
});
