import type { Device } from '../network.ts';
import type { Outage } from '../store/tables.ts';

/**
 * What a person does on the phone, or the network to a device that is paired with it.
 *
 * | action | status | connected | logged_in | code | phone_number | last_disconnect_reason | leads back |
 * |---|---|---|---|---|---|---|---|
 * | unlink | stopped | false | false | no | no | 401 logged out | connect, and a scan |
 * | offline | started | false | true | no | no | Connection was lost | online |
 * | takeover | started | false | true | no | no | 440 conflict: replaced by another session | a new pairing |
 * | block | started | false | true | no | no | 402 temporarily banned | unblock |
 *
 * Whatever was done, disconnect (where the device is started) and connect lead to a new code. A number that is
 * blocked may be paired again, and stays blocked: `send` answers FORBIDDEN until it is unblocked.
 */
export const phoneActions = ['unlink', 'offline', 'online', 'takeover', 'block', 'unblock'] as const;

/** One of them. */
export type PhoneAction = (typeof phoneActions)[number];

/** What an action makes of a device. */
export type DeviceChange = Partial<
  Pick<
    Device,
    | 'status'
    | 'connected'
    | 'logged_in'
    | 'blocked'
    | 'phone_number'
    | 'outage'
    | 'restart_at'
    | 'last_disconnect_reason'
    | 'last_disconnect_at'
  >
>;

/** Why something can't be done to a device. */
export class ActionRefused extends Error {
  override readonly name = 'ActionRefused';

  constructor(
    message: string,
    /** What to do instead: the words before a command line, and that line. */
    readonly hint: string,
  ) {
    super(message);
  }
}

/** What a device shows as its last disconnect: wording and numbers as messaging services have them. */
export const reasons = {
  unlinked: '401 logged out',
  restart: '515 restart required',
  offline: 'Connection was lost',
  replaced: '440 conflict: replaced by another session',
  blocked: '402 temporarily banned',
} as const;

/**
 * What an action changes of a device as it is now; undefined where it is so already.
 * @param named the device as a shell takes it, for the command line of a hint
 * @throws ActionRefused where it can't be done as the device is
 */
export function changeBy(
  action: PhoneAction,
  device: Device,
  now: Date,
  named: string,
): DeviceChange | undefined {
  if (action === 'unblock') return unblocked(device);
  if (!device.logged_in) {
    throw new ActionRefused(
      `${device.name} is not paired with a phone.`,
      `Pair it first: botctl device connect ${named}`,
    );
  }
  switch (action) {
    case 'unlink':
      return {
        ...down(null, reasons.unlinked, now),
        status: 'stopped',
        logged_in: false,
        phone_number: null,
      };
    case 'offline':
      return device.outage === 'offline' ? undefined : interrupted(device, 'offline', now, named);
    case 'takeover':
      return device.outage === 'replaced' ? undefined : interrupted(device, 'replaced', now, named);
    case 'block':
      if (device.outage === 'blocked') return undefined;
      return { ...interrupted(device, 'blocked', now, named), blocked: true };
    case 'online':
      if (device.connected) return undefined;
      if (device.outage === 'replaced' || device.outage === 'blocked') throw isDown(device, named);
      return up;
  }
}

const up: DeviceChange = { connected: true, outage: null, restart_at: null };

function down(outage: Outage | null, reason: string, now: Date): DeviceChange {
  return {
    connected: false,
    outage,
    restart_at: null,
    last_disconnect_reason: reason,
    last_disconnect_at: now,
  };
}

/** Ends what is connected, or would be again by itself. */
function interrupted(
  device: Device,
  outage: 'offline' | 'replaced' | 'blocked',
  now: Date,
  named: string,
): DeviceChange {
  const comesBack = device.connected || device.outage === 'offline' || device.outage === 'restart';
  if (!comesBack) throw isDown(device, named);
  return down(outage, reasons[outage], now);
}

function unblocked(device: Device): DeviceChange | undefined {
  if (!device.blocked) return undefined;
  return { blocked: false, ...(device.outage === 'blocked' && up) };
}

function isDown({ name, outage }: Device, named: string): ActionRefused {
  switch (outage) {
    case 'blocked':
      return new ActionRefused(
        `The messaging app blocks the number of ${name}.`,
        `Let it be unblocked first: botctl sandbox phone unblock ${named}`,
      );
    case 'replaced':
      return new ActionRefused(
        `Another session has taken the place of ${name}, which doesn't come back by itself.`,
        `Pair it again: botctl device disconnect ${named}, then botctl device connect ${named}`,
      );
    default:
      return new ActionRefused(
        `The scan of ${name}'s code has not been confirmed on the phone yet.`,
        `Confirm it: botctl sandbox phone online ${named}`,
      );
  }
}
