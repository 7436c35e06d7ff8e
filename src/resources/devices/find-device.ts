import { actorText } from '../../desk/actor.ts';
import type { BookedDevice, DeviceBook } from '../../desk/device-book.ts';
import { isId, isSameId } from '../../lib/ids.ts';
import { type AskWhich, type Candidate, matchName, type Wording } from '../../lib/match-name.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import { relativeTime } from '../../lib/time.ts';

/** The hint for a device that the service has not had for a while. */
export const hintAtGone = remark`To remove devices that no longer exist from the device book, run: ${command('device', 'forget', '--gone')}`;

const wording: Wording = {
  noun: 'device',
  place: 'in the device book',
  showCommand: (id) => command('device', 'status', id),
  hint: remark`List the devices in it: ${command('device', 'list')}. The API can't list devices: to add one that was created elsewhere, use its id: ${command('device', 'add', placeholder('ID'), '--name', placeholder('NAME'))}`,
  fewer: hintAtGone,
};

/**
 * Returns the entry of a device given by id or by its name in the device book. For an id that is not in the book,
 * returns only the id.
 * @param askWhich undefined if botctl must not ask which device is meant
 * @param now milliseconds since 1970, to show how long ago a device was recorded
 * @throws Failure as `matchName`
 */
export async function findDevice(
  book: Pick<DeviceBook, 'list'>,
  text: string,
  askWhich: AskWhich | undefined,
  now?: number,
): Promise<Pick<BookedDevice, 'id'> & Partial<BookedDevice>> {
  const known = await book.list();
  if (isId(text)) {
    return known.find(({ id }) => isSameId(id, text)) ?? { id: text.toLowerCase() };
  }
  const candidates = known.map((device): Candidate & { readonly device: BookedDevice } => ({
    id: device.id,
    name: device.name,
    marks: marksOf(device, now),
    device,
  }));
  return (await matchName(candidates, text, wording, askWhich)).device;
}

/** Returns the details that distinguish a device from another one with the same name. */
export function marksOf(device: BookedDevice, now: number | undefined): readonly string[] {
  const { teamId, teamName = teamId, botId, botName = botId, seenAt } = device;
  const change = lastChangeOf(device, now);
  const adder = actorText(device.addedBy, device.addedFrom);
  return [
    teamName !== undefined && `in team ${teamName}`,
    botName !== undefined && `bot ${botName}`,
    adder !== undefined && adder !== actorText(device.notedBy, device.notedFrom) && `added by ${adder}`,
    change,
    `first seen ${seenAt}`,
  ].filter((mark) => mark !== undefined && mark !== false);
}

/** Returns who changed a device last, and when: `last changed by Ana (front-1) 3 minutes ago`; undefined if unknown. */
export function lastChangeOf(
  { notedBy, notedFrom, changedAt }: Partial<BookedDevice>,
  now: number | undefined,
): string | undefined {
  const author = actorText(notedBy, notedFrom);
  return author === undefined ? undefined : `last changed by ${author}${ago(changedAt, now)}`;
}

/** Returns how long ago a time is: ` 3 minutes ago`; empty if unknown. The clock of its machine may be ahead. */
export function ago(time: string | undefined, now: number | undefined): string {
  const moment = Date.parse(time ?? '');
  return Number.isNaN(moment) || now === undefined ? '' : ` ${relativeTime(Math.min(moment, now), now)}`;
}
