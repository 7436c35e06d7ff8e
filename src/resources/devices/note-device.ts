import type { BookedDevice, IntentChoice } from '../../desk/device-book.ts';
import { allowFailure, Failure } from '../../lib/errors.ts';
import type { ResourceContext } from '../resource-context.ts';
import type { DeviceStatus } from './device-status.ts';
import { isCurrentRefusal } from './refusal.ts';

/** An entry for the device book. */
export type BookEntry = Omit<BookedDevice, 'seenAt'>;

type NoteContext = Pick<ResourceContext, 'devices' | 'reporter' | 'clock' | 'redact'>;

/**
 * Adds a device to the device book on purpose: one that was forgotten comes back.
 * @param answered the creates that have their answer with it
 * @returns why it could not be written; undefined if it was
 */
export async function addToBook(
  context: NoteContext,
  device: BookEntry,
  answered?: IntentChoice,
): Promise<Failure | undefined> {
  const { devices } = context;
  return (await devices.record(entryOf(context, device), answered)) ? undefined : devices.unwritable();
}

/**
 * Adds a new device to the device book. Its id is the only way to it, so if that fails a warning shows the id.
 * @param answered the creates that have their answer with it
 */
export async function noteDevice(
  context: NoteContext,
  device: BookEntry,
  answered?: IntentChoice,
): Promise<void> {
  const { reporter } = context;
  const keep = `The API can't list devices. Keep this id: ${device.id}`;
  const failure = await addToBook(context, device, answered).catch((error: unknown) => {
    if (error instanceof Failure && !error.isInterruption) return error;
    reporter.warn(keep);
    throw error;
  });
  if (!failure) return;
  reporter.warn(`${failure.message} ${keep}`);
  if (failure.hint !== undefined) reporter.note(failure.hint);
}

/** Returns an entry that was noted now. A name is the service's word: a file must not have the secrets in it. */
function entryOf({ clock, redact }: NoteContext, device: BookEntry): BookedDevice {
  const clean = (name: string | undefined): string | undefined =>
    name === undefined ? undefined : redact(name);
  const { name, teamName, botName } = device;
  const seenAt = new Date(clock.now()).toISOString();
  return { ...device, name: clean(name), teamName: clean(teamName), botName: clean(botName), seenAt };
}

/**
 * Notes a device that the service has shown to be there, unless it is known already or was forgotten. Where that can't be written
 * nothing is lost: who has just typed the id knows it.
 */
export async function noteSeenDevice(
  context: NoteContext,
  { id, name }: Pick<BookEntry, 'id' | 'name'>,
): Promise<void> {
  const { devices } = context;
  const known = (await devices.list()).find((device) => device.id === id);
  // A name in the book is the user's own word for the device, or the service's already.
  if (known && (known.name !== undefined || name === undefined)) return;
  // Asked before, so that a watch of it locks nothing.
  if (!known && (await devices.forgotten()).some((device) => device.id === id)) return;
  await devices.recordSeen(entryOf(context, { id, name }));
}

/**
 * Notes what a reading of a device shows: that it is there, and whether a refused send is history by now.
 */
export async function noteReading(
  context: NoteContext,
  device: Pick<BookedDevice, 'id' | 'name' | 'refusal'>,
  status: DeviceStatus,
): Promise<void> {
  await noteSeenDevice(context, device);
  const { refusal } = device;
  if (refusal && !isCurrentRefusal(refusal, status))
    await context.devices.dropRefusals(({ id }) => id === device.id);
}

/** A device with a name. */
export interface NamedDevice {
  readonly id: string;
  readonly name: string;
}

/** Returns the other devices of a book that have the same name. */
export function namesakesOf(
  { id, name }: NamedDevice,
  book: readonly BookedDevice[],
): readonly BookedDevice[] {
  return book.filter((device) => device.name === name && device.id !== id);
}

/** Warns if another device in the book has the same name: then only the ids tell them apart. */
export async function warnOfNamesakes(
  { devices, reporter }: Pick<ResourceContext, 'devices' | 'reporter'>,
  { id, name }: NamedDevice,
): Promise<void> {
  // The device is created or added already: a book that can't be read does not change that.
  const others = namesakesOf({ id, name }, (await allowFailure(devices.list())) ?? []);
  if (others.length === 0) return;
  const theirs = others.map((device) => device.id).join(', ');
  reporter.warn(
    `The device book has another device named "${name}": ${theirs}. Use the ids to tell them apart.`,
  );
}
