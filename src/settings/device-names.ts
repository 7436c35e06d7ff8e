import { type Candidate, isId, matchName, type Purpose, type Wording } from '../names/match-name.ts';
import type { BookedDevice, DeviceBook } from './devices.ts';

/** What the device is wanted for. */
export interface DeviceUse {
  readonly for: Purpose;
}

const wording: Wording = {
  one: 'device',
  place: 'in the device book',
  wayOut:
    "See the devices in it: botctl device list. The API can't list devices, so another one needs its id.",
};

/**
 * The id of a device given by id or by its name in the device book (design, Names). An id is taken as it
 * is: the book needn't know it.
 * @throws Failure `notFound` with suggestions, `usage` where several have the name
 */
export function resolveDevice(
  book: DeviceBook,
  baseUrl: string,
  text: string,
  use: DeviceUse = { for: 'write' },
): string {
  return findDevice(book, baseUrl, text, use).id;
}

/**
 * What is known of a device given by id or name; of an id that the book doesn't know, only the id.
 * @throws Failure as `resolveDevice`
 */
export function findDevice(
  book: DeviceBook,
  baseUrl: string,
  text: string,
  use: DeviceUse,
): Pick<BookedDevice, 'id'> & Partial<BookedDevice> {
  const known = book.list(baseUrl);
  if (isId(text)) {
    const id = text.toLowerCase();
    return known.find((device) => device.id.toLowerCase() === id) ?? { id };
  }
  const candidates = known.map((device): Candidate & { readonly device: BookedDevice } => ({
    id: device.id,
    name: device.name,
    mark: markOf(device),
    device,
  }));
  return matchName(candidates, text, use.for, wording).device;
}

/** What tells a device from another one of the same name. */
function markOf({ teamId, teamName = teamId, botId, botName = botId, seenAt }: BookedDevice): string {
  return [
    teamName !== undefined && `in team ${teamName}`,
    botName !== undefined && `bot ${botName}`,
    `first seen ${seenAt}`,
  ]
    .filter((mark) => mark !== false)
    .join(', ');
}
