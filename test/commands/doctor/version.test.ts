import { expect, it } from 'vitest';
import { versionAnswer } from '../../../src/commands/doctor/version.ts';

const built = new Date('2026-11-29T12:00:00Z');
const after = (days: number): Date => new Date(built.getTime() + days * 86_400_000);

it.each([
  [0, 'ok'],
  [180, 'ok'],
  [181, 'warning'],
  // The machine's clock is behind.
  [-1, 'ok'],
])('is good until it is 180 days old: %i days', (days, verdict) => {
  expect(versionAnswer(after(days), { date: built }).verdict).toBe(verdict);
});

it('is good if the time of the commit is unknown', () => {
  expect(versionAnswer(after(9999), { date: undefined }, 'botctl 1.0.0')).toEqual({
    verdict: 'ok',
    found: 'botctl 1.0.0.',
  });
});
