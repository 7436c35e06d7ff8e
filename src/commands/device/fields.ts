import type { Fields, Tone } from '../../terminal/fields.ts';

/** A device as its creation answers it. */
export const deviceFields: Fields = [
  { name: 'id', kind: 'id' },
  { name: 'name' },
  { name: 'team_id', heading: 'Team', kind: 'id' },
  { name: 'bot_id', heading: 'Bot', kind: 'id' },
  { name: 'status', kind: 'state' },
  { name: 'type', detail: true },
  { name: 'connected', kind: 'flag', detail: true },
  { name: 'blocked', kind: 'flag', detail: true },
  { name: 'phone_number', kind: 'phone', detail: true },
  { name: 'token', heading: 'Device token' },
  { name: 'pool_url', heading: 'Pool address', detail: true },
  { name: 'last_disconnect_reason', heading: 'Last disconnect', detail: true },
  { name: 'last_disconnect_at', heading: 'Disconnected', kind: 'time', detail: true },
  { name: 'created_at', heading: 'Created', kind: 'time' },
  { name: 'updated_at', heading: 'Updated', kind: 'time', detail: true },
];

/** A device as the device book knows it. */
export const bookedFields: Fields = [
  { name: 'id', kind: 'id', importance: 8 },
  { name: 'name', importance: 9 },
  { name: 'team_id', heading: 'Team', kind: 'id', importance: 3 },
  { name: 'bot_id', heading: 'Bot', kind: 'id', importance: 3 },
  { name: 'seen_at', heading: 'First seen', kind: 'time', importance: 4 },
];

/** What connect and disconnect answer. */
export const transitionFields: Fields = [
  { name: 'device_id', heading: 'Device', kind: 'id' },
  { name: 'name' },
  { name: 'status', kind: 'state' },
  { name: 'message' },
];

/** The state of a device, with botctl's verdict on it. */
export const statusFields: Fields = [
  { name: 'name' },
  { name: 'verdict' },
  { name: 'next', heading: 'Next' },
  { name: 'status', kind: 'state' },
  { name: 'connected', kind: 'flag' },
  { name: 'logged_in', heading: 'Logged in', kind: 'flag' },
  { name: 'phone_number', heading: 'Phone number', kind: 'phone' },
  { name: 'message' },
  { name: 'last_disconnect_reason', heading: 'Last disconnect', detail: true },
  { name: 'last_disconnect_at', heading: 'Disconnected', kind: 'time', detail: true },
  { name: 'qr_code', heading: 'QR code', detail: true },
  { name: 'device_id', heading: 'Device', kind: 'id' },
];

/** What happens while a device is being paired. */
export const pairingFields: Fields = [
  { name: 'event', tone: (value) => eventTones[String(value)] },
  { name: 'device_id', heading: 'Device', kind: 'id', importance: 4 },
  { name: 'name' },
  { name: 'phone_number', heading: 'Phone number', kind: 'phone' },
  { name: 'took', heading: 'Took (s)', kind: 'number', detail: true },
  { name: 'fingerprint', heading: 'Code', detail: true },
  { name: 'number', heading: 'Code number', kind: 'number', detail: true },
  { name: 'age', heading: 'Age (s)', kind: 'number', detail: true },
  { name: 'payload', detail: true },
  { name: 'reason', detail: true },
  { name: 'status', kind: 'state', detail: true },
  { name: 'message', detail: true },
  { name: 'at', kind: 'time', detail: true },
];

const eventTones: Readonly<Record<string, Tone>> = {
  connected: 'good',
  lost: 'bad',
  timeout: 'bad',
  unreachable: 'warning',
  unreadable: 'warning',
};
