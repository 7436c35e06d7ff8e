import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type FoldedRecords, foldRecords } from '../../src/desk/device-book-lines.ts';
import { mergeRecords } from '../../src/desk/merge-records.ts';
import { logText } from '../../src/lib/files/append-log.ts';
import type { JsonObject } from '../../src/lib/json-object.ts';

const origin = 'https://api.example.com';
const id = fc.constantFrom('a', 'b');
const name = fc.constantFrom('Desk', 'Front', 'Lobby');
/** Few different times, so that events coincide on machines whose clocks differ. */
const at = fc.integer({ min: 1, max: 9 }).map((day) => `2026-01-0${day}T00:00:00.000Z`);
const sight = fc
  .record(
    { id, name, team_id: name, team_name: name, bot_id: name, seen_at: at, noted_at: at },
    { requiredKeys: ['id', 'seen_at'] },
  )
  .map((line) => ({ origin, ...line }));
const refusal = fc.record({ at, because: name, connected: fc.boolean(), connection: fc.constant('[]') });
const refused = fc.record({ id, seen_at: at, refusal }).map((line) => ({ origin, ...line }));
const addition = fc.record({ id, name, seen_at: at, added_at: at }).map((line) => ({ origin, ...line }));
/** Earlier versions' records have no permanent tombstones. */
const tombstoneOf = (...lasts: readonly (true | undefined)[]) =>
  fc
    .record({ id, forgotten_at: at, tombstone: fc.constantFrom(...lasts) })
    .map((line) => ({ origin, ...line }));
const seen = fc.oneof(sight, refused);
const log = fc.array(fc.oneof(seen, addition, tombstoneOf(true, undefined)), { maxLength: 8 });
const logOfToday = fc.array(fc.oneof(seen, addition, tombstoneOf(true)), { maxLength: 8 });

const fold = (...logs: readonly (readonly JsonObject[])[]): FoldedRecords =>
  foldRecords(logText(logs.flat()));

it('writes no record of a device that a desk already has with the same fields', () => {
  const device = { origin, id: 'a', name: 'Desk', seen_at: '2026-01-01T00:00:00.000Z' };
  const author = { noted_by: 'Ana', noted_from: 'front-1', recorded_at: '2026-01-02T00:00:00.000Z' };
  const desk = fold([{ ...device, ...author, noted_at: author.recorded_at }]);
  expect(mergeRecords(desk, fold([device])).records).toEqual([]);
});

it('writes no creation time of an earlier record that waited for the database', () => {
  const seen_at = '2026-01-01T00:00:00.000Z';
  const device = { origin, id: 'a', name: 'Desk', seen_at };
  const desk = fold([{ ...device, noted_by: 'Ana', made_at: seen_at, recorded_at: seen_at }]);
  const news = { ...device, name: 'Front', noted_at: '2026-01-05T00:00:00.000Z' };
  const { records } = mergeRecords(desk, fold([news]));
  expect(records).toMatchObject([{ name: 'Front' }]);
  expect(JSON.stringify(records)).not.toContain('made_at');
});

/** Merges logs one after the other into an empty one, as machines do that migrate their files to a database. */
function mergedAll(...logs: readonly (readonly JsonObject[])[]): readonly JsonObject[] {
  const all: JsonObject[] = [];
  for (const log of logs) all.push(...mergeRecords(fold(all), fold(log)).records);
  return all;
}

/** Returns the content of a log in a fixed order, as plain JSON. */
function shown(records: readonly JsonObject[]): unknown {
  const { known, forgotten } = fold(records);
  const sorted = (lines: ReadonlyMap<string, JsonObject>): unknown =>
    [...lines]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, line]) => [key, JSON.parse(JSON.stringify(line))]);
  return { known: sorted(known), forgotten: sorted(forgotten) };
}

it('returns the same book whichever of two logs is merged first', () => {
  fc.assert(
    fc.property(log, log, (one, other) => {
      expect(shown(mergedAll(one, other))).toEqual(shown(mergedAll(other, one)));
    }),
    { numRuns: 300 },
  );
});

it('contains and forgets the same devices for every order of three logs', () => {
  fc.assert(
    fc.property(logOfToday, logOfToday, logOfToday, (one, two, three) => {
      const ids = (records: readonly JsonObject[]) => [...fold(records).known.keys()].toSorted();
      const expected = ids(mergedAll(one, two, three));
      expect(ids(mergedAll(two, three, one))).toEqual(expected);
      expect(ids(mergedAll(three, two, one))).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});

it('adds nothing when a log is merged again', () => {
  fc.assert(
    fc.property(log, log, (one, other) => {
      const all = mergedAll(one, other);
      expect(mergeRecords(fold(all), fold(one)).records).toEqual([]);
      expect(mergeRecords(fold(all), fold(other)).records).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

it('restores no forgotten device for a sight, however new, in any order', () => {
  const later = { id: 'a', forgotten_at: '2026-02-01T00:00:00.000Z', tombstone: true, origin };
  const sights = fc.array(
    seen.map((line) => ({ ...line, seen_at: '2027-01-01T00:00:00.000Z' })),
    { maxLength: 4 },
  );
  fc.assert(
    fc.property(log, sights, sights, (before, one, other) => {
      const forgotten = [...before, later];
      for (const all of [
        mergedAll([...forgotten, ...one], other),
        mergedAll(other, [...forgotten, ...one]),
        mergedAll(one, other, forgotten),
      ])
        expect([...fold(all).known.values()].map((line) => line.id)).not.toContain('a');
    }),
  );
});

it('restores a device that was added explicitly after it was forgotten, in any order', () => {
  const forgotten = [{ origin, id: 'a', forgotten_at: '2026-02-01T00:00:00.000Z', tombstone: true }];
  const added = [{ origin, id: 'a', name: 'Desk', seen_at: '2026-02-01T00:00:00.001Z' }].map((line) => ({
    ...line,
    added_at: line.seen_at,
  }));
  fc.assert(
    fc.property(fc.shuffledSubarray([forgotten, added, []], { minLength: 3 }), (logs) => {
      expect([...fold(mergedAll(...logs)).known.values()]).toMatchObject([{ id: 'a', name: 'Desk' }]);
    }),
  );
});
