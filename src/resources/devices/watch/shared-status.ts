import type { JsonObject } from '../../../lib/json-object.ts';
import { oneLine } from '../../../lib/text/sentence.ts';
import { type DeviceStatus, deviceStatus } from '../device-status.ts';

/** The maximum width of a shared text. */
const maxText = 300;

/**
 * Returns the part of a status that watchers share. The code is a secret: only its presence is shared.
 * @param redact masks secrets in the service's words
 */
export function toShared(status: DeviceStatus, redact: (text: string) => string): JsonObject {
  const text = (value: string | undefined): string | undefined =>
    value === undefined ? undefined : oneLine(redact(value), maxText).replaceAll('\0', '');
  return {
    status: text(status.status),
    connected: status.connected,
    logged_in: status.loggedIn,
    blocked: status.blocked,
    phone_number: text(status.phoneNumber),
    last_disconnect_reason: text(status.lastDisconnectReason),
    last_disconnect_at: status.lastDisconnectAt?.toISOString(),
    has_code: status.qrCode !== undefined,
  };
}

/** In place of a code that another watcher saw; a watch of many devices never shows codes. */
const hiddenCode = '(another watcher saw a code)';

/** Returns a status from another watcher. */
export function fromShared({ has_code: hasCode, ...status }: JsonObject): DeviceStatus {
  return deviceStatus({ ...status, qr_code: hasCode === true ? hiddenCode : '' });
}
