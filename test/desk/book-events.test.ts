import { describe, expect, it } from 'vitest';
import { bookEvents } from '../../src/desk/book-events.ts';
import { logText } from '../../src/lib/files/append-log.ts';
import type { JsonObject } from '../../src/lib/json-object.ts';

const origin = 'https://api.example.com';
const day = (number: number): string => new Date(Date.UTC(2026, 0, number)).toISOString();

/** Returns the events of records that Ana wrote, as `event at name`. */
function eventsOf(...records: readonly JsonObject[]): readonly string[] {
  const lines = records.map((record) => ({
    origin,
    id: 'd',
    noted_by: 'Ana',
    noted_from: 'desk-1',
    recorded_at: record.added_at ?? record.seen_at ?? record.forgotten_at,
    ...record,
  }));
  return bookEvents(logText(lines), origin).map(({ event, at, device }) => `${event} ${at} ${device.name}`);
}

describe('bookEvents', () => {
  it('returns when a device was added, forgotten and added again, newest first', () => {
    const [added, completed, forgotten] = [
      { seen_at: day(1), name: 'Counter' },
      { seen_at: day(2), name: 'Reception' },
      { forgotten_at: day(3), tombstone: true },
    ];
    const again = { seen_at: day(1), added_at: day(4), name: 'Lobby' };
    expect(eventsOf(added, completed, forgotten, again)).toEqual([
      `added ${day(4)} Lobby`,
      `forgotten ${day(3)} Reception`,
      `added ${day(1)} Counter`,
    ]);
  });

  it('returns the author, the database user and the id of the record', () => {
    const author = { noted_by: 'Ana', noted_from: 'desk-1', db_user: 'agents' };
    const line = { origin, id: 'd', change: 'c', ...author, seen_at: day(1), recorded_at: day(1) };
    expect(bookEvents(logText([line]), origin)).toMatchObject([
      { id: 'c', deviceId: 'd', by: 'Ana', from: 'desk-1', dbUser: 'agents' },
    ]);
  });

  it('omits records that change nothing: of a forgotten device, and of one that was added later', () => {
    const forgotten = { forgotten_at: day(3), tombstone: true };
    expect(eventsOf({ seen_at: day(1) }, forgotten, forgotten, { seen_at: day(2) })).toHaveLength(2);
    expect(eventsOf({ seen_at: day(1), added_at: day(4) }, forgotten)).toHaveLength(1);
  });

  it('omits records without an operator, of other services, and without a valid time', () => {
    expect(eventsOf({ seen_at: day(1), noted_by: undefined })).toEqual([]);
    expect(eventsOf({ seen_at: day(1), origin: 'https://other.example' })).toEqual([]);
    expect(eventsOf({ seen_at: 'yesterday' })).toEqual([]);
  });

  it('returns the time at which the database stored the record, not one that a machine chose', () => {
    const chosen = { seen_at: day(1), noted_at: day(2), added_at: day(9) };
    expect(eventsOf({ ...chosen, recorded_at: day(5) })).toEqual([`added ${day(5)} undefined`]);
  });

  it('returns the creation time of a record that waited for the database, but none in the future', () => {
    const waited = { seen_at: day(1), recorded_at: day(5) };
    expect(eventsOf({ ...waited, made_at: day(3) })).toEqual([`added ${day(3)} undefined`]);
    for (const made_at of [day(9), 'yesterday', 7])
      expect(eventsOf({ ...waited, made_at })).toEqual([`added ${day(5)} undefined`]);
  });

  it('returns the later one of two records of one time first', () => {
    const [added, forgotten] = [{ seen_at: day(1) }, { forgotten_at: day(1), tombstone: true }];
    expect(eventsOf(added, forgotten)).toEqual([
      `forgotten ${day(1)} undefined`,
      `added ${day(1)} undefined`,
    ]);
  });

  it('reads copies of earlier versions, which had no time of the database', () => {
    expect(eventsOf({ seen_at: day(1), noted_at: day(2), recorded_at: undefined })).toEqual([
      `added ${day(2)} undefined`,
    ]);
  });
});
