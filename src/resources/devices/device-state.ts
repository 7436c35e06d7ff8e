import type { DeviceStatus } from './device-status.ts';

/** The state of a device, worked out from all members of its status together. */
export type StateName =
  | 'stopped'
  /** Started, and its code is not there yet. */
  | 'starting'
  /** Carries a code that no phone has scanned. */
  | 'waiting'
  /** The phone has scanned; the session is not up yet. */
  | 'connecting'
  /** Paired, and offline for the moment. */
  | 'reconnecting'
  | 'ready'
  /** A status that the specification doesn't list. */
  | 'other';

/** Works the state out from all members, since none of them decides alone. */
export function stateOf(status: DeviceStatus): StateName {
  const { connected, loggedIn, qrCode } = status;
  if (isStopped(status)) return 'stopped';
  if (connected && loggedIn !== false) return 'ready';
  if (qrCode !== undefined) return 'waiting';
  if (loggedIn) return 'reconnecting';
  if (connected) return 'connecting';
  return status.status?.toLowerCase() === 'started' ? 'starting' : 'other';
}

/** True if a device is stopped, by its status alone. */
export function isStopped({ status }: Pick<DeviceStatus, 'status'>): boolean {
  return status?.toLowerCase() === 'stopped';
}

/** True if nothing in a status tells of an earlier connection. */
export function isNew({ lastDisconnectReason, lastDisconnectAt }: DeviceStatus): boolean {
  return lastDisconnectReason === undefined && lastDisconnectAt === undefined;
}

/** The end of a connection, as far as the reason of a disconnect tells. */
export type ReasonKind =
  /** All codes were used up. */
  | 'expired'
  /** A person or a program disconnected it. */
  | 'requested'
  /** The messaging app restricts the number. */
  | 'restricted'
  /** The messaging app, or the service, refuses further attempts for now. */
  | 'limited'
  /** The phone doesn't know the device any more. */
  | 'unlinked'
  /** Another session took the place of this one. */
  | 'replaced'
  /** It comes back by itself. */
  | 'passing';

/**
 * Meanings of known reasons. The specification lists none; these are the words and numbers that messaging
 * services use. Others are passed on as they are.
 */
const knownReasons: readonly (readonly [kind: ReasonKind, pattern: RegExp, words?: string])[] = [
  [
    'expired',
    /qr (refs|code).*(ended|timeout|retries|limit)|max qrcode/i,
    'no phone scanned the code in time',
  ],
  ['requested', /\b(by|on) request\b/i],
  [
    'restricted',
    /\b402\b|(?<!(\b(not|never|no longer)|n['\u2019]t) )\b(ban(ned)?\b|blocked)|tos_block|temporary-ban/i,
    'the messaging app restricts it; sending more makes it worse',
  ],
  [
    'limited',
    /\b429\b|rate.?(over)?limit|too many|\b(cannot|can[\u2019']?t|can not|could(n['\u2019]t| not)|unable to) (be )?link|limit (was )?(reached|exceeded)|try again later/i,
    'no further attempt is accepted for now; wait before the next one',
  ],
  [
    'unlinked',
    /\b(401|403|406)\b|logged?.?out|unlinked|main.device.gone/i,
    'the phone unlinked it, so it has to be paired again',
  ],
  ['replaced', /\b440\b|replaced|conflict/i, 'another session took it over; close that one first'],
  [
    'passing',
    /\b(408|428|500|503|515)\b|connection (was )?(lost|closed|terminated)|restart required|transient/i,
  ],
];

/** Returns the kind of end that a disconnect reason tells of, or undefined if the reason is unknown. */
export function reasonKind(reason: string): ReasonKind | undefined {
  return knownReasons.find(([, pattern]) => pattern.test(reason))?.[0];
}

/** True if a paired device that is offline is known to reconnect by itself. A reason that is unknown promises nothing. */
export function comesBack(reason: string | undefined): boolean {
  return reason === undefined || reasonKind(reason) === 'passing';
}

/** A state in which no phone can be paired for now, and another attempt makes it worse. */
export type Limit = 'blocked' | 'limited';

/** Returns the limit that a reason or a message of the service means, or undefined if it means none. */
export function limitIn(words: string | undefined): Limit | undefined {
  const kind = words === undefined ? undefined : reasonKind(words);
  if (kind === 'restricted') return 'blocked';
  return kind === 'limited' ? 'limited' : undefined;
}

/** Returns what a disconnect reason means, in words, or the reason itself if that is clear enough or unknown. */
export function reasonInWords(reason: string): string {
  return knownReasons.find(([, pattern]) => pattern.test(reason))?.[2] ?? reason;
}

/**
 * True if a device that is logged in and down was scanned, and never up since: codes that were used up, and a
 * disconnect on request, belong to an earlier round.
 */
export function isScanned({ lastDisconnectReason: reason }: DeviceStatus): boolean {
  const kind = reason === undefined ? undefined : reasonKind(reason);
  return kind === 'expired' || kind === 'requested';
}
