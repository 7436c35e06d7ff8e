import { rejected, type SandboxProblem } from '../problem.ts';
import type { Device, Outage } from '../store/tables.ts';

/**
 * Actions of the user on the phone, or of the network on a device that is paired with it.
 *
 * | action | status | connected | logged_in | code | phone_number | last_disconnect_reason | leads back |
 * |---|---|---|---|---|---|---|---|
 * | unlink | stopped | false | false | no | no | 401 logged out | connect, and a scan |
 * | offline | started | false | true | no | no | Connection was lost | online |
 * | takeover | started | false | true | no | no | 440 conflict: replaced by another session | a new pairing |
 * | block | started | false | true | no | no | 402 temporarily banned | unblock |
 *
 * After any of them, disconnect (if the device is started) and connect lead to a new code. A blocked number can be
 * paired again but stays blocked: `send` responds FORBIDDEN until it is unblocked.
 */
export const phoneActions = ['unlink', 'offline', 'online', 'takeover', 'block', 'unblock'] as const;

export type PhoneAction = (typeof phoneActions)[number];

type DeviceChange = Partial<Device>;

/** Disconnect reasons, in the words and numbers of messaging services. */
const reasons = {
  unlinked: '401 logged out',
  offline: 'Connection was lost',
  replaced: '440 conflict: replaced by another session',
  blocked: '402 temporarily banned',
} as const;

/**
 * Returns the changes of an action to a device, or undefined if there are none.
 * @throws SandboxProblem if the state of the device does not allow it
 */
export function applyAction(action: PhoneAction, device: Device, now: Date): DeviceChange | undefined {
  if (action === 'unblock') return unblocked(device);
  if (!device.logged_in) {
    const message = `${device.name} is not paired with a phone.`;
    throw rejected(message, { code: 'deviceNotPaired', device: device.name });
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
      return device.outage === 'offline' ? undefined : interrupted(device, 'offline', now);
    case 'takeover':
      return device.outage === 'replaced' ? undefined : interrupted(device, 'replaced', now);
    case 'block':
      if (device.outage === 'blocked') return undefined;
      return { ...interrupted(device, 'blocked', now), blocked: true };
    case 'online':
      if (device.connected) return undefined;
      if (device.outage === 'replaced' || device.outage === 'blocked') throw isDown(device);
      return up;
  }
}

const up: DeviceChange = { connected: true, outage: null };

function down(outage: Outage | null, reason: string, now: Date): DeviceChange {
  return { connected: false, outage, last_disconnect_reason: reason, last_disconnect_at: now };
}

/** Ends a connection that is up, or that would come back without action. */
function interrupted(device: Device, outage: 'offline' | 'replaced' | 'blocked', now: Date): DeviceChange {
  const comesBack = device.connected || device.outage === 'offline';
  if (!comesBack) throw isDown(device);
  return down(outage, reasons[outage], now);
}

function unblocked(device: Device): DeviceChange | undefined {
  if (!device.blocked) return undefined;
  return { blocked: false, ...(device.outage === 'blocked' && up) };
}

function isDown({ name: device, outage }: Device): SandboxProblem {
  switch (outage) {
    case 'blocked':
      return rejected(`The messaging app blocks the number of ${device}.`, { code: 'deviceBlocked', device });
    case 'replaced':
      return rejected(`Another session replaced ${device}. Disconnect, connect and pair it again.`, {
        code: 'deviceReplaced',
        device,
      });
    default:
      return rejected(`The phone has not confirmed the scan of ${device} yet.`, {
        code: 'scanNotConfirmed',
        device,
      });
  }
}
