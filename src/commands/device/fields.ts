import type { Row } from '../../command.ts';
import type { BookedDevice } from '../../settings/devices.ts';
import type { Fields, Seen, Tone } from '../../terminal/fields.ts';
import { isEmpty } from '../../terminal/values.ts';
import { isRestriction, isTrue } from './state.ts';
import { stateTone } from './verdict.ts';

/** The tone of where a device stands: connected, waiting for a phone, stopped, restricted. */
function deviceTone(_value: unknown, { row }: Seen): Tone | undefined {
  // An event has a status of its own moment, and a tone of its own.
  if ('event' in row) return undefined;
  const { blocked, connected, logged_in: loggedIn, last_disconnect_reason: reason, status } = row;
  if (isTrue(blocked)) return 'bad';
  if (isTrue(connected) && (isTrue(loggedIn) || isEmpty(loggedIn))) return 'good';
  if (isRestriction(reason)) return 'bad';
  if (status === 'stopped') return 'quiet';
  return status === 'started' ? 'warning' : undefined;
}

/** A device as its creation answers it. */
export const deviceFields: Fields = [
  { name: 'id', kind: 'id' },
  { name: 'name' },
  { name: 'team_id', heading: 'Team', kind: 'id' },
  { name: 'bot_id', heading: 'Bot', kind: 'id' },
  { name: 'status', kind: 'state', tone: deviceTone },
  { name: 'type', detail: true },
  { name: 'connected', kind: 'flag', detail: true },
  { name: 'blocked', kind: 'flag', detail: true, tone: (blocked) => (isTrue(blocked) ? 'bad' : undefined) },
  { name: 'phone_number', kind: 'phone', detail: true },
  { name: 'token', heading: 'Device token' },
  { name: 'pool_url', heading: 'Pool address', detail: true },
  { name: 'last_disconnect_reason', heading: 'Last disconnect reason', detail: true },
  { name: 'last_disconnect_at', heading: 'Last disconnected', kind: 'time', isOver: true, detail: true },
  { name: 'created_at', heading: 'Created', kind: 'time' },
  { name: 'updated_at', heading: 'Updated', kind: 'time', detail: true },
];

/** A device as the device book knows it. */
export const bookedFields: Fields = [
  { name: 'id', kind: 'id', importance: 8, namedBy: 'name' },
  { name: 'name', importance: 9 },
  { name: 'team_name', heading: 'Team', importance: 6 },
  { name: 'bot_name', heading: 'Bot', importance: 6 },
  { name: 'team_id', heading: 'Team id', kind: 'id', detail: true },
  { name: 'bot_id', heading: 'Bot id', kind: 'id', detail: true },
  { name: 'seen_at', heading: 'First seen', kind: 'time', importance: 4 },
];

/** A device of the device book, as commands give it. */
export function bookedRow(device: Pick<BookedDevice, 'id'> & Partial<BookedDevice>): Row {
  return {
    id: device.id,
    name: device.name ?? null,
    team_name: device.teamName ?? null,
    bot_name: device.botName ?? null,
    team_id: device.teamId ?? null,
    bot_id: device.botId ?? null,
    seen_at: device.seenAt ?? null,
  };
}

/** What connect and disconnect answer. */
export const transitionFields: Fields = [
  { name: 'device_id', heading: 'Device', kind: 'id' },
  { name: 'name' },
  { name: 'status', kind: 'state', tone: deviceTone },
  { name: 'message' },
];

/** The state of a device, with botctl's verdict on it in a word and in words. */
export const statusFields: Fields = [
  { name: 'name' },
  { name: 'state', tone: stateTone },
  { name: 'verdict', tone: (_words, { row }) => stateTone(row.state) },
  { name: 'next', heading: 'Next', kind: 'command', importance: 3 },
  { name: 'status', kind: 'state', tone: deviceTone },
  { name: 'connected', kind: 'flag', tone: (connected) => (isTrue(connected) ? 'good' : undefined) },
  { name: 'logged_in', heading: 'Logged in', kind: 'flag' },
  { name: 'phone_number', heading: 'Phone number', kind: 'phone' },
  { name: 'message' },
  { name: 'last_disconnect_reason', heading: 'Last disconnect reason', detail: true },
  { name: 'last_disconnect_at', heading: 'Last disconnected', kind: 'time', isOver: true, detail: true },
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
  { name: 'round', kind: 'number', detail: true },
  { name: 'age', heading: 'Age (s)', kind: 'number', detail: true },
  { name: 'pause', heading: 'Pause (s)', kind: 'number', detail: true },
  { name: 'expected', heading: 'Expected number', kind: 'phone', detail: true },
  { name: 'matches', heading: 'As expected', kind: 'flag', detail: true },
  { name: 'payload', detail: true },
  { name: 'reason', detail: true },
  { name: 'status', kind: 'state', detail: true },
  { name: 'message', detail: true },
  { name: 'at', kind: 'time', detail: true },
];

const eventTones: Readonly<Record<string, Tone>> = {
  connected: 'good',
  lost: 'bad',
  stalled: 'warning',
  timeout: 'bad',
  unreachable: 'warning',
  unreadable: 'warning',
};
