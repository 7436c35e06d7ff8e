import { describe, expect, it } from 'vitest';
import { lateEvent } from '../../src/desk/state-events.ts';

const event = (minute: number, name: string, lostMinute?: number) => ({
  at: time(minute),
  event: name,
  lostAt: lostMinute === undefined ? undefined : time(lostMinute),
});

function time(minute: number): string {
  return new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString();
}

describe('an event that is recorded late', () => {
  it.each([
    ['the state of the event before', [event(0, 'connected')], event(2, 'connected'), []],
    ['the state of the event after', [event(0, 'started')], event(2, 'paired'), [event(3, 'paired')]],
    ['a loss that is recorded, by clocks that differ', [event(3, 'lost', 2)], event(9, 'lost', 2), []],
    [
      'that loss, after the connection was back',
      [event(3, 'lost', 2), event(4, 'connected', 2)],
      event(5, 'lost', 2),
      [],
    ],
  ])('is omitted if it reports %s', (_case, before, late, after) => {
    expect(lateEvent(before, late, after)).toBeUndefined();
  });

  it.each([
    [
      'another loss',
      [event(3, 'lost', 2), event(4, 'connected', 2)],
      event(6, 'lost', 5),
      [event(9, 'connected', 5)],
    ],
    [
      'a connection that was lost before the next one',
      [event(0, 'started')],
      event(1, 'paired'),
      [event(9, 'connected', 5)],
    ],
    ['a command', [event(0, 'disconnect')], event(1, 'disconnect'), [event(2, 'disconnect')]],
    ['a refused send', [event(0, 'refused')], event(1, 'refused'), []],
  ])('is recorded if it is %s', (_case, before, late, after) => {
    expect(lateEvent(before, late, after)?.event).toBe(late.event);
  });

  it('is a pairing if the device was not paired, and otherwise a connection', () => {
    expect(lateEvent([event(0, 'started')], event(2, 'connected'), [])?.event).toBe('paired');
    expect(lateEvent([event(0, 'lost', 0)], event(2, 'paired', 0), [])?.event).toBe('connected');
  });

  it('is a stop of a device with a history, even if this machine had none of it', () => {
    expect(lateEvent([event(0, 'paired'), event(1, 'lost', 1)], event(2, 'never_connected'), [])?.event).toBe(
      'stopped',
    );
  });
});
