import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { beginLease, leaseTime } from '../../src/campaigns/lease.ts';

describe('the lease of a device', () => {
  /** The times of this process's monotonic clock and of the wall clock. */
  let own: number;
  let wall: number;

  beforeEach(() => {
    [own, wall] = [1000, 1_700_000_000_000];
    vi.spyOn(performance, 'now').mockImplementation(() => own);
  });
  afterEach(() => void vi.restoreAllMocks());

  const begin = (): (() => boolean) => beginLease(60_000, () => wall);

  it('lasts twice the request timeout plus five seconds', () => {
    expect(leaseTime(30_000)).toBe(65_000);
  });

  it.each([
    ['both clocks', 29_999, 29_999, true],
    ['both clocks', 30_000, 30_000, false],
    ['its own clock alone, as where the wall clock is corrected', 30_000, 0, false],
    ['the wall clock alone, as where the machine slept', 0, 30_000, false],
    ['neither, where the wall clock was put back', 0, -1, false],
  ])('allows a request until half of it has passed by %s: %i and %i ms', (_, onOwn, onWall, isGood) => {
    const isHeld = begin();
    own += onOwn;
    wall += onWall;
    expect(isHeld()).toBe(isGood);
  });
});
