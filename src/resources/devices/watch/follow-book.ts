import { actorText } from '../../../desk/actor.ts';
import type { BookedDevice, ForgottenDevice } from '../../../desk/device-book.ts';
import { allowFailure } from '../../../lib/errors.ts';
import { firstFew } from '../../../lib/text/sentence.ts';
import type { ResourceContext } from '../../resource-context.ts';
import { type Device, deviceOf } from '../device.ts';
import type { DeviceChanges } from './watch-devices.ts';

/** Milliseconds between two reads of the device book. */
const lookMs = 10_000;

/** The maximum number of devices that a note names. */
const maxNamed = 3;

/** Dependencies of `followBook`. */
export interface BookFollower {
  readonly devices: Pick<ResourceContext['devices'], 'list' | 'forgotten'>;
  readonly clock: Pick<ResourceContext['clock'], 'sleep'>;
  readonly reporter: Pick<ResourceContext['reporter'], 'note'>;
}

/**
 * Follows the device book while devices are watched, and reports who forgot one of them, and new names. Each read also
 * updates this machine's copy of a desk's book. Only a tombstone marks a device as forgotten: a book that can't be read
 * seems to have no devices.
 * @param isMeant chooses the devices to watch; undefined if they were named: then the watch keeps all of them
 */
export async function* followBook(
  { devices, clock, reporter }: BookFollower,
  begun: readonly Device[],
  isMeant: ((device: BookedDevice) => boolean) | undefined,
  signal: AbortSignal,
): AsyncGenerator<DeviceChanges> {
  // A named device may have been forgotten before.
  const booked = begun.filter(({ isBooked }) => isBooked);
  const watched = new Map(booked.map((device) => [device.id, device]));
  // In this order: if a device is forgotten between the two, the next read finds it.
  const look = async () => ({
    tombstones: await devices.forgotten(),
    book: await devices.list(),
  });
  for (;;) {
    await clock.sleep(lookMs, signal);
    const looked = await allowFailure(look());
    if (!looked) continue;
    const { book, tombstones } = looked;
    const gone = tombstones.filter(({ id }) => watched.has(id));
    const labels = gone.map(({ id }) => watched.get(id)?.label ?? id);
    for (const { id } of gone) watched.delete(id);
    if (gone.length > 0) {
      const what = `${firstFew(labels, maxNamed)} ${gone.length === 1 ? 'was' : 'were'} forgotten${describeRemover(gone)}`;
      const [it, is] = gone.length === 1 ? ['it', 'is'] : ['they', 'are'];
      reporter.note(
        isMeant ? `${what}, so ${it} ${is} no longer watched.` : `${what}, but ${it} ${is} still watched.`,
      );
    }
    const renamed = book.flatMap((device) => {
      const before = watched.get(device.id);
      if (!before) return [];
      const { id, name, label, word } = deviceOf(device, book);
      if (label === before.label && word === before.word) return [];
      watched.set(id, { ...before, name, label, word });
      if (label !== before.label) reporter.note(`${before.label} is now called ${label}.`);
      return [{ id, name, label, word }];
    });
    const added = book
      .filter((device) => isMeant?.(device) && !watched.has(device.id))
      .map((device) => deviceOf(device, book));
    for (const device of added) watched.set(device.id, device);
    if (added.length > 0) {
      const names = firstFew(
        added.map(({ label }) => label),
        maxNamed,
      );
      const [were, they] = added.length === 1 ? ['was', 'it is'] : ['were', 'they are'];
      reporter.note(`${names} ${were} added to the device book, so ${they} now watched.`);
    }
    const forgotten = new Set(isMeant ? gone.map(({ id }) => id) : []);
    if (added.length + renamed.length + forgotten.size > 0) yield { added, renamed, forgotten };
  }
}

/** Returns ` by Ana (front-1)` if it is known that one person forgot all of them. */
function describeRemover(gone: readonly ForgottenDevice[]): string {
  const people = new Set(gone.map(({ forgottenBy, forgottenFrom }) => actorText(forgottenBy, forgottenFrom)));
  const [by] = people;
  return people.size === 1 && by !== undefined ? ` by ${by}` : '';
}
