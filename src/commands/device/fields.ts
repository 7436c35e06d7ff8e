import type { BookedDevice } from '../../desk/device-book.ts';
import { ownMember } from '../../lib/json-object.ts';
import type { Field, Fields, Row, ToneContext } from '../../output/fields.ts';
import { isStopped, reasonKind, stateOf } from '../../resources/devices/device-state.ts';
import { deviceStatus } from '../../resources/devices/device-status.ts';
import type { DiagnosedState } from '../../resources/devices/device-words.ts';
import type { Tone } from '../../terminal/colour.ts';

/** Returns the tone of a device's state: connected, waiting for a phone, stopped, or restricted. */
function deviceTone(_value: unknown, { row }: ToneContext): Tone | undefined {
  // An event has its own status and its own tone.
  if ('event' in row) return undefined;
  const status = deviceStatus(row);
  const { blocked, connected, loggedIn, lastDisconnectReason: reason } = status;
  if (blocked) return 'bad';
  if (connected && loggedIn !== false) return 'good';
  if (reason !== undefined && reasonKind(reason) === 'restricted') return 'bad';
  if (isStopped(status)) return 'quiet';
  return stateOf(status) === 'other' ? undefined : 'warning';
}

/** A created device, as the service returns it. */
export const deviceFields: Fields = [
  { name: 'id', kind: 'id' },
  { name: 'name' },
  { name: 'team_id', heading: 'Team', kind: 'id' },
  { name: 'bot_id', heading: 'Bot', kind: 'id' },
  { name: 'status', kind: 'state', tone: deviceTone },
  { name: 'type', detail: true },
  { name: 'connected', kind: 'flag', detail: true },
  {
    name: 'blocked',
    kind: 'flag',
    detail: true,
    tone: (_, { row }) => (deviceStatus(row).blocked ? 'bad' : undefined),
  },
  { name: 'phone_number', kind: 'phone', detail: true },
  { name: 'token', heading: 'Device token' },
  { name: 'pool_url', heading: 'Pool address', detail: true },
  { name: 'last_disconnect_reason', heading: 'Last disconnect reason', detail: true },
  { name: 'last_disconnect_at', heading: 'Last disconnected', kind: 'time', isPast: true, detail: true },
  { name: 'created_at', heading: 'Created', kind: 'time' },
  { name: 'updated_at', heading: 'Updated', kind: 'time', detail: true },
];

/** A device of the device book. */
export const bookedFields: Fields = [
  { name: 'id', kind: 'id', importance: 8, namedBy: 'name' },
  { name: 'name', importance: 9 },
  { name: 'team_name', heading: 'Team', importance: 6 },
  { name: 'bot_name', heading: 'Bot', importance: 6 },
  { name: 'team_id', heading: 'Team id', kind: 'id', detail: true },
  { name: 'bot_id', heading: 'Bot id', kind: 'id', detail: true },
  { name: 'seen_at', heading: 'First seen', kind: 'time', importance: 4 },
];

export const exportedFields: Fields = [
  { name: 'service', importance: 3 },
  ...bookedFields,
  { name: 'noted_at', heading: 'Noted', kind: 'time', detail: true },
];

const eventMembers = {
  at: { name: 'at', heading: 'Time', kind: 'time', isLocal: true, usualWidth: 16, importance: 9 },
  event: { name: 'event', importance: 9 },
  by: { name: 'by', importance: 6 },
  from: { name: 'from', importance: 3 },
  reason: { name: 'reason', usualWidth: 21, importance: 8 },
  lost: { name: 'lost_at', heading: 'Last disconnected', kind: 'time', importance: 4 },
  phone: { name: 'phone_number', heading: 'Phone number', kind: 'phone', importance: 5 },
} as const satisfies Readonly<Record<string, Field>>;

const eventDetails: Fields = [
  { name: 'team_name', heading: 'Team', detail: true },
  { name: 'id', kind: 'id', detail: true },
  { name: 'seen_by', heading: 'Seen by', detail: true },
  { name: 'seen_from', heading: 'Seen from', detail: true },
  { name: 'db_user', heading: 'Database user', detail: true },
];

/** Fields of the events of one device. */
export const historyFields: Fields = [
  ...[eventMembers.at, eventMembers.event, eventMembers.by, eventMembers.from],
  ...[eventMembers.reason, eventMembers.phone, eventMembers.lost],
  { name: 'device_id', heading: 'Device', kind: 'id', detail: true },
  { name: 'name', detail: true },
  ...eventDetails,
];

/** The same fields for the events of several devices. */
export const sharedHistoryFields: Fields = [
  eventMembers.at,
  { name: 'device_id', heading: 'Device', kind: 'id', shownAs: 'name', importance: 8 },
  { name: 'name', detail: true, isDelimited: true },
  ...[eventMembers.event, eventMembers.by, eventMembers.from, eventMembers.reason, eventMembers.phone],
  { ...eventMembers.lost, detail: true },
  ...eventDetails,
];

/** Returns a device of the device book as a row. */
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

/** Fields of the responses to connect and disconnect. */
export const transitionFields: Fields = [
  { name: 'device_id', heading: 'Device', kind: 'id' },
  { name: 'name' },
  { name: 'status', kind: 'state', tone: deviceTone },
  { name: 'message' },
];

/** Fields of the state of a device, with the terms of the service and of botctl. */
export const statusFields: Fields = [
  { name: 'name' },
  { name: 'state', tone: stateTone },
  { name: 'verdict', tone: (_words, { row }) => stateTone(row.state) },
  { name: 'next', heading: 'Next', kind: 'command', importance: 3 },
  { name: 'status', kind: 'state', tone: deviceTone },
  {
    name: 'connected',
    kind: 'flag',
    tone: (_, { row }) => (deviceStatus(row).connected ? 'good' : undefined),
  },
  { name: 'logged_in', heading: 'Logged in', kind: 'flag' },
  { name: 'phone_number', heading: 'Phone number', kind: 'phone' },
  { name: 'message' },
  { name: 'last_disconnect_reason', heading: 'Last disconnect reason', detail: true },
  { name: 'last_disconnect_at', heading: 'Last disconnected', kind: 'time', isPast: true, detail: true },
  { name: 'refused_at', heading: 'Sending refused', kind: 'time', isPast: true, detail: true },
  { name: 'refused_because', heading: 'Refused because', detail: true },
  { name: 'qr_code', heading: 'QR code', detail: true },
  { name: 'device_id', heading: 'Device', kind: 'id' },
  { name: 'team_name', heading: 'Team', detail: true },
];

/** Fields of the events of a pairing. */
export const pairingFields: Fields = [
  { name: 'event', tone: (value) => ownMember(eventTones, String(value)) },
  { name: 'state', tone: stateTone, detail: true },
  { name: 'device_id', heading: 'Device', kind: 'id', importance: 4 },
  { name: 'name' },
  { name: 'phone_number', heading: 'Phone number', kind: 'phone' },
  { name: 'took', heading: 'Took (s)', kind: 'number', detail: true },
  { name: 'fingerprint', heading: 'Code', detail: true },
  { name: 'number', heading: 'Code number', kind: 'number', detail: true },
  { name: 'round', kind: 'number', detail: true },
  { name: 'age', heading: 'Age (s)', kind: 'number', detail: true },
  { name: 'pause', heading: 'Pause (s)', kind: 'number', detail: true },
  { name: 'scans', kind: 'number', detail: true },
  { name: 'expected', heading: 'Expected number', kind: 'phone', detail: true },
  { name: 'matches', heading: 'As expected', kind: 'flag', detail: true },
  { name: 'payload', detail: true },
  { name: 'because', detail: true },
  { name: 'by', detail: true },
  { name: 'from', detail: true },
  { name: 'reason', detail: true },
  { name: 'status', kind: 'state', detail: true },
  { name: 'message', detail: true },
  { name: 'at', kind: 'time', detail: true },
];

const eventTones: Readonly<Record<string, Tone>> = {
  connected: 'good',
  failed: 'bad',
  stalled: 'warning',
  timeout: 'bad',
  unreachable: 'warning',
  unreadable: 'warning',
  unconfirmed: 'warning',
  scan_failed: 'warning',
};

/**
 * Returns the fields of rows of several kinds without repetitions; the first definition of a field wins. A card shows
 * fields that are not in `always` only if they have a value.
 */
export function fieldsOfAll(fields: Fields, always: readonly string[]): Fields {
  const isFirst = ({ name }: Field, at: number): boolean =>
    fields.findIndex((field) => field.name === name) === at;
  return fields.filter(isFirst).map((field) => ({ ...field, detail: !always.includes(field.name) }));
}

const tones: Readonly<Record<DiagnosedState | 'unreachable' | 'not_found', Tone | undefined>> = {
  never_connected: 'quiet',
  stopped: 'quiet',
  starting: 'warning',
  waiting: 'warning',
  connecting: 'warning',
  reconnecting: 'warning',
  ready: 'good',
  unlinked: 'bad',
  taken_over: 'bad',
  blocked: 'bad',
  limited: 'bad',
  contradictory: 'bad',
  unknown: undefined,
  unreachable: 'bad',
  not_found: 'bad',
};

/** Returns the tone of a state by its name. */
export function stateTone(state: unknown): Tone | undefined {
  return ownMember(tones, String(state));
}
