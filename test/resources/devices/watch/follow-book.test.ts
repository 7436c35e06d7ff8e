import { expect, it } from 'vitest';
import type { BookedDevice, ForgottenDevice } from '../../../../src/desk/device-book.ts';
import { followBook } from '../../../../src/resources/devices/watch/follow-book.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

it('neither adds nor drops again a device that is forgotten between two reads of the device book', async () => {
  const device: BookedDevice = { id: 'one', name: 'Lobby', seenAt: '2026-11-29T12:00:00Z' };
  let book: readonly BookedDevice[] = [device];
  let tombstones: readonly ForgottenDevice[] = [];
  /** Forgets the device after the first of the two reads. */
  const forget = (): void => {
    if (tombstones.length > 0) return;
    book = [];
    tombstones = [
      { id: 'one', forgottenAt: '2026-11-29T12:00:10Z', forgottenBy: 'Ana', forgottenFrom: undefined },
    ];
  };
  const read = async <T>(value: T): Promise<T> => {
    forget();
    return value;
  };
  const devices = { list: () => read(book), forgotten: () => read(tombstones) };
  const notes: string[] = [];
  const stop = new AbortController();
  const changes = followBook(
    { devices, clock: new FakeClock(), reporter: { note: (text: string) => notes.push(text) } },
    [{ id: 'one', name: 'Lobby', word: 'one', label: 'Lobby', isBooked: true }],
    () => true,
    stop.signal,
  );
  const { value } = await changes.next();
  expect(value).toEqual({ added: [], renamed: [], forgotten: new Set(['one']) });
  expect(notes).toHaveLength(1);
  stop.abort();
});

it.each([
  ['named', undefined],
  ['chosen in the book', () => true],
] as const)('adopts the new name of a device that was %s', async (_how, isMeant) => {
  const book: readonly BookedDevice[] = [{ id: 'one', name: 'Entrance', seenAt: '2026-11-29T12:00:00Z' }];
  const notes: string[] = [];
  const stop = new AbortController();
  const changes = followBook(
    {
      devices: { list: async () => book, forgotten: async () => [] },
      clock: new FakeClock(),
      reporter: { note: (text: string) => notes.push(text) },
    },
    [{ id: 'one', name: 'Lobby', word: 'Lobby', label: 'Lobby', isBooked: true }],
    isMeant,
    stop.signal,
  );
  const renamed = [{ id: 'one', name: 'Entrance', label: 'Entrance', word: 'Entrance' }];
  expect((await changes.next()).value).toEqual({ added: [], renamed, forgotten: new Set() });
  expect(notes).toEqual(['Lobby is now called Entrance.']);
  stop.abort();
});
