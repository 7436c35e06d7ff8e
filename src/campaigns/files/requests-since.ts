import { errorCode } from '../../lib/files/error-code.ts';
import { unreadable } from '../../lib/files/file-failure.ts';
import type { LaneKey } from '../lane.ts';
import { CampaignFile } from './campaign-file.ts';
import { firstLine } from './first-line.ts';
import { campaignPaths, maxHead } from './names.ts';

/**
 * Returns when requests were about to leave through a device, for all campaigns of this machine, as their files have it: the
 * one thing of a message that is on the disk before it leaves. Those that were not taken are left out.
 * @param since milliseconds since 1970; what comes until then is left out
 * @returns milliseconds since 1970, in their order
 * @throws Failure `invalidInput` where a campaign of the device can't be read: its messages would be missing
 */
export function requestsSince(data: string, key: LaneKey, since: number): readonly number[] {
  const times: number[] = [];
  for (const path of campaignPaths(data)) if (mayName(path, key)) times.push(...requestsIn(path, key));
  return times.filter((time) => time > since).sort((one, other) => one - other);
}

function requestsIn(path: string, { origin, device }: LaneKey): readonly number[] {
  const file = new CampaignFile(path);
  const campaign = file.read();
  if (campaign?.origin !== origin) return [];
  const place = campaign.devices.findIndex(({ id }) => id === device);
  /** By their places: what was not taken is left out. */
  const times = new Map<number, number>();
  /** The places of requests whose outcome has not come, by their rows. */
  const open = new Map<number, number>();
  let count = 0;
  file.history(({ row, state, at }) => {
    if (file.index.standing(row)?.device !== place) return;
    const asked = open.get(row);
    open.delete(row);
    if (state === 'sending') {
      open.set(row, count);
      times.set(count, Date.parse(at ?? ''));
      count += 1;
    } else if (asked !== undefined && state === 'planned') times.delete(asked);
  });
  return [...times.values()];
}

/** True unless the beginning of a campaign's file shows that it has nothing to do with a device. */
function mayName(path: string, { device }: LaneKey): boolean {
  try {
    const { line, isWhole } = firstLine(path, maxHead);
    return !isWhole || line.includes(device);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw unreadable(path, error);
  }
}
