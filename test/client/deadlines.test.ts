import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Deadlines } from '../../src/client/deadlines.ts';
import { holdTime } from '../support/hold-time.ts';

describe('deadlines', () => {
  beforeEach(holdTime);

  /** Things that write down when they were late. */
  function watched() {
    const late: string[] = [];
    const one = (name: string) => ({
      deadline: Number.POSITIVE_INFINITY,
      failTooLate: () => void late.push(name),
    });
    return { late, one, deadlines: new Deadlines(100) };
  }

  it('tell each when it is late, and no other', () => {
    const { late, one, deadlines } = watched();
    const [first, second, ended] = [one('first'), one('second'), one('ended')];
    deadlines.begin(first);
    deadlines.begin(ended);
    vi.advanceTimersByTime(60);
    deadlines.begin(second);
    deadlines.end(ended);
    vi.advanceTimersByTime(39);
    expect(late).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(late).toEqual(['first']);
    vi.advanceTimersByTime(59);
    expect(late).toEqual(['first']);
    vi.advanceTimersByTime(1);
    expect(late).toEqual(['first', 'second']);
  });

  it('count from the last beginning', () => {
    const { late, one, deadlines } = watched();
    const [again, other] = [one('again'), one('other')];
    deadlines.begin(again);
    deadlines.begin(other);
    vi.advanceTimersByTime(80);
    deadlines.begin(again);
    vi.advanceTimersByTime(20);
    expect(late).toEqual(['other']);
    vi.advanceTimersByTime(80);
    expect(late).toEqual(['other', 'again']);
  });

  it('let one go whichever of them it is, also while others are told', () => {
    const { late, one, deadlines } = watched();
    const [first, second, third] = [one('first'), one('second'), one('third')];
    const ending = { deadline: Number.POSITIVE_INFINITY, failTooLate: () => deadlines.end(third) };
    for (const each of [ending, first, second, third]) deadlines.begin(each);
    deadlines.end(first);
    deadlines.end(first);
    // The third takes the place of the first, behind the one that ends it.
    vi.advanceTimersByTime(100);
    expect(late).toEqual(['second']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('may be further away than a timer of Node can wait', () => {
    const late: string[] = [];
    const days = 86_400_000;
    const deadlines = new Deadlines(60 * days);
    deadlines.begin({ deadline: Number.POSITIVE_INFINITY, failTooLate: () => void late.push('it') });
    const armed = vi.spyOn(globalThis, 'setTimeout');
    vi.advanceTimersByTime(59 * days);
    expect(late).toEqual([]);
    vi.advanceTimersByTime(days);
    expect(late).toEqual(['it']);
    expect(armed.mock.calls.length).toBeLessThan(4);
    vi.restoreAllMocks();
  });

  it('wait with one timer for what begins while another is told that it is late', () => {
    const { late, one, deadlines } = watched();
    const next = one('next');
    const beginning = { deadline: Number.POSITIVE_INFINITY, failTooLate: () => deadlines.begin(next) };
    deadlines.begin(beginning);
    vi.advanceTimersByTime(100);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(100);
    expect(late).toEqual(['next']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are kept for more than an argument list holds', () => {
    const { late, one, deadlines } = watched();
    deadlines.begin(one('first'));
    vi.advanceTimersByTime(60);
    for (let count = 0; count < 200_000; count += 1) deadlines.begin(one('second'));
    vi.advanceTimersByTime(40);
    expect(late).toEqual(['first']);
    deadlines.close();
  });

  it('watch again after a pause, and nothing once they are closed', () => {
    const { late, one, deadlines } = watched();
    deadlines.begin(one('first'));
    vi.advanceTimersByTime(1000);
    deadlines.begin(one('second'));
    vi.advanceTimersByTime(100);
    deadlines.begin(one('third'));
    deadlines.close();
    vi.advanceTimersByTime(1000);
    expect(late).toEqual(['first', 'second']);
    expect(vi.getTimerCount()).toBe(0);
  });
});
