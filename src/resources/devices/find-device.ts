import type { BookedDevice, DeviceBook } from '../../desk/device-book.ts';
import { isId, isSameId } from '../../lib/ids.ts';
import { type AskWhich, type Candidate, matchName, type Wording } from '../../lib/match-name.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';

/** The hint for a device that the service has not had for a while. */
export const hintAtGone = remark`Take those that the service doesn't have out of the device book: ${command('device', 'forget', '--gone')}`;

const wording: Wording = {
  one: 'device',
  place: 'in the device book',
  look: (id) => command('device', 'status', id),
  wayOut: remark`See the devices in it: ${command('device', 'list')}. The API can't list devices: one that was made elsewhere is noted by its id: ${command('device', 'add', placeholder('ID'), '--name', placeholder('NAME'))}`,
  fewer: hintAtGone,
};

/**
 * Returns the entry of a device given by id or by its name in the device book. An id is taken as it
 * is: of one that the book doesn't know, only the id is returned.
 * @param askWhich undefined if no person may be asked which device is meant
 * @throws Failure as `matchName`
 */
export async function findDevice(
  book: Pick<DeviceBook, 'list'>,
  text: string,
  askWhich: AskWhich | undefined,
): Promise<Pick<BookedDevice, 'id'> & Partial<BookedDevice>> {
  const known = await book.list();
  if (isId(text)) {
    return known.find(({ id }) => isSameId(id, text)) ?? { id: text.toLowerCase() };
  }
  const candidates = known.map((device): Candidate & { readonly device: BookedDevice } => ({
    id: device.id,
    name: device.name,
    marks: marksOf(device),
    device,
  }));
  return (await matchName(candidates, text, wording, askWhich)).device;
}

/** Returns what tells a device from another one of the same name. */
function marksOf(device: BookedDevice): readonly string[] {
  const { teamId, teamName = teamId, botId, botName = botId, seenAt } = device;
  return [
    teamName !== undefined && `in team ${teamName}`,
    botName !== undefined && `bot ${botName}`,
    `first seen ${seenAt}`,
  ].filter((mark) => mark !== false);
}
