import type { BookedDevice, DeviceIntent, DeviceNamesakes } from '../../desk/device-book.ts';
import { Failure } from '../../lib/errors.ts';
import { command, placeholder, type Remark, remark } from '../../lib/text/remark.ts';
import type { ResourceContext } from '../resource-context.ts';
import { noteDevice } from './note-device.ts';

/** A device to create. */
export type DeviceToCreate = Omit<BookedDevice, 'id' | 'seenAt' | 'refusal' | 'name' | 'teamId'> & {
  readonly name: string;
  readonly teamId: string;
};

/** Returns the sentence about an existing device with a name in a team, or about a create without a response. */
export function isThere(
  { name, teamName, teamId }: DeviceToCreate | DeviceIntent,
  one: BookedDevice | DeviceIntent,
): string {
  const team = teamName ?? teamId;
  return 'key' in one
    ? `It is not known whether ${team} already has a device named ${name}: its creation at ${one.at} got no response.`
    : `${team} already has a device named ${name}: ${one.id}.`;
}

/** Returns the hint for a device that may exist, and whose id is unknown. */
export function lookupHint({ name, teamName, teamId }: DeviceToCreate | DeviceIntent): Remark {
  const note = command(
    ...['device', 'add', placeholder('<id>'), '--name', name],
    ...['--team', teamName ?? teamId],
  );
  return remark`The API can't list devices: look for it in the platform. If it exists, add it: ${note}`;
}

/** Dependencies of a lookup in the device book. */
export type BookContext = Pick<ResourceContext, 'devices' | 'redact'>;

/** A response with a device. */
interface CreatedAnswer {
  readonly data: { readonly id: string };
}

/**
 * Returns the devices in the device book with the name and the team of a new one, and the creates without a response.
 * @param taken ids of devices to exclude, in lower case
 */
export async function namesakesOfNew(
  { devices: book, redact }: BookContext,
  { name, teamId }: Pick<DeviceToCreate, 'name' | 'teamId'>,
  taken: ReadonlySet<string> = new Set(),
): Promise<DeviceNamesakes> {
  const { devices, intents } = await book.namesakes(redact(name), teamId);
  return { devices: devices.filter(({ id }) => !taken.has(id.toLowerCase())), intents };
}

/**
 * Returns the device with a name in a team from the device book, or undefined if there is none.
 * @throws Failure `ambiguous` if there are several, `outcomeUnknown` if one may exist: a create has had no response
 */
export async function findCreated(
  booking: BookContext,
  toCreate: DeviceToCreate,
): Promise<BookedDevice | undefined> {
  const { devices, intents } = await namesakesOfNew(booking, toCreate);
  const [only, ...others] = devices;
  if (others.length > 0) {
    const ids = devices.map(({ id }) => id).join(', ');
    throw new Failure(
      'ambiguous',
      `The device book has several devices named ${toCreate.name} in this team: ${ids}.`,
      {
        hint: 'Use the id of the one you mean.',
        next: devices.map(({ id }) => command('device', 'status', id)),
      },
    );
  }
  const [lost] = intents;
  if (!only && lost)
    throw new Failure('outcomeUnknown', isThere(toCreate, lost), { hint: lookupHint(toCreate) });
  return only;
}

/**
 * Creates a device, and records it in the device book. The intent is in the book before the call. If the response is lost, the
 * intent stays there, so that the next create doesn't create a second device.
 * @param mayRepeat true if another device with that name in that team is wanted
 * @throws Failure as `create`; `notConfirmed` if another process has begun to create it meanwhile
 */
export async function createOnce<T extends CreatedAnswer>(
  context: BookContext & Pick<ResourceContext, 'clock' | 'reporter'>,
  toCreate: DeviceToCreate,
  mayRepeat: boolean,
  create: () => Promise<T>,
): Promise<T> {
  const { devices, clock, redact } = context;
  const { name, teamId, teamName } = toCreate;
  const at = new Date(clock.now()).toISOString();
  // A user may have typed a secret as a name, which must not get into a file.
  const clean = { name: redact(name), teamId, teamName: teamName && redact(teamName), at };
  const intended = await devices.intend(clean, mayRepeat);
  if (intended === 'duplicate')
    throw new Failure(
      'notConfirmed',
      `Another process is creating or has created ${name} in ${teamName ?? teamId}.`,
      { hint: 'To create another one, add --allow duplicate.' },
    );
  let created: T;
  try {
    created = await create();
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    if (thrown.isUncertain) {
      const hint = lookupHint(toCreate);
      throw thrown.withHint(
        remark`${hint}. Until then, another device of that name needs --allow duplicate.`,
      );
    }
    if (intended !== 'unwritable') await devices.settle(intended.key);
    throw thrown;
  }
  const answered = intended === 'unwritable' ? undefined : intended;
  await noteDevice(context, { ...toCreate, id: created.data.id }, answered);
  return created;
}
