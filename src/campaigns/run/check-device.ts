import type { Api } from '../../client/api.ts';
import { command, type RemarkText, remark } from '../../lib/text/remark.ts';
import { type Device, readAndNote } from '../../resources/devices/device.ts';
import { stateOf } from '../../resources/devices/device-state.ts';
import type { DeviceStatus } from '../../resources/devices/device-status.ts';
import { diagnose } from '../../resources/devices/diagnosis.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import type { QueueEntry } from '../claim.ts';

/** The reason why a device can't send for campaigns at the moment. */
export interface DeviceObstacle {
  /** A sentence. */
  readonly because: string;
  /** What to do about it. */
  readonly hint: RemarkText;
  /**
   * True if the device has another number than a campaign was created with. Only the user can decide whether that is
   * right.
   */
  readonly isOtherNumber: boolean;
}

/** Returns whether messages can be sent through a device. */
export function canSend(status: DeviceStatus): boolean {
  return stateOf(status) === 'ready' && status.blocked !== true;
}

/**
 * Checks whether a device can send, with the number that the campaigns expect. Returns the obstacle, or undefined if
 * there is none.
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
  // A rejected key or an unreachable service must be found before a message is claimed.
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
