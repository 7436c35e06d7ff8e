import type { JsonObject } from '../../lib/json-object.ts';
import { flagOf } from '../../lib/parse.ts';
import { parseTime } from '../../lib/time.ts';

/** The status of a device. The service may leave members out or send them as another scalar; here each has one type. */
export interface DeviceStatus {
  /** The response of the service. */
  readonly raw: JsonObject;
  /** In the service's spelling: `started`, `stopped`. */
  readonly status: string | undefined;
  readonly connected: boolean | undefined;
  readonly loggedIn: boolean | undefined;
  readonly blocked: boolean | undefined;
  /** The picture of the code as a data URL, or what the service sends instead. */
  readonly qrCode: string | undefined;
  /** With `+` if it is a phone number. */
  readonly phoneNumber: string | undefined;
  readonly message: string | undefined;
  /** In the service's words. */
  readonly lastDisconnectReason: string | undefined;
  readonly lastDisconnectAt: Date | undefined;
}

/** Returns the status in a response, or in a row with the same members. */
export function deviceStatus(raw: JsonObject): DeviceStatus {
  const disconnectedAt = parseTime(raw.last_disconnect_at);
  return {
    raw,
    status: textOf(raw.status),
    connected: parseFlag(raw.connected),
    loggedIn: parseFlag(raw.logged_in),
    // The specification has it for a device but not for its status, although services send it there.
    blocked: parseFlag(raw.blocked),
    qrCode: typeof raw.qr_code === 'string' && raw.qr_code !== '' ? raw.qr_code : undefined,
    phoneNumber: phoneOf(raw.phone_number),
    message: textOf(raw.message),
    lastDisconnectReason: textOf(raw.last_disconnect_reason),
    lastDisconnectAt: disconnectedAt === undefined ? undefined : new Date(disconnectedAt),
  };
}

/** Returns a trimmed text, or undefined if it is empty. */
function textOf(value: unknown): string | undefined {
  const text =
    typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '').trim();
  return text === '' ? undefined : text;
}

/** Returns undefined only if the service sends no flag: an unreadable flag must not make a device look ready. */
function parseFlag(value: unknown): boolean | undefined {
  return value === undefined || value === null ? undefined : (flagOf(value) ?? false);
}

/** A phone number, alone or in a messaging app's account id: `5511912345678:52@host`. An id at `lid` contains none. */
const phonePattern = /^\+?([1-9]\d{6,14})(?::\d{1,5})?(?:@(?!lid\b)[\w.]+)?$/;

/** Returns a phone number as `+` and digits; other texts are unchanged. */
function phoneOf(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = textOf(value);
  const [, digits] = phonePattern.exec(text ?? '') ?? [];
  return digits === undefined ? text : `+${digits}`;
}
