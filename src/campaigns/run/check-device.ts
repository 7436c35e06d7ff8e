import type { Api } from '../../client/api.ts';
import { command, type RemarkText, remark } from '../../lib/text/remark.ts';
import { type Device, readAndNote } from '../../resources/devices/device.ts';
import { stateOf } from '../../resources/devices/device-state.ts';
import type { DeviceStatus } from '../../resources/devices/device-status.ts';
import { diagnose } from '../../resources/devices/diagnosis.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import type { QueueEntry } from '../claim.ts';

/** Why campaigns send nothing through a device as it is now. */
export interface DeviceObstacle {
  /** A sentence. */
  readonly because: string;
  /** What to do about it. */
  readonly hint: RemarkText;
  /** True if it has another number than a campaign was made with: only a person can say whether that is right. */
  readonly isOtherNumber: boolean;
}

/** True if messages can be sent through a device. */
export function canSend(status: DeviceStatus): boolean {
  return stateOf(status) === 'ready' && status.blocked !== true;
}

/**
 * Looks whether a device can send, with the number that campaigns know. Returns what is in the way, or undefined if nothing is.
 * @param context `once` sends the messages
 * @param now in milliseconds since 1970
 * @throws Failure as `Api.accessToken` and `readAndNote`
 */
export async function checkDevice(
  { session, once }: { readonly session: ResourceContext; readonly once: Api },
  device: Device,
  entries: readonly QueueEntry[],
  now: number,
): Promise<DeviceObstacle | undefined> {
  // A key that is refused, or a service that isn't there, is to be known before a message is on its way.
  await once.accessToken();
  const status = await readAndNote(session, device);
  if (!canSend(status)) {
    const { text, next } = diagnose(status, { word: device.word }, now);
    const hint = remark`Fix it with: ${next ?? command('device', 'status', device.word)}`;
    return { because: `It can't send: ${text}.`, hint, isOtherNumber: false };
  }
  const number = status.phoneNumber === undefined ? undefined : session.redact(status.phoneNumber);
  const numberIn = ({ campaign: { campaign }, device: at }: QueueEntry) => campaign.devices[at]?.number;
  const other = entries.find((entry) => numberIn(entry) !== number);
  if (!other) return undefined;
  const { name } = other.campaign.campaign;
  const because = `${device.label} now has ${number ?? 'no number'}, but campaign ${name} was created with ${numberIn(other)}.`;
  const names = entries.map(({ campaign: { campaign } }) => campaign.name);
  const hint =
    number === undefined
      ? remark`See its state: ${command('device', 'status', device.word)}`
      : remark`If that is right, accept it: ${command('campaigns', 'run', ...names, '--accept-number', number)}`;
  return { because, hint, isOtherNumber: true };
}
