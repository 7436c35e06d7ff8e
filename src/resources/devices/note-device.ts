import type { BookedDevice, IntentChoice } from '../../desk/device-book.ts';
import { allowFailure, Failure } from '../../lib/errors.ts';
import type { ResourceContext } from '../resource-context.ts';
import type { DeviceStatus } from './device-status.ts';
import { isCurrentRefusal } from './refusal.ts';

/** An entry for the device book. */
export type BookEntry = Omit<BookedDevice, 'seenAt'>;

type NoteContext = Pick<ResourceContext, 'devices' | 'reporter' | 'clock' | 'redact'>;

/**
 * Adds a device to the device book on request, even if it was forgotten.
 * @param answered the creates that this device answers
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
 * Adds a new device to the device book. Nothing else stores its id, so if that fails a warning shows the id.
 * @param answered the creates that this device answers
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

/** Returns an entry with the current time. The name comes from the service: secrets in it must not get into a file. */
function entryOf({ clock, redact }: NoteContext, device: BookEntry): BookedDevice {
  const clean = (name: string | undefined): string | undefined =>
    name === undefined ? undefined : redact(name);
  const { name, teamName, botName } = device;
  const seenAt = new Date(clock.now()).toISOString();
  return { ...device, name: clean(name), teamName: clean(teamName), botName: clean(botName), seenAt };
}

/**
 * Adds an existing device to the device book, unless it is there already or was forgotten. A failure to write is
 * harmless: the user has just typed the id.
 */
export async function noteSeenDevice(
  context: NoteContext,
  { id, name }: Pick<BookEntry, 'id' | 'name'>,
): Promise<void> {
  const { devices } = context;
  const known = (await devices.list()).find((device) => device.id === id);
  // A name in the book comes from the user, or from the service already.
  if (known && (known.name !== undefined || name === undefined)) return;
  // Read before, so that a watch takes no lock for it.
  if (!known && (await devices.forgotten()).some((device) => device.id === id)) return;
  await devices.recordSeen(entryOf(context, { id, name }));
}

/** Records that a device exists, and removes a refused send that no longer applies. */
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

/** Returns the other devices of a book with the same name. */
export function namesakesOf(
  { id, name }: NamedDevice,
  book: readonly BookedDevice[],
): readonly BookedDevice[] {
  return book.filter((device) => device.name === name && device.id !== id);
}

/** Warns if another device in the book has the same name: then only the ids distinguish them. */
export async function warnOfNamesakes(
  { devices, reporter }: Pick<ResourceContext, 'devices' | 'reporter'>,
  { id, name }: NamedDevice,
): Promise<void> {
  // The device is already created or added: a failure to read the book does not change that.
  const others = namesakesOf({ id, name }, (await allowFailure(devices.list())) ?? []);
  if (others.length === 0) return;
  const theirs = others.map((device) => device.id).join(', ');
  reporter.warn(
    `The device book has another device named "${name}": ${theirs}. Use the ids to tell them apart.`,
  );
}
